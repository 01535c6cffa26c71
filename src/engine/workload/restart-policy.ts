import { member, type JsonObject } from '../../base/json/json-value.ts';
import { DEFAULT_RESTART_POLICY } from '../probe/api-defaults.ts';

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
