import { optional, type CommandDefinition } from '../flags/flag.ts';
import { path } from '../flags/value-types.ts';
import * as INPUT from '../input/input-flags.ts';

const FLAGS = {
  ...INPUT.CLUSTER_INPUT_FLAGS,
  'output-file': optional(path('FILE', 'files'), 'File for the page.', {
    details: 'It is replaced when the page is complete.',
    otherwise: 'standard output',
  }),
  ...INPUT.CLUSTER_FLAGS,
} as const;

export const REPORT: CommandDefinition<typeof FLAGS> = {
  name: 'report',
  summary: 'Write a page about the probes of a fleet, as one HTML file',
  usage: 'FILE... [flags] > report.html',
  description: [
    'Writes one HTML page with the verdict on each workload, its time to start, and summaries by namespace and check. ' +
      `The page makes no request, and needs no scripts. ${INPUT.INPUT_DESCRIPTION}`,
    INPUT.CLUSTER_INPUT_DESCRIPTION,
  ],
  positionals: INPUT.CLUSTER_INPUT_FILES,
  flags: FLAGS,
  exitCodes: {
    0: 'The page is complete, whatever it says.',
    2: 'An input cannot be read, the page cannot be written, or the command line is wrong.',
  },
};
