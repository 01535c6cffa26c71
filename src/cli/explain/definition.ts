import { optional, toggle, withDefault, type CommandDefinition } from '../flags/flag.ts';
import { choice, durationValue, path } from '../flags/value-types.ts';
import * as INPUT from '../input/input-flags.ts';

const FLAGS = {
  ...INPUT.CLUSTER_INPUT_FLAGS,
  output: withDefault(
    choice(['text', 'json', 'svg']),
    'text',
    'text prints a summary, or with --details tables and timelines; json prints figures and fields for programs; ' +
      'svg writes one picture for each workload, and an overview of several.',
  ),
  wait: optional(
    durationValue(3_600_000),
    'Follow the rollout of a Deployment, StatefulSet or DaemonSet of a cluster for so long, and print its verdict.',
    { details: 'It ends as soon as a cause is certain.', otherwise: 'nothing is awaited' },
  ),
  details: toggle('Print all figures, their formulas and timelines, in place of the summary.'),
  fields: toggle('Print what set each field of the probes, instead of times. JSON always has it.'),
  'output-dir': optional(path('DIR', 'directories'), 'Directory for pictures.', {
    details: 'It is created if it is missing.',
    otherwise: 'the working directory',
  }),
  ...INPUT.CLUSTER_FLAGS,
} as const;

export const EXPLAIN: CommandDefinition<typeof FLAGS> = {
  name: 'explain',
  summary: 'Print what probes mean in seconds, as tables or pictures',
  usage: 'FILE... [flags]',
  description: [
    'Prints what the probes of manifests mean in seconds, in a few lines a container: how long a container has to ' +
      'start, when it is killed, when it gets no traffic. ' +
      `Probes that policies add are included. ${INPUT.INPUT_DESCRIPTION}`,
    INPUT.CLUSTER_INPUT_DESCRIPTION,
  ],
  positionals: INPUT.CLUSTER_INPUT_FILES,
  flags: FLAGS,
  exitCodes: {
    0: 'All workloads are explained; with --wait: the rollout is complete.',
    1: 'With --wait: the rollout is not complete in time, or it is certain that it will not be.',
    2: 'An input cannot be read, a picture cannot be written, the wait was interrupted, or the command line is wrong.',
  },
  conflicts: ({ output, details, fields, wait, 'output-dir': directory }) => [
    ...(wait !== undefined && (details || fields || output !== 'text') ? ['--wait: prints the verdict alone'] : []),
    ...(details && (fields || output !== 'text')
      ? [`--details: ${fields ? '--fields prints no times' : `--output ${output} has all details`}; leave one out`]
      : []),
    ...(output !== 'svg' && directory !== undefined ? ['--output-dir: pictures need --output svg'] : []),
    ...(output === 'svg' && fields ? ['--fields: pictures show no fields; write --output text or json'] : []),
  ],
};
