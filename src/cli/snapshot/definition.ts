import {
  CLUSTER_FLAGS,
  CLUSTER_INPUT_DESCRIPTION,
  CLUSTER_INPUT_FILES,
  CLUSTER_INPUT_FLAGS,
  INPUT_DESCRIPTION,
} from '../input/input-flags.ts';
import type { CommandDefinition } from '../flags/flag.ts';

/** Policies in files are inputs like all others. */
const FLAGS = {
  namespace: CLUSTER_INPUT_FLAGS.namespace,
  'workload-kinds': CLUSTER_INPUT_FLAGS['workload-kinds'],
  exclude: CLUSTER_INPUT_FLAGS.exclude,
  verbose: CLUSTER_INPUT_FLAGS.verbose,
  'render-charts': CLUSTER_INPUT_FLAGS['render-charts'],
  'allow-remote-bases': CLUSTER_INPUT_FLAGS['allow-remote-bases'],
  ...CLUSTER_FLAGS,
} as const;

export const SNAPSHOT: CommandDefinition<typeof FLAGS> = {
  name: 'snapshot',
  summary: 'Print what plan and check need of a cluster, as one file',
  usage: '[FILE...] [flags]',
  description: [
    'Prints one v1 List for standard output: workloads, policies, Namespaces and Services, without values of applications. ' +
      `The other commands read the list as a FILE. ${INPUT_DESCRIPTION}`,
    CLUSTER_INPUT_DESCRIPTION,
  ],
  positionals: CLUSTER_INPUT_FILES,
  flags: FLAGS,
  exitCodes: [
    { code: 0, meaning: 'The snapshot is complete.' },
    { code: 2, meaning: 'An input cannot be read, so the snapshot lacks it, or the command line is wrong.' },
  ],
};
