import { repeatable, toggle, withDefault, type CommandDefinition } from '../flags/flag.ts';
import { choice, path, textThat } from '../flags/value-types.ts';
import { isDnsLabel } from '../../engine/policy/object-names.ts';

const FLAGS = {
  policies: repeatable(
    path('FILE|DIR', 'files'),
    'ProbePolicies, ClusterProbePolicies and Services: a YAML file, or a directory of them.',
    {
      links: 'See [policies in files](policies.md#policies-in-files).',
    },
  ),
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
} as const;

export const EXPORT: CommandDefinition<typeof FLAGS> = {
  name: 'export',
  summary: 'Print policies as a MutatingAdmissionPolicy without a webhook',
  usage: '--policies FILE|DIR [flags]',
  description: [
    'Prints a MutatingAdmissionPolicy for Kubernetes 1.36 and newer, its bindings, and the policies as its parameters. ' +
      'Such a policy injects no probe that the webhook does not inject. A report says what it leaves out.',
  ],
  flags: FLAGS,
  conflicts: ({ policies }) => [policies.length === 0 && '--policies: name the policies'],
  exitCodes: {
    0: 'The objects are printed.',
    1: 'A policy needs what is not exported, so no object is printed; --allow-fewer prints the objects.',
    2: 'A policy cannot be read, a namespace has too many layers, or the command line is wrong.',
  },
};
