import { inGroup, optional, repeatable, toggle, withDefault, type Positionals } from '../flags/flag.ts';
import { PROCESS_FLAGS } from '../process/process-flags.ts';
import { anyText, choice, instant, path, someText, textThat } from '../flags/value-types.ts';

/** A minor release of Kubernetes, with or without the patch. */
export const KUBERNETES_VERSION = /^v?1\.\d{1,3}(?:\.\d{1,3})?$/;

/** The flags of each command that reads manifests, for src/cli/input/read-inputs.ts. */
export const INPUT_FLAGS = {
  policies: optional(
    path('FILE|DIR', 'files'),
    'ProbePolicies and ClusterProbePolicies: a YAML file, or a directory of them.',
    {
      details: 'Policies among the manifests count too.',
      links: 'See [policies in files](policies.md#policies-in-files).',
    },
  ),
  namespace: withDefault(anyText('NAME'), 'default', 'Namespace of objects that name no namespace.', { short: 'n' }),
  'workload-kinds': PROCESS_FLAGS['workload-kinds'],
  now: optional(instant(), 'Judge as at this instant, such as 2027-01-31T00:00:00Z.', {
    details: 'Exceptions end at an instant.',
    otherwise: 'the current time',
  }),
  exclude: repeatable(someText('GLOB'), 'Files and directories to leave out.', {
    details: 'node_modules and names that start with a dot are always left out.',
    links: 'See [excluded files](commands.md#excluded-files).',
  }),
  verbose: toggle('List the files below directories that are passed over, because they are no manifests.'),
  'project-file': optional(path('FILE', 'files'), 'Read this project file, with paths from the working directory.', {
    otherwise: '.probewright.yaml of the working directory, or the nearest above in the repository',
    links: 'See [project file](commands.md#project-file).',
  }),
  'no-project-file': toggle("Read no project file, for jobs that judge a stranger's change."),
  'no-render-charts': toggle('Do not render charts with helm, nor kustomizations with kustomize or kubectl.', {
    links: 'See [charts and kustomizations](commands.md#charts-and-kustomizations).',
  }),
  values: repeatable(path('FILE', 'files'), 'Values for the charts among the inputs, as for helm.', {
    details: 'A later file wins.',
  }),
  set: repeatable(
    textThat((text) => /^[^=]+=/.test(text), 'KEY=VALUE', 'KEY=VALUE'),
    'A value for the charts among the inputs, over the values of files.',
  ),
  'kubernetes-version': optional(
    textThat((text) => KUBERNETES_VERSION.test(text), 'a version such as 1.33', 'VERSION'),
    'The Kubernetes version that charts are rendered for, such as 1.33.',
    {
      details: 'API versions that only a later release removes cause no warning.',
      otherwise: 'the version that helm assumes; the newest removals',
    },
  ),
  'allow-remote-bases': toggle('Let kustomize download the remote bases of kustomizations.', {
    links: 'See [remote bases](commands.md#remote-bases).',
  }),
} as const;

export const INPUT_FILES: Positionals = {
  name: 'FILE',
  minimum: 1,
  maximum: Infinity,
  suggestions: 'files',
  missing: 'name at least one file or directory, or - for standard input',
};

export const INPUT_DESCRIPTION =
  'FILE is a file, a directory, or - for standard input. Policies and Namespaces may be among the manifests.';

/** The flags of each command that reads manifests or a cluster. CLUSTER_FLAGS are the rest of them. */
export const CLUSTER_INPUT_FLAGS = {
  ...INPUT_FLAGS,
  namespace: optional(
    anyText('NAME'),
    'Namespace of objects that name no namespace. With a cluster: the namespace to read.',
    { short: 'n', otherwise: 'default; with a cluster, the namespace of the context' },
  ),
  tier: optional(
    choice(['webhook', 'native']),
    'What injects the probes of policies: the webhook, or the native policy that export prints, which injects fewer.',
    {
      otherwise: 'webhook; with a cluster, what the cluster has',
      links: 'See [which tier injects](native.md#which-tier-injects).',
    },
  ),
} as const;

/** The flags that choose a cluster. They come last in a command, because they are a group of their own. */
export const CLUSTER_FLAGS = inGroup('Flags for a cluster as the input', {
  cluster: toggle('Read the cluster of the current context instead of files.', {
    links: 'See [from a cluster](commands.md#from-a-cluster).',
  }),
  context: optional(someText('CONTEXT'), 'Read the cluster of this context of the kubeconfig instead of files.', {
    otherwise: 'the current context',
  }),
  kubeconfig: optional(path('FILE', 'files'), 'Read the cluster of this kubeconfig instead of files.', {
    otherwise: 'the files of KUBECONFIG, or ~/.kube/config, or the service account of the Pod',
  }),
  'all-namespaces': toggle('Read all namespaces of the cluster instead of files.', { short: 'A' }),
});

/** The manifests or the names of workloads that a command reads. A cluster needs no names. */
export const CLUSTER_INPUT_FILES: Positionals = {
  ...INPUT_FILES,
  replacedBy: ['cluster', 'context', 'kubeconfig', 'all-namespaces', 'namespace'],
  missing: `${INPUT_FILES.missing}; or -A, -n NAMESPACE or --cluster for a cluster`,
};

export const CLUSTER_INPUT_DESCRIPTION =
  'With --cluster, --context, --kubeconfig or -A, and with -n alone, the input is a cluster: all workloads of a ' +
  'namespace, or those that are named as with kubectl: deploy/web, statefulset web. Names such as deploy/web mean the ' +
  'cluster without a flag too, if there is no such file. So does kubectl probewright without a file.';
