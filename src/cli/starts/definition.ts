import { withDefault, type CommandDefinition } from '../flags/flag.ts';
import { choice } from '../flags/value-types.ts';
import * as INPUT from '../input/input-flags.ts';

const FLAGS = {
  ...INPUT.CLUSTER_INPUT_FLAGS,
  output: withDefault(choice(['text', 'json']), 'text', 'text prints a table; json prints the figures for programs.'),
  ...INPUT.CLUSTER_FLAGS,
} as const;

export const STARTS: CommandDefinition<typeof FLAGS> = {
  name: 'starts',
  summary: 'Print how long containers take to start',
  usage: '[FILE...] [flags]',
  description: [
    'Prints how long the containers of workloads take to start, in seconds: from StartupProfiles, which the observer ' +
      'writes, or from Pods, such as `kubectl get pods -o json | probewright starts -`. One look at a Pod tells less ' +
      'than the observer: only Pods count that never restarted and have one container with probes.',
    INPUT.CLUSTER_INPUT_DESCRIPTION,
  ],
  positionals: INPUT.CLUSTER_INPUT_FILES,
  flags: FLAGS,
  exitCodes: {
    0: 'The start times are printed, also when none are known.',
    2: 'An input cannot be read, or the command line is wrong.',
  },
};
