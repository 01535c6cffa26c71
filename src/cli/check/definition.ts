import { optional, toggle, withDefault, type CommandDefinition } from '../flags/flag.ts';
import { choice, path } from '../flags/value-types.ts';
import * as INPUT from '../input/input-flags.ts';
import { SELECTION_FLAGS, selectionConflicts } from './selection-flags.ts';
import { COLOUR_FLAG } from '../output/screen.ts';

const REPORT_FORMATS = ['text', 'json', 'sarif', 'junit', 'github'] as const;
export type ReportFormatName = (typeof REPORT_FORMATS)[number];

const FLAGS = {
  ...INPUT.CLUSTER_INPUT_FLAGS,
  output: withDefault({
    type: choice(REPORT_FORMATS),
    default: 'text',
    summary: 'Format of the report.',
    links: 'See [output formats](#output-formats).',
  }),
  ...SELECTION_FLAGS,
  'write-baseline': optional({
    type: path('FILE', 'files'),
    summary: 'Write the findings of this run as known findings, and hide them.',
  }),
  color: COLOUR_FLAG,
  'allow-empty': toggle({ summary: 'Accept inputs without any object. Without this flag they end with exit code 2.' }),
  strict: toggle({ summary: 'Fail for warnings too.' }),
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
  conflicts: selectionConflicts,
  exitCodes: [
    { code: 0, meaning: 'Nothing is denied.' },
    { code: 1, meaning: 'A violation is denied; with --strict also: there is a warning.' },
    { code: 2, meaning: 'An input cannot be read in whole, no input has an object, or the command line is wrong.' },
  ],
};
