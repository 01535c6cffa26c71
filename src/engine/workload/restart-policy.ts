import { member, type JsonObject } from '../../base/json/json-value.ts';
import { DEFAULT_RESTART_POLICY } from '../probe/default-values.ts';

/** True when the Pod's containers are meant to run for ever: its restartPolicy is Always, which is the default. */
export function podRunsForever(podSpec: JsonObject): boolean {
  return (member(podSpec, 'restartPolicy') ?? DEFAULT_RESTART_POLICY) === 'Always';
}

/** True unless the container's own restartPolicy ends its run (since Kubernetes 1.34, ContainerRestartRules). */
export function containerRunsForever(container: JsonObject): boolean {
  return (member(container, 'restartPolicy') ?? 'Always') === 'Always';
}
