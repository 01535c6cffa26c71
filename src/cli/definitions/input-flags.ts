import { anyText, instant, path, someText } from '../flags/value-types.ts';
import { optional, repeatable, toggle, withDefault } from '../flags/flag.ts';
import type { Positionals } from '../flags/command-definition.ts';

/** The flags of each command that reads manifests, for src/cli/input/inputs.ts. */
export const INPUT_FLAGS = {
  policies: optional({
    type: path('FILE|DIR', 'files'),
    summary: 'ProbePolicies and ClusterProbePolicies: a YAML file, or a directory of them.',
    details: 'Policies among the manifests count too.',
    links: 'See [policies in files](policies.md#policies-in-files).',
  }),
  namespace: withDefault({
    type: anyText('NAME'),
    short: 'n',
    default: 'default',
    summary: 'Namespace of objects that name no namespace.',
  }),
  'workload-kinds': optional({
    type: path('FILE', 'files'),
    summary: 'Custom kinds with Pod templates: a YAML list of { group, kind, podTemplatePath }.',
    otherwise: 'ready-made kinds',
    links: 'See [custom kinds](checks.md#custom-kinds).',
  }),
  now: optional({
    type: instant(),
    summary: 'Judge as at this instant, such as 2027-01-31T00:00:00Z.',
    details: 'Exceptions end at an instant.',
    otherwise: 'the current time',
  }),
  exclude: repeatable({
    type: someText('GLOB'),
    summary: 'Files and directories to leave out.',
    details: 'node_modules and names that start with a dot are always left out.',
    links: 'See [excluded files](check.md#excluded-files).',
  }),
  'render-charts': toggle({
    summary: 'Render charts with helm, and kustomizations with kubectl.',
    links: 'See [charts and kustomizations](check.md#charts-and-kustomizations).',
  }),
  'allow-remote-bases': toggle({
    summary: 'With --render-charts: let kustomize download the remote bases of kustomizations.',
    links: 'See [remote bases](check.md#remote-bases).',
  }),
} as const;

/** The manifests that a command reads. */
export const INPUT_FILES: Positionals = {
  name: 'FILE',
  minimum: 1,
  maximum: Infinity,
  suggestions: 'files',
  missing: 'name at least one file or directory, or - for standard input',
};

/** The meaning of FILE, for help. */
export const INPUT_DESCRIPTION =
  'FILE is a file, a directory, or - for standard input. Policies and Namespaces may be among the manifests.';
