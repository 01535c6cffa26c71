import { ENFORCEMENTS } from '../../admission/validate.ts';
import { choice } from '../../command-line/value-types.ts';
import { toggle, withDefault } from '../../command-line/flag.ts';
import { INPUT_DESCRIPTION, INPUT_FILES, INPUT_FLAGS } from './input-flags.ts';
import type { CommandDefinition } from '../../command-line/command-definition.ts';

/** Formats of reports; src/cli/output/ has a file for each. */
export const REPORT_FORMATS = ['text', 'json', 'sarif', 'junit', 'github'] as const;
export type ReportFormatName = (typeof REPORT_FORMATS)[number];

const FLAGS = {
  ...INPUT_FLAGS,
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
  strict: toggle({ summary: 'Fail for warnings too.' }),
} as const;

/** `probewright check`. */
export const CHECK: CommandDefinition<typeof FLAGS> = {
  name: 'check',
  summary: 'Give manifests the verdict that the webhook would give',
  usage: 'FILE... [flags]',
  description: [`Gives manifests the verdict that the webhook would give at CREATE. ${INPUT_DESCRIPTION}`],
  positionals: INPUT_FILES,
  flags: FLAGS,
  readsEnvironment: false,
  exitCodes: [
    { code: 0, meaning: 'Nothing is denied.' },
    { code: 1, meaning: 'A violation is denied; with --strict also: there is a warning.' },
    { code: 2, meaning: 'An input cannot be read, or the command line is wrong.' },
  ],
};
