import { member } from '../../base/json/json-value.ts';
import type { JsonObject } from '../../base/json/json-value.ts';

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
