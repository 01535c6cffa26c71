import { ENFORCEMENTS } from '../../engine/verdict/modes.ts';
import { CHECK_CATALOGUE } from '../../engine/checks/catalogue.ts';
import { optional, repeatable, withDefault } from '../flags/flag.ts';
import { choice, path, wordList } from '../flags/value-types.ts';
import { LEVELS } from '../output/level.ts';

const CHECK_IDS = wordList('CHECK', Object.keys(CHECK_CATALOGUE));

/** The flags that select findings: the findings that `check` shows, and whose advice `fix --advice` applies. */
export const SELECTION_FLAGS = {
  enforcement: withDefault({
    type: choice(ENFORCEMENTS),
    default: 'Deny',
    summary: 'The strictest action that a violation may have.',
  }),
  'min-level': withDefault({
    type: choice(LEVELS),
    default: 'warning',
    summary: 'The lowest level of findings that are shown, or whose advice is applied.',
    details: 'Hidden findings do not change the exit code.',
    links: 'See [levels](commands.md#levels).',
  }),
  only: repeatable({
    type: CHECK_IDS,
    otherwise: 'all checks',
    summary: 'Select findings of these checks only.',
    links: 'See [select checks](commands.md#select-checks).',
  }),
  skip: repeatable({
    type: CHECK_IDS,
    summary: 'Leave out the findings of these checks.',
  }),
  baseline: optional({
    type: path('FILE', 'files'),
    summary: 'Leave out the known findings of this file.',
    links: 'See [known findings](commands.md#known-findings).',
  }),
} as const;

/** One problem for each check that is both selected and left out. */
export function selectionConflicts(flags: Readonly<Record<'only' | 'skip', readonly (readonly string[])[]>>): string[] {
  const left = flags.skip.flat();
  const both = flags.only.flat().filter((check) => left.includes(check));
  return both.map((check) => `--only and --skip both name ${check}`);
}
