import { PROCESS_FLAGS } from '../process/process-flags.ts';
import * as INPUT from '../input/input-flags.ts';
import { CHECK_CATALOGUE } from '../../engine/checks/catalogue.ts';
import { optional, repeatable, withDefault, toggle, type CommandDefinition } from '../flags/flag.ts';
import { choice, dateOrInstant, parsed, path, wordList } from '../flags/value-types.ts';
import { FORMAT_NAMES } from './formats.ts';
import { EXCEPTION_BOUNDS } from '../../engine/policy/bounds.ts';
import { LEVELS } from '../../engine/verdict/levels.ts';
import { COLOUR_FLAG } from '../output/screen.ts';

const CHECK_IDS = wordList('CHECK', Object.keys(CHECK_CATALOGUE));

/** The flags that select findings: the findings that `check` shows, and whose advice `fix --advice` applies. */
export const SELECTION_FLAGS = {
  enforcement: PROCESS_FLAGS.enforcement,
  'min-level': withDefault(
    choice(LEVELS),
    'warning',
    'The lowest level of findings that are shown, or whose advice is applied.',
    { details: 'Hidden findings do not change the exit code.', links: 'See [levels](commands.md#levels).' },
  ),
  only: repeatable(CHECK_IDS, 'Select findings of these checks only.', {
    otherwise: 'all checks',
    links: 'See [select checks](commands.md#select-checks).',
  }),
  skip: repeatable(CHECK_IDS, 'Leave out the findings of these checks.'),
  baseline: optional(path('FILE', 'files'), 'Leave out the known findings of this file.', {
    links: 'See [known findings](commands.md#known-findings).',
  }),
  'no-ignore': toggle('Select findings that a comment ignores, too.', {
    links: 'See [ignored findings](commands.md#ignored-findings).',
  }),
} as const;

/** One problem for each check that is both selected and left out. */
export function selectionConflicts(flags: Readonly<Record<'only' | 'skip', readonly (readonly string[])[]>>): string[] {
  const left = flags.skip.flat();
  const both = flags.only.flat().filter((check) => left.includes(check));
  return both.map((check) => `--only and --skip both name ${check}`);
}

const OWNER = parsed('NAME', `a name of at most ${EXCEPTION_BOUNDS.owner.maximum} characters`, (name) =>
  name.trim() !== '' && name.length <= EXCEPTION_BOUNDS.owner.maximum ? name : undefined,
);

/** The flags about written exceptions need each other, and a finding goes into one file. */
function exceptionConflicts(
  flags: Readonly<
    Record<'write-exceptions' | 'write-baseline' | 'owner', string | undefined> & { expires: number | undefined }
  >,
): string[] {
  const { 'write-exceptions': written, 'write-baseline': baseline, expires, owner } = flags;
  const others = { expires, owner };
  if (written === undefined)
    return Object.entries(others).flatMap(([name, value]) =>
      value === undefined ? [] : [`--${name}: only with --write-exceptions`],
    );
  return [
    ...(baseline === undefined ? [] : ['--write-exceptions and --write-baseline: leave one out']),
    ...Object.entries(others).flatMap(([name, value]) =>
      value === undefined ? [`--${name}: must be given with --write-exceptions`] : [],
    ),
  ];
}

const FLAGS = {
  ...INPUT.CLUSTER_INPUT_FLAGS,
  output: withDefault(choice(FORMAT_NAMES), 'text', 'Format of the report.', {
    links: 'See [output formats](#output-formats).',
  }),
  ...SELECTION_FLAGS,
  'write-baseline': optional(path('FILE', 'files'), 'Write the findings of this run as known findings, and hide them.'),
  'write-exceptions': optional(
    path('FILE', 'files'),
    'Write ProbeExceptions for the findings of this run, and hide them.',
    {
      details: 'Needs --expires and --owner.',
      links: 'See [known findings](commands.md#known-findings).',
    },
  ),
  expires: optional(dateOrInstant(), 'The end of written exceptions: a day, or an instant.'),
  owner: optional(OWNER, 'Who answers for written exceptions.'),
  color: COLOUR_FLAG,
  'allow-empty': toggle('Accept inputs without any object. Without this flag they end with exit code 2.'),
  strict: toggle('Fail for warnings too.'),
  ...INPUT.CLUSTER_FLAGS,
} as const;

export const CHECK: CommandDefinition<typeof FLAGS> = {
  name: 'check',
  summary: 'Give manifests the verdict that the webhook would give',
  usage: 'FILE... [flags]',
  description: [
    `Gives manifests the verdict that the webhook would give at CREATE. ${INPUT.INPUT_DESCRIPTION}`,
    INPUT.CLUSTER_INPUT_DESCRIPTION,
  ],
  positionals: INPUT.CLUSTER_INPUT_FILES,
  flags: FLAGS,
  conflicts: (flags) => [...selectionConflicts(flags), ...exceptionConflicts(flags)],
  exitCodes: {
    0: 'Nothing is denied.',
    1: 'A violation is denied; with --strict also: there is a warning.',
    2: 'An input cannot be read in whole, no input has an object, or the command line is wrong.',
  },
};
