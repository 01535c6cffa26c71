import { CONTAINER_LISTS } from './api-defaults.ts';
import { CONTAINER_RULES } from './container-rules.ts';
import { forbidden, MOST_CAUSES, notSupported, required } from './api-cause.ts';
import { goLength, goObjects, goString } from './go-values.ts';
import type { ApiCause } from './api-cause.ts';
import type { JsonObject } from './json.ts';

/**
 * Where a Pod spec stands, which decides about restartPolicy and ephemeral containers:
 * - `pod`: a Pod that is being created;
 * - `pod-update`: a Pod that is there already and may have ephemeral containers;
 * - `forever`: the template of a Deployment, StatefulSet, DaemonSet, ReplicaSet or ReplicationController;
 * - `completion`: the template of a Job or CronJob;
 * - `template`: the template of a custom kind, whose own rules nobody here knows.
 */
export type PodSpecPlace = 'pod' | 'pod-update' | 'forever' | 'completion' | 'template';

/** The causes of one container, or of the Pod as a whole. */
export interface CauseGroup {
  /** The container's own path, `spec.containers[0]`; undefined for what is wrong with the Pod spec itself. */
  readonly container: string | undefined;
  readonly causes: readonly ApiCause[];
}

/**
 * Every cause for which the API server would refuse a Pod spec because of its probes, in its order and its words (Kubernetes 1.36,
 * pkg/apis/core/validation/validation.go, ValidatePodSpec). With them go the rules about what probes lean on: ports, restart policies,
 * hooks (which share the probes' handlers), and ephemeral containers. Nothing else of a Pod is validated here.
 *
 * @param podSpec after defaulting, and without a problem of the decode stage: members of the wrong type count as absent
 * @param podSpecPath where it stands in its object: `spec`, `spec.template.spec`
 */
export function apiCauses(podSpec: JsonObject, podSpecPath: string, place: PodSpecPlace): CauseGroup[] {
  const groups: CauseGroup[] = [];
  let count = 0;
  for (const list of CONTAINER_LISTS) {
    for (const [index, container] of goObjects(podSpec, list).entries()) {
      if (count >= MOST_CAUSES) break;
      const path = `${podSpecPath}.${list}[${index}]`;
      const causes = CONTAINER_RULES[list](container, path);
      if (causes.length > 0) groups.push({ container: path, causes });
      count += causes.length;
    }
  }
  const causes = podCauses(podSpec, podSpecPath, place);
  if (causes.length > 0) groups.push({ container: undefined, causes });
  return groups;
}

function podCauses(podSpec: JsonObject, path: string, place: PodSpecPlace): ApiCause[] {
  const restartPolicy = goString(podSpec, 'restartPolicy');
  return [
    ...restartPolicyCauses(restartPolicy, `${path}.restartPolicy`),
    ...ephemeralCauses(podSpec, `${path}.ephemeralContainers`, place),
    ...templateRestartPolicyCauses(restartPolicy, `${path}.restartPolicy`, place),
  ];
}

const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'];

/** validation.go, validateRestartPolicy. */
function restartPolicyCauses(policy: string, path: string): ApiCause[] {
  if (policy === '') return [required(path)];
  return RESTART_POLICIES.includes(policy) ? [] : [notSupported(path, policy, RESTART_POLICIES)];
}

/** Ephemeral containers are added to a running Pod and never before (ValidatePodCreate, ValidatePodTemplateSpec). */
function ephemeralCauses(podSpec: JsonObject, path: string, place: PodSpecPlace): ApiCause[] {
  if (place === 'pod-update' || goLength(podSpec, 'ephemeralContainers') === 0) return [];
  const detail = place === 'pod' ? 'cannot be set on create' : 'ephemeral containers not allowed in pod template';
  return [forbidden(path, detail)];
}

/**
 * What a template's owner asks of restartPolicy: ReplicaSets and their like want Always (ValidatePodTemplateSpecForRS and its sisters),
 * Jobs anything else (pkg/apis/batch/validation, validateJobSpec).
 */
function templateRestartPolicyCauses(policy: string, path: string, place: PodSpecPlace): ApiCause[] {
  if (place === 'forever' && policy !== 'Always') return [notSupported(path, policy, ['Always'])];
  if (place !== 'completion') return [];
  if (policy === 'Always' || policy === '') return [required(path, 'valid values: "OnFailure", "Never"')];
  return RESTART_POLICIES.includes(policy) ? [] : [notSupported(path, policy, ['OnFailure', 'Never'])];
}
