import { CONTAINER_LISTS, DEFAULT_PROGRESS_DEADLINE_SECONDS, type ContainerList } from './api-defaults.ts';
import { ApiStruct, MOST_CAUSES, type ApiCause } from './api-struct.ts';
import { containerPortsCauses, lifecycleCauses, probesCauses } from './probe-rules.ts';
import { PROBE_KINDS } from './probe.ts';
import { FieldPlace } from '../../base/json/field-path.ts';
import { objectMember, type JsonObject } from '../../base/json/json-value.ts';

type Causes = readonly ApiCause[];

/**
 * What is around a Pod spec: a Pod that is created or exists (`pod-update` may have ephemeral containers), the template
 * of a kind whose Pods run `forever` (Deployment) or to `completion` (Job), or any other `template`, which takes any
 * restartPolicy.
 */
export type PodSpecPlace = 'pod' | 'pod-update' | 'forever' | 'completion' | 'template';

/**
 * Every cause for which the API server would refuse a Pod spec because of its probes, in the server's order and words
 * (Kubernetes 1.36 and the alpha fields of 1.37, pkg/apis/core/validation/validation.go, ValidatePodSpec), with the
 * rules about ports, restart policies, hooks and ephemeral containers that belong to them.
 * @param podSpec after defaulting, and without a problem of the decode stage: members of the wrong type count as absent
 */
export function apiCauses(podSpec: JsonObject, podSpecPlace: FieldPlace, place: PodSpecPlace): ApiCause[] {
  const pod = new ApiStruct(podSpec, podSpecPlace);
  const causes: ApiCause[] = [];
  for (const list of CONTAINER_LISTS)
    causes.push(...pod.each(list, CONTAINER_RULES[list], MOST_CAUSES - causes.length));
  causes.push(...podPolicyCauses(pod), ...ephemeralCauses(pod, place), ...ownerPolicyCauses(pod, place));
  return causes;
}

const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'];

/** validation.go, validateRestartPolicy. */
function podPolicyCauses(pod: ApiStruct): Causes {
  const isEmpty = pod.string('restartPolicy') === '';
  return isEmpty ? [pod.required('restartPolicy')] : pod.oneOf('restartPolicy', RESTART_POLICIES);
}

/** Ephemeral containers are added to a running Pod and never before (ValidatePodCreate, ValidatePodTemplateSpec). */
function ephemeralCauses(pod: ApiStruct, place: PodSpecPlace): Causes {
  if (place === 'pod-update' || pod.length('ephemeralContainers') === 0) return [];
  const detail = place === 'pod' ? 'cannot be set on create' : 'ephemeral containers not allowed in pod template';
  return [pod.forbidden('ephemeralContainers', detail)];
}

/**
 * The restartPolicy that a template's owner demands: ReplicaSets and similar kinds want Always
 * (ValidatePodTemplateSpecForRS and its sisters), Jobs any other policy (pkg/apis/batch/validation, validateJobSpec).
 */
function ownerPolicyCauses(pod: ApiStruct, place: PodSpecPlace): Causes {
  if (place === 'forever') return pod.oneOf('restartPolicy', ['Always']);
  if (place !== 'completion') return [];
  if (['Always', ''].includes(pod.string('restartPolicy')))
    return [pod.required('restartPolicy', 'valid values: "OnFailure", "Never"')];
  return pod.oneOf('restartPolicy', ['OnFailure', 'Never']);
}

/** The rules for one container, by its list in the Pod spec. */
const CONTAINER_RULES: Readonly<Record<ContainerList, (container: ApiStruct) => Causes>> = {
  /** validation.go, validateContainers. */
  containers: (container) => [
    ...containerPortsCauses(container),
    ...lifecycleCauses(container),
    ...probesCauses(container),
    ...restartPolicyCauses(container),
  ],
  /** A plain init container may have less than a sidecar (validation.go, validateInitContainers). */
  initContainers: (container) => [
    ...containerPortsCauses(container),
    ...restartPolicyCauses(container),
    ...(container.string('restartPolicy') === 'Always'
      ? [...lifecycleCauses(container), ...probesCauses(container)]
      : NOT_FOR_INIT.filter((field) => container.isSet(field)).map((field) =>
          container.forbidden(field, 'may not be set for init containers without restartPolicy=Always'),
        )),
  ],
  /** validation.go, validateEphemeralContainers. */
  ephemeralContainers: (container) => [
    ...containerPortsCauses(container),
    ...NOT_FOR_EPHEMERAL.filter((field) => isForbiddenlySet(container, field)).map((field) =>
      container.forbidden(field, 'cannot be set for an Ephemeral Container'),
    ),
  ],
};

/** The API server refuses the fields without a look at their values. */
const NOT_FOR_INIT = ['lifecycle', ...PROBE_KINDS];

/** What an ephemeral container may not have, in the order of core/v1 (validateFieldAllowList). */
const NOT_FOR_EPHEMERAL = [
  ...['ports', 'resources', 'resizePolicy', 'restartPolicy', 'restartPolicyRules'],
  ...['livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle'],
];

/** `resources` is a struct and no pointer: empty resources look like absent ones. */
function isForbiddenlySet(container: ApiStruct, field: string): boolean {
  if (field !== 'resources') return container.isSet(field);
  const resources = container.pointer(field);
  return ['limits', 'requests', 'claims'].some((member) => resources?.isSet(member));
}

/**
 * A container's own restartPolicy and the rules beside it (validation.go, validateContainerRestartPolicy). All three
 * policies are legal on every container since Kubernetes 1.35. An init container may have probes only with Always.
 */
function restartPolicyCauses(container: ApiStruct): Causes {
  const hasRules = container.length('restartPolicyRules') > 0;
  const missing = 'must specify restartPolicy when restart rules are used';
  return [
    ...(container.isSet('restartPolicy')
      ? container.oneOf('restartPolicy', ['Always', 'Never', 'OnFailure'])
      : hasRules
        ? [container.required('restartPolicy', missing)]
        : []),
    ...container.atMost('restartPolicyRules', 20),
    ...container.each('restartPolicyRules', (rule) => [
      ...rule.oneOf('action', ['Restart', 'RestartAllContainers']),
      ...exitCodesCauses(rule),
    ]),
  ];
}

function exitCodesCauses(rule: ApiStruct): Causes {
  const exitCodes = rule.pointer('exitCodes');
  if (exitCodes === undefined) return [rule.required('exitCodes', 'must be specified')];
  return [...exitCodes.oneOf('operator', ['In', 'NotIn']), ...exitCodes.atMost('values', 255)];
}

/** The progress deadline is above minReadySeconds (pkg/apis/apps/validation, ValidateDeploymentSpec). */
export function deploymentCauses(deployment: JsonObject): ApiCause[] {
  const field = 'progressDeadlineSeconds';
  const spec = new ApiStruct(objectMember(deployment, 'spec') ?? {}, new FieldPlace([], 'spec'));
  const deadline = spec.isSet(field) ? spec.integer(field) : DEFAULT_PROGRESS_DEADLINE_SECONDS;
  return [
    ...(deadline < 0 ? [spec.invalid(field, deadline, 'must be greater than or equal to 0')] : []),
    ...(deadline <= spec.integer('minReadySeconds')
      ? [spec.invalid(field, deadline, 'must be greater than minReadySeconds')]
      : []),
  ];
}
