import { optional, repeatable, withDefault, type CommandDefinition } from '../flags/flag.ts';
import { choice, path, textThat } from '../flags/value-types.ts';
import * as INPUT from '../input/input-flags.ts';
import { COLOUR_FLAG } from '../output/screen.ts';

const POLICY = textThat(
  (text) => /^(?:(?:ProbePolicy|ProbeException)\/[^/]+\/[^/]+|ClusterProbePolicy\/[^/]+)$/.test(text),
  'ProbePolicy/NAMESPACE/NAME, ProbeException/NAMESPACE/NAME or ClusterProbePolicy/NAME',
  'POLICY',
);

const CHANGE_FLAGS = {
  policies: optional(path('FILE|DIR', 'files'), 'The new policies: a YAML file, or a directory of them.', {
    details: 'They are applied over the old policies, object by object.',
    links: 'See [old and new](#old-and-new).',
  }),
  from: optional(path('FILE|DIR', 'files'), 'The old policies: a YAML file, or a directory of them.', {
    details: 'Policies among the manifests are old policies too.',
    otherwise: 'none; with a cluster, the policies of the cluster',
  }),
  remove: repeatable(
    POLICY,
    'Remove ProbePolicy/NAMESPACE/NAME, ProbeException/NAMESPACE/NAME or ClusterProbePolicy/NAME.',
  ),
} as const;

const FLAGS = {
  // The change comes first in help. Its --policies replaces that of other commands.
  ...CHANGE_FLAGS,
  ...INPUT.CLUSTER_INPUT_FLAGS,
  policies: CHANGE_FLAGS.policies,
  output: withDefault(choice(['text', 'json', 'markdown']), 'text', 'Format of the plan.', {
    links: 'See [formats](#formats-of-a-plan).',
  }),
  'fail-on': withDefault(choice(['denied', 'warned', 'any']), 'any', 'The effects for which the exit code is 1.', {
    links: 'See [exit codes](#exit-codes-of-a-plan).',
  }),
  color: COLOUR_FLAG,
  ...INPUT.CLUSTER_FLAGS,
} as const;

export const PLAN: CommandDefinition<typeof FLAGS> = {
  name: 'plan',
  summary: 'Print what a change of policies does to workloads',
  usage: '--policies NEW [--from OLD] [FILE...] [flags]',
  description: [
    `Prints what a change of policies does to workloads: other probes, and violations that appear or disappear. ${INPUT.INPUT_DESCRIPTION}`,
    INPUT.CLUSTER_INPUT_DESCRIPTION,
  ],
  positionals: INPUT.CLUSTER_INPUT_FILES,
  flags: FLAGS,
  conflicts: ({ policies, remove }) =>
    policies === undefined && remove.length === 0
      ? ['--policies: name the new policies, or name a policy that is removed with --remove']
      : [],
  exitCodes: {
    0: 'There is no effect that --fail-on names.',
    1: 'There is such an effect.',
    2: 'An input cannot be read, a removed policy is unknown, or the command line is wrong.',
  },
};
