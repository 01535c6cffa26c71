import { anyText, path, someText } from '../flags/value-types.ts';
import { optional, toggle } from '../flags/flag.ts';
import { INPUT_FILES, INPUT_FLAGS } from './input-flags.ts';
import type { Positionals } from '../flags/command-definition.ts';

const group = 'Flags for a cluster as the input';
const links = 'See [from a cluster](check.md#from-a-cluster).';

/** The flags of each command that reads manifests or a cluster. CLUSTER_FLAGS are the rest of them. */
export const CLUSTER_INPUT_FLAGS = {
  ...INPUT_FLAGS,
  namespace: optional({
    type: anyText('NAME'),
    short: 'n',
    summary: 'Namespace of objects that name no namespace. With a cluster: the namespace to read.',
    otherwise: 'default; with a cluster, the namespace of the context',
  }),
} as const;

/** The flags that choose a cluster. They come last in a command, because they are a group of their own. */
export const CLUSTER_FLAGS = {
  cluster: toggle({ summary: 'Read the cluster of the current context instead of files.', links, group }),
  context: optional({
    type: someText('CONTEXT'),
    summary: 'Read the cluster of this context of the kubeconfig instead of files.',
    otherwise: 'the current context',
    group,
  }),
  kubeconfig: optional({
    type: path('FILE', 'files'),
    summary: 'Read the cluster of this kubeconfig instead of files.',
    otherwise: 'the files of KUBECONFIG, or ~/.kube/config, or the service account of the Pod',
    group,
  }),
  'all-namespaces': toggle({ short: 'A', summary: 'Read all namespaces of the cluster instead of files.', group }),
} as const;

/** The manifests or the names of workloads that a command reads. A cluster needs no names. */
export const CLUSTER_INPUT_FILES: Positionals = {
  ...INPUT_FILES,
  replacedBy: ['cluster', 'context', 'kubeconfig', 'all-namespaces'],
};

/** The names that may take the place of FILE, for help. */
export const CLUSTER_INPUT_DESCRIPTION =
  'With --cluster, --context, --kubeconfig or -A the input is a cluster: all workloads of a namespace, or those that ' +
  'are named as with kubectl: deploy/web, statefulset web. Names such as deploy/web mean the cluster without a flag ' +
  'too, if there is no such file.';
