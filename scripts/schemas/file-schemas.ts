import { OPTIONAL_MEMBER, REQUIRED_MEMBERS, BASELINE_VERSION } from '../../src/cli/check/baseline.ts';
import { FUNCTION_KIND, KRM_MODES } from '../../src/cli/krm/function-config.ts';
import { POLICY_API_VERSION } from '../../src/engine/policy/object-names.ts';
import { POD_TEMPLATE_PATH } from '../../src/cluster/sources/workload-kinds.ts';
import { PROJECT_FIELDS } from '../../src/cli/input/project-file.ts';
import { openApiSchema } from '../crds/print-field.ts';
import { jsonSchema, type JsonSchema } from './json-schema.ts';

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

/** The project file. */
export const PROJECT_SCHEMA: JsonSchema = jsonSchema(openApiSchema(PROJECT_FIELDS, ''));

/** The functionConfig of `probewright krm-function`. */
export const FUNCTION_SCHEMA: JsonSchema = {
  description: 'What Probewright does as a function of kustomize or kpt.',
  type: 'object',
  required: ['apiVersion', 'kind'],
  properties: {
    apiVersion: { description: 'The version of the API.', const: POLICY_API_VERSION },
    kind: { description: 'The kind of the object.', const: FUNCTION_KIND },
    metadata: { description: 'The name, and the annotation that names the program for kustomize.', type: 'object' },
    spec: {
      description: 'What the function does. Every field may be left out.',
      type: 'object',
      properties: {
        mode: { description: 'check reports findings; fix writes probes. Default check.', enum: KRM_MODES },
        advice: { description: 'With fix: also apply the advice of checks. Default false.', type: 'boolean' },
        strict: { description: 'With check: warnings fail too. Default false.', type: 'boolean' },
        namespace: { description: 'The namespace of objects that name none. Default default.', type: 'string' },
        now: { description: 'The instant of the verdict, such as 2027-01-31T00:00:00Z.', type: 'string' },
        policies: {
          description: 'Policies, in addition to policies among the objects.',
          type: 'array',
          items: { description: 'One policy.', type: 'object' },
        },
      },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
};
