import { ENFORCEMENTS } from '../../admission/validate.ts';
import { CHECK_CATALOGUE } from '../../checks/catalogue.ts';
import { choice, path, wordList } from '../../command-line/value-types.ts';
import { optional, repeatable, toggle, withDefault } from '../../command-line/flag.ts';
import { COLOUR_FLAG } from './colour-flag.ts';
import { LEVELS } from '../level.ts';
import { CLUSTER_FLAGS, CLUSTER_INPUT_DESCRIPTION, CLUSTER_INPUT_FILES, CLUSTER_INPUT_FLAGS } from './cluster-flags.ts';
import { INPUT_DESCRIPTION } from './input-flags.ts';
import type { CommandDefinition } from '../../command-line/command-definition.ts';

/** Formats of reports; src/cli/output/ has a file for each. */
const REPORT_FORMATS = ['text', 'json', 'sarif', 'junit', 'github'] as const;
export type ReportFormatName = (typeof REPORT_FORMATS)[number];

const CHECK_IDS = wordList('CHECK', Object.keys(CHECK_CATALOGUE));

const FLAGS = {
  ...CLUSTER_INPUT_FLAGS,
  output: withDefault({
    type: choice(REPORT_FORMATS),
    default: 'text',
    summary: 'Format of the report.',
    links: 'See [output formats](#output-formats).',
  }),
  enforcement: withDefault({
    type: choice(ENFORCEMENTS),
    default: 'Deny',
    summary: 'The strictest action that a violation may have.',
  }),
  'min-level': withDefault({
    type: choice(LEVELS),
    default: 'warning',
    summary: 'The lowest level of findings that are shown.',
    details: 'Hidden findings do not change the exit code.',
    links: 'See [levels](#levels).',
  }),
  only: repeatable({
    type: CHECK_IDS,
    otherwise: 'all checks',
    summary: 'Show findings of these checks only.',
    links: 'See [select checks](#select-checks).',
  }),
  skip: repeatable({
    type: CHECK_IDS,
    summary: 'Hide the findings of these checks.',
  }),
  baseline: optional({
    type: path('FILE', 'files'),
    summary: 'Hide the known findings of this file.',
    links: 'See [known findings](#known-findings).',
  }),
  'write-baseline': optional({
    type: path('FILE', 'files'),
    summary: 'Write the findings of this run as known findings, and hide them.',
  }),
  color: COLOUR_FLAG,
  'allow-empty': toggle({ summary: 'Accept inputs without any object. Without this flag they end with exit code 2.' }),
  strict: toggle({ summary: 'Fail for warnings too.' }),
  ...CLUSTER_FLAGS,
} as const;

/** `probewright check`. */
export const CHECK: CommandDefinition<typeof FLAGS> = {
  name: 'check',
  summary: 'Give manifests the verdict that the webhook would give',
  usage: 'FILE... [flags]',
  description: [
    `Gives manifests the verdict that the webhook would give at CREATE. ${INPUT_DESCRIPTION}`,
    CLUSTER_INPUT_DESCRIPTION,
  ],
  positionals: CLUSTER_INPUT_FILES,
  flags: FLAGS,
  readsEnvironment: false,
  conflicts: ({ only, skip }) =>
    only
      .flat()
      .filter((check) => skip.flat().includes(check))
      .map((check) => `--only and --skip both name ${check}`),
  exitCodes: [
    { code: 0, meaning: 'Nothing is denied.' },
    { code: 1, meaning: 'A violation is denied; with --strict also: there is a warning.' },
    { code: 2, meaning: 'An input cannot be read in whole, no input has an object, or the command line is wrong.' },
  ],
};
