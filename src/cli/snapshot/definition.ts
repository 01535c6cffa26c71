import { without } from '../../base/json/json-value.ts';
import * as INPUT from '../input/input-flags.ts';
import type { CommandDefinition } from '../flags/flag.ts';

/** Policies in files are inputs like all others. */
const FLAGS = {
  ...without(INPUT.CLUSTER_INPUT_FLAGS, 'policies', 'now', 'kubernetes-version', 'tier'),
  ...INPUT.CLUSTER_FLAGS,
} as const;

export const SNAPSHOT: CommandDefinition<typeof FLAGS> = {
  name: 'snapshot',
  summary: 'Print what plan and check need of a cluster, as one file',
  usage: '[FILE...] [flags]',
  description: [
    'Prints one v1 List for standard output: workloads, policies, Namespaces and Services, without values of applications. ' +
      `The other commands read the list as a FILE. ${INPUT.INPUT_DESCRIPTION}`,
    INPUT.CLUSTER_INPUT_DESCRIPTION,
  ],
  positionals: INPUT.CLUSTER_INPUT_FILES,
  flags: FLAGS,
  exitCodes: {
    0: 'The snapshot is complete.',
    2: 'An input cannot be read, so the snapshot lacks it, or the command line is wrong.',
  },
};
