import { member } from '../json/json-value.ts';
import { DEFAULT_RESTART_POLICY } from '../probes/default-values.ts';
import type { JsonObject } from '../json/json-value.ts';

/** True when the Pod's containers are meant to run for ever: its restartPolicy is Always, which is the default. */
export function podRunsForever(podSpec: JsonObject): boolean {
  return (member(podSpec, 'restartPolicy') ?? DEFAULT_RESTART_POLICY) === 'Always';
}

/**
 * True unless the container's own restartPolicy ends its run. Containers may have a restartPolicy of their own since
 * Kubernetes 1.34 (ContainerRestartRules).
 */
export function containerRunsForever(container: JsonObject): boolean {
  return (member(container, 'restartPolicy') ?? 'Always') === 'Always';
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
