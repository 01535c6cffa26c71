import { OPTIONAL_MEMBER, REQUIRED_MEMBERS, BASELINE_VERSION } from '../../src/cli/baseline/baseline-file.ts';
import { POD_TEMPLATE_PATH } from '../../src/sources/workload-kinds.ts';
import type { JsonSchema } from './json-schema.ts';

/** The file of `--workload-kinds`. */
export const WORKLOAD_KINDS_SCHEMA: JsonSchema = {
  description: 'Custom kinds with Pod templates, for --workload-kinds.',
  type: 'array',
  items: {
    description: 'One custom kind. A kind with several Pod templates has an entry for each.',
    type: 'object',
    required: ['group', 'kind', 'podTemplatePath'],
    properties: {
      group: { description: 'The API group, such as argoproj.io.', type: 'string' },
      kind: { description: 'The kind, such as Rollout.', type: 'string' },
      podTemplatePath: {
        description: 'The path of the Pod template, such as spec.template. * is every element of a list.',
        type: 'string',
        pattern: POD_TEMPLATE_PATH.source,
      },
      runsToCompletion: { description: 'True if the Pods are meant to end. Default false.', type: 'boolean' },
    },
    additionalProperties: false,
  },
};

const MEMBER_TEXTS: Readonly<Record<string, string>> = {
  check: 'The id of the check.',
  kind: 'The kind of the workload.',
  namespace: 'The namespace of the workload. Empty for objects without namespace.',
  name: 'The name of the workload.',
  container: 'The name of the container. Empty for findings about the whole Pod.',
  probe: 'The probe, such as livenessProbe. Absent for findings about the container.',
};

/** The file of `--baseline` and `--write-baseline`. */
export const BASELINE_SCHEMA: JsonSchema = {
  description: 'Known findings of probewright check, written by --write-baseline.',
  type: 'object',
  required: ['version', 'findings'],
  properties: {
    version: { description: 'The version of the format.', const: BASELINE_VERSION },
    findings: {
      description: 'The known findings. One entry hides one finding.',
      type: 'array',
      items: {
        description: 'One known finding.',
        type: 'object',
        required: REQUIRED_MEMBERS,
        properties: Object.fromEntries(
          [...REQUIRED_MEMBERS, OPTIONAL_MEMBER].map((name) => [
            name,
            { description: MEMBER_TEXTS[name], type: 'string' },
          ]),
        ),
        additionalProperties: false,
      },
    },
  },
  additionalProperties: false,
};
