import { isJsonObject, listMember, member, objectMember, type JsonObject } from '../../base/json/json-value.ts';
import { DEFAULT_POD_GRACE_SECONDS } from '../probe/api-defaults.ts';

const FIELD = 'terminationGracePeriodSeconds';

/** The Pod's grace period in seconds; undefined when its value is malformed. */
export function podGraceSeconds(podSpec: JsonObject): number | undefined {
  const value = member(podSpec, FIELD) ?? DEFAULT_POD_GRACE_SECONDS;
  return isSeconds(value) ? value : undefined;
}

/** The probe's own grace period in seconds; 'absent' when the Pod's counts, undefined when its value is malformed. */
export function probeGraceSeconds(probe: JsonObject): number | 'absent' | undefined {
  const value = member(probe, FIELD) ?? undefined;
  if (value === undefined) return 'absent';
  return isSeconds(value) && value > 0 ? value : undefined;
}

/**
 * The grace period that a startup probe takes over from the liveness probe. Undefined where the Pod's counts, and
 * where the liveness probe's is longer than the Pod's, which is a mistake (grace-period).
 */
export function startupGraceSeconds(
  own: number | 'absent' | undefined,
  pod: { readonly graceSeconds: number | undefined },
): number | undefined {
  return typeof own !== 'number' || pod.graceSeconds === undefined || own > pod.graceSeconds ? undefined : own;
}

/** An int64: JSON numbers beyond 2^53 are rounded, but still as large. */
function isSeconds(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}

/** True when the container has the hook. */
export function hasHook(container: JsonObject, hook: 'preStop' | 'postStart'): boolean {
  return objectMember(objectMember(container, 'lifecycle') ?? {}, hook) !== undefined;
}

/** The seconds of a preStop hook of the type `sleep` (since Kubernetes 1.29). Undefined for another hook. */
export function preStopSleepSeconds(container: JsonObject): number | undefined {
  const hook = objectMember(objectMember(container, 'lifecycle') ?? {}, 'preStop') ?? {};
  const seconds = member(objectMember(hook, 'sleep') ?? {}, 'seconds');
  return isSeconds(seconds) ? seconds : undefined;
}

/**
 * True when the kubelet may start a container again: one of its restart rules covers the exit code, or the
 * restartPolicy that counts for it is not Never. Its own counts, else the Pod's (pkg/kubelet/container/helpers.go,
 * ShouldContainerBeRestarted).
 *
 * @param exitCode undefined when it is not known: then any rule may cover it
 */
export function mayBeRestarted(container: JsonObject, podSpec: JsonObject, exitCode?: number): boolean {
  const rules = listMember(container, 'restartPolicyRules');
  if (rules.some((rule) => exitCode === undefined || coversExit(rule, exitCode))) return true;
  return (member(container, 'restartPolicy') ?? member(podSpec, 'restartPolicy')) !== 'Never';
}

function coversExit(rule: unknown, exitCode: number): boolean {
  const exitCodes = isJsonObject(rule) ? objectMember(rule, 'exitCodes') : undefined;
  if (exitCodes === undefined) return false;
  return listMember(exitCodes, 'values').includes(exitCode) === (member(exitCodes, 'operator') === 'In');
}

/**
 * True when a kill by a probe ends the whole Pod: nothing restarts the container, and the Pod has no other container
 * that stays. Sidecars do not count (pkg/kubelet/kuberuntime/kuberuntime_manager.go, computePodActions: keepCount).
 */
export function killEndsPod(container: JsonObject, podSpec: JsonObject): boolean {
  const containers = member(podSpec, 'containers');
  return Array.isArray(containers) && containers.length === 1 && !mayBeRestarted(container, podSpec);
}

/** A sidecar runs as long as the Pod and may have probes (validation.go, validateInitContainers). */
export function isSidecar(initContainer: JsonObject): boolean {
  return member(initContainer, 'restartPolicy') === 'Always';
}
