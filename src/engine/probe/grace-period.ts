import { member, objectMember, type JsonObject } from '../../base/json/json-value.ts';
import { DEFAULT_POD_GRACE_SECONDS } from './api-defaults.ts';

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

/** An int64: JSON numbers beyond 2^53 are rounded, but still as large. */
function isSeconds(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}

/** How the kubelet stops a container. */
export interface Kill {
  /** Seconds that the container has to end. */
  readonly graceSeconds: number;
  /** A preStop hook runs before SIGTERM, within the grace period. */
  readonly hasPreStop: boolean;
}

/**
 * How the kubelet stops a container whose probe has given up: within the probe's own grace period, also when that is
 * longer than the Pod's, else within the Pod's (pkg/kubelet/kuberuntime/kuberuntime_container.go,
 * setTerminationGracePeriod). A kill that ends the Pod uses the Pod's: the kubelet then stops the Pod, not the
 * container (kuberuntime_manager.go, SyncPod; measured with the kubelet 1.36.2, test/fixtures/kubelet/m3).
 * @returns undefined when the grace period that counts is malformed
 */
export function killBy(probe: JsonObject, container: JsonObject, podSpec: JsonObject): Kill | undefined {
  const own = killEndsPod(container, podSpec) ? 'absent' : probeGraceSeconds(probe);
  const graceSeconds = own === 'absent' ? podGraceSeconds(podSpec) : own;
  return graceSeconds === undefined ? undefined : { graceSeconds, hasPreStop: hasHook(container, 'preStop') };
}

/** True when the container has the hook. */
export function hasHook(container: JsonObject, hook: 'preStop' | 'postStart'): boolean {
  return objectMember(objectMember(container, 'lifecycle') ?? {}, hook) !== undefined;
}

/** The shortest grace period of a kill in seconds (kuberuntime_manager.go, minimumGracePeriodInSeconds). */
export const MINIMUM_KILL_SECONDS = 2;

/**
 * Seconds from the probe's verdict to the dead container, at worst: the container ignores SIGTERM. That is max(G,2). A
 * preStop hook that hangs uses the grace period up, and the process then gets the minimum on top: G+2
 * (pkg/kubelet/kuberuntime/kuberuntime_container.go, killContainer).
 */
export function longestKillSeconds({ graceSeconds, hasPreStop }: Kill): number {
  return hasPreStop ? graceSeconds + MINIMUM_KILL_SECONDS : Math.max(graceSeconds, MINIMUM_KILL_SECONDS);
}

/** The longest grace period with which a container is dead within `seconds`, if there is one. */
export function longestGraceWithin(seconds: number, { hasPreStop }: Kill): number | undefined {
  const graceSeconds = hasPreStop ? seconds - MINIMUM_KILL_SECONDS : seconds;
  return seconds >= MINIMUM_KILL_SECONDS && graceSeconds >= 1 ? graceSeconds : undefined;
}

/**
 * True when the kubelet may start the container again after a probe has killed it: it has restart rules, or the
 * restartPolicy that counts for it is not Never. Its own restartPolicy counts, else the Pod's
 * (pkg/kubelet/container/helpers.go, ShouldContainerBeRestarted).
 */
export function mayBeRestarted(container: JsonObject, podSpec: JsonObject): boolean {
  const rules = member(container, 'restartPolicyRules');
  if (Array.isArray(rules) && rules.length > 0) return true;
  return (member(container, 'restartPolicy') ?? member(podSpec, 'restartPolicy')) !== 'Never';
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
