import { repeatable, toggle, withDefault, type CommandDefinition, type FlagValues } from '../flags/flag.ts';
import { choice, path, textThat } from '../flags/value-types.ts';
import { SERVED_SINCE } from '../../native/admission-kinds.ts';
import { CLUSTER_FLAGS } from '../input/input-flags.ts';
import { isDnsLabel } from '../../engine/policy/object-names.ts';

const FLAGS = {
  policies: repeatable(
    path('FILE|DIR', 'files'),
    'ProbePolicies, ClusterProbePolicies and Services: a YAML file, or a directory of them.',
    {
      links: 'See [policies in files](policies.md#policies-in-files).',
    },
  ),
  'from-cluster': toggle('Read the policies and Services of the cluster of the current context.', {
    details: 'Policies in files are the lowest layer, as in serve.',
  }),
  validate: toggle('Print a ValidatingAdmissionPolicy for floors Deny, too.', {
    details: 'The report names the floors that only the webhook enforces.',
  }),
  output: withDefault(choice(['yaml', 'json', 'none']), 'yaml', 'Format of the objects; none prints the report alone.'),
  report: withDefault(choice(['text', 'json', 'markdown']), 'text', 'Format of the report, on standard error.', {
    details: 'With --output none it is on standard output.',
  }),
  'allow-fewer': toggle('Print the objects although policies need what is not exported.'),
  'param-namespace': withDefault(
    textThat(isDnsLabel, 'the name of a namespace', 'NAME'),
    'probewright',
    'Namespace of the parameter for namespaces without policies of their own. It is exempt from injection.',
  ),
  context: CLUSTER_FLAGS.context,
  kubeconfig: CLUSTER_FLAGS.kubeconfig,
} as const;

/** A context or a kubeconfig means a cluster, as for other commands. */
export function isFromCluster(flags: FlagValues<typeof FLAGS>): boolean {
  return flags['from-cluster'] || flags.context !== undefined || flags.kubeconfig !== undefined;
}

export const EXPORT: CommandDefinition<typeof FLAGS> = {
  name: 'export',
  summary: 'Print policies as a MutatingAdmissionPolicy without a webhook',
  usage: '--policies FILE|DIR | --from-cluster [flags]',
  description: [
    `Prints a MutatingAdmissionPolicy for Kubernetes ${SERVED_SINCE.MutatingAdmissionPolicy} and newer, its bindings, and the policies as its parameters. ` +
      'Such a policy injects no probe that the webhook does not inject. A report says what it leaves out.',
  ],
  flags: FLAGS,
  conflicts: (flags) => [
    flags.policies.length === 0 &&
      !isFromCluster(flags) &&
      'name policies in files with --policies, or read those of a cluster with --from-cluster',
  ],
  exitCodes: {
    0: 'The objects are printed.',
    1:
      'A policy needs what is not exported, so no object is printed; --allow-fewer prints the objects. ' +
      'Or the cluster is too old.',
    2: 'A policy cannot be read, a namespace has too many layers, or the command line is wrong.',
  },
};
