import { DEFAULT_PROGRESS_DEADLINE_SECONDS } from './api-defaults.ts';
import { ApiStruct, type ApiCause } from './api-struct.ts';
import { checkLifecycle, checkPorts, checkProbes } from './probe-rules.ts';
import { PROBE_KINDS } from './probe.ts';
import { FieldPlace } from '../../base/json/field-path.ts';
import { objectMember, type JsonObject } from '../../base/json/json-value.ts';

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
  const causes: ApiCause[] = [];
  const pod = new ApiStruct(podSpec, podSpecPlace, causes);
  pod.each('containers', checkContainer);
  pod.each('initContainers', checkInitContainer);
  pod.each('ephemeralContainers', checkEphemeralContainer);
  // validateRestartPolicy.
  if (pod.string('restartPolicy') === '') pod.required('restartPolicy');
  else pod.oneOf('restartPolicy', ['Always', 'OnFailure', 'Never']);
  // Ephemeral containers are added to a running Pod and never before (ValidatePodCreate, ValidatePodTemplateSpec).
  if (place !== 'pod-update' && pod.length('ephemeralContainers') > 0) {
    const isPod = place === 'pod';
    const detail = isPod ? 'cannot be set on create' : 'ephemeral containers not allowed in pod template';
    pod.forbidden('ephemeralContainers', detail);
  }
  checkOwnerPolicy(pod, place);
  return causes;
}

/**
 * The restartPolicy that a template's owner demands: ReplicaSets and similar kinds want Always
 * (ValidatePodTemplateSpecForRS and its sisters), Jobs any other policy (pkg/apis/batch/validation, validateJobSpec).
 */
function checkOwnerPolicy(pod: ApiStruct, place: PodSpecPlace): void {
  if (place === 'forever') pod.oneOf('restartPolicy', ['Always']);
  if (place !== 'completion') return;
  if (['Always', ''].includes(pod.string('restartPolicy')))
    pod.required('restartPolicy', 'valid values: "OnFailure", "Never"');
  else pod.oneOf('restartPolicy', ['OnFailure', 'Never']);
}

/** validation.go, validateContainers. */
function checkContainer(container: ApiStruct): void {
  checkPorts(container);
  checkLifecycle(container);
  checkProbes(container);
  checkRestartPolicy(container);
}

/** A plain init container may have less than a sidecar (validation.go, validateInitContainers). */
function checkInitContainer(container: ApiStruct): void {
  checkPorts(container);
  checkRestartPolicy(container);
  if (container.string('restartPolicy') === 'Always') {
    checkLifecycle(container);
    checkProbes(container);
  } else
    // The API server refuses the fields without a look at their values.
    for (const field of ['lifecycle', ...PROBE_KINDS].filter((name) => container.isSet(name)))
      container.forbidden(field, 'may not be set for init containers without restartPolicy=Always');
}

/** What an ephemeral container may not have, in the order of core/v1 (validateFieldAllowList). */
const NOT_FOR_EPHEMERAL = [
  ...['ports', 'resources', 'resizePolicy', 'restartPolicy', 'restartPolicyRules'],
  ...['livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle'],
];

/** validation.go, validateEphemeralContainers. */
function checkEphemeralContainer(container: ApiStruct): void {
  checkPorts(container);
  for (const field of NOT_FOR_EPHEMERAL) {
    const inner = container.pointer(field);
    // `resources` is a struct and no pointer: empty resources look like absent ones.
    const isSet = field === 'resources' ? ['limits', 'requests', 'claims'].some((name) => inner?.isSet(name)) : inner;
    if (isSet) container.forbidden(field, 'cannot be set for an Ephemeral Container');
  }
}

/**
 * A container's own restartPolicy and the rules beside it (validation.go, validateContainerRestartPolicy). All three
 * policies are legal on every container since Kubernetes 1.35. An init container may have probes only with Always.
 */
function checkRestartPolicy(container: ApiStruct): void {
  if (container.isSet('restartPolicy')) container.oneOf('restartPolicy', ['Always', 'Never', 'OnFailure']);
  else if (container.length('restartPolicyRules') > 0)
    container.required('restartPolicy', 'must specify restartPolicy when restart rules are used');
  container.atMost('restartPolicyRules', 20);
  container.each('restartPolicyRules', (rule) => {
    rule.oneOf('action', ['Restart', 'RestartAllContainers']);
    const exitCodes = rule.pointer('exitCodes');
    if (exitCodes === undefined) rule.required('exitCodes', 'must be specified');
    exitCodes?.oneOf('operator', ['In', 'NotIn']);
    exitCodes?.atMost('values', 255);
  });
}

/** The progress deadline is above minReadySeconds (pkg/apis/apps/validation, ValidateDeploymentSpec). */
export function deploymentCauses(deployment: JsonObject): ApiCause[] {
  const causes: ApiCause[] = [];
  const field = 'progressDeadlineSeconds';
  const spec = new ApiStruct(objectMember(deployment, 'spec') ?? {}, new FieldPlace([], 'spec'), causes);
  const deadline = spec.isSet(field) ? spec.integer(field) : DEFAULT_PROGRESS_DEADLINE_SECONDS;
  if (deadline < 0) spec.invalid(field, deadline, 'must be greater than or equal to 0');
  if (deadline <= spec.integer('minReadySeconds'))
    spec.invalid(field, deadline, 'must be greater than minReadySeconds');
  return causes;
}
