import { CONTAINER_LISTS, DEFAULT_PROGRESS_DEADLINE_SECONDS } from './api-defaults.ts';
import { CONTAINER_RULES } from './container-rules.ts';
import { unlessOneOf, forbidden, MOST_CAUSES, notSupported, required, invalid, type ApiCause } from './api-cause.ts';
import { goLength, goObjects, goString, goInteger, isSet } from './go-values.ts';
import { FieldPlace } from '../../base/json/field-path.ts';
import { objectMember, type JsonObject } from '../../base/json/json-value.ts';

/**
 * The kind of object around a Pod spec, which decides about restartPolicy and ephemeral containers:
 * - `pod`: a Pod that is being created;
 * - `pod-update`: an existing Pod, which may have ephemeral containers;
 * - `forever`: the template of a Deployment, StatefulSet, DaemonSet, ReplicaSet or ReplicationController;
 * - `completion`: the template of a Job or CronJob;
 * - `template`: a PodTemplate, which takes any restartPolicy, or the template of a custom kind, whose own rules are not
 *   known here.
 */
export type PodSpecPlace = 'pod' | 'pod-update' | 'forever' | 'completion' | 'template';

/** The causes of one container, or of the Pod as a whole. */
export interface CauseGroup {
  /** The container's place; undefined for causes of the Pod spec itself. */
  readonly container: FieldPlace | undefined;
  readonly causes: readonly ApiCause[];
}

/**
 * Every cause for which the API server would refuse a Pod spec because of its probes, in the server's order and words
 * (Kubernetes 1.36 and the alpha fields of 1.37, pkg/apis/core/validation/validation.go, ValidatePodSpec). The rules
 * about ports, restart policies, hooks (which share the probes' handlers) and ephemeral containers belong to them.
 * Nothing else of a Pod is validated here.
 * @param podSpec after defaulting, and without a problem of the decode stage: members of the wrong type count as absent
 * @param podSpecPlace in its object: `spec`, `spec.template.spec`
 */
export function apiCauses(podSpec: JsonObject, podSpecPlace: FieldPlace, place: PodSpecPlace): CauseGroup[] {
  const groups: CauseGroup[] = [];
  let count = 0;
  for (const list of CONTAINER_LISTS) {
    const listPlace = podSpecPlace.at(list);
    let index = 0;
    for (const container of goObjects(podSpec, list)) {
      if (count >= MOST_CAUSES) break;
      const own = listPlace.at(index++);
      const causes = CONTAINER_RULES[list](container, own);
      if (causes.length > 0) groups.push({ container: own, causes });
      count += causes.length;
    }
  }
  const causes = podCauses(podSpec, podSpecPlace, place);
  if (causes.length > 0) groups.push({ container: undefined, causes });
  return groups;
}

function podCauses(podSpec: JsonObject, podSpecPlace: FieldPlace, place: PodSpecPlace): readonly ApiCause[] {
  const restartPolicy = goString(podSpec, 'restartPolicy');
  const field = podSpecPlace.at('restartPolicy');
  return [
    ...restartPolicyCauses(restartPolicy, field),
    ...ephemeralCauses(podSpec, podSpecPlace, place),
    ...templateRestartPolicyCauses(restartPolicy, field, place),
  ];
}

const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'];

/** validation.go, validateRestartPolicy. */
function restartPolicyCauses(policy: string, field: FieldPlace): readonly ApiCause[] {
  if (policy === '') return [required(field)];
  return unlessOneOf(policy, RESTART_POLICIES, field);
}

/** Ephemeral containers are added to a running Pod and never before (ValidatePodCreate, ValidatePodTemplateSpec). */
function ephemeralCauses(podSpec: JsonObject, podSpecPlace: FieldPlace, place: PodSpecPlace): readonly ApiCause[] {
  if (place === 'pod-update' || goLength(podSpec, 'ephemeralContainers') === 0) return [];
  const detail = place === 'pod' ? 'cannot be set on create' : 'ephemeral containers not allowed in pod template';
  return [forbidden(podSpecPlace.at('ephemeralContainers'), detail)];
}

/**
 * The restartPolicy that a template's owner demands: ReplicaSets and similar kinds want Always
 * (ValidatePodTemplateSpecForRS and its sisters), Jobs any other policy (pkg/apis/batch/validation, validateJobSpec).
 */
function templateRestartPolicyCauses(policy: string, field: FieldPlace, place: PodSpecPlace): readonly ApiCause[] {
  if (place === 'forever' && policy !== 'Always') return [notSupported(field, policy, ['Always'])];
  if (place !== 'completion') return [];
  if (policy === 'Always' || policy === '') return [required(field, 'valid values: "OnFailure", "Never"')];
  return RESTART_POLICIES.includes(policy) ? [] : [notSupported(field, policy, ['OnFailure', 'Never'])];
}

/** The progress deadline is above minReadySeconds (pkg/apis/apps/validation, ValidateDeploymentSpec). */
export function deploymentCauses(deployment: JsonObject): ApiCause[] {
  const spec = objectMember(deployment, 'spec') ?? {};
  const place = new FieldPlace(['spec'], 'progressDeadlineSeconds');
  const isGiven = isSet(spec, 'progressDeadlineSeconds');
  const deadline = isGiven ? goInteger(spec, 'progressDeadlineSeconds') : DEFAULT_PROGRESS_DEADLINE_SECONDS;
  const causes: ApiCause[] = [];
  if (deadline < 0) causes.push(invalid(place, deadline, 'must be greater than or equal to 0'));
  if (deadline <= goInteger(spec, 'minReadySeconds')) {
    causes.push(invalid(place, deadline, 'must be greater than minReadySeconds'));
  }
  return causes;
}
