import type { Kill } from '../../src/engine/time/kill.ts';
import { liveContainer as read, type LiveContainer } from '../../src/observer/live-pod.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

/** A container of a live Pod, by its spec alone. */
export function liveContainer(spec: JsonObject, podSpec: JsonObject = {}): LiveContainer {
  return read({ name: 'app', role: 'application', list: 'containers', spec }, podSpec);
}

/** How the kubelet stops a container whose liveness probe has given up. */
export function killBy(livenessProbe: JsonObject, container: JsonObject, podSpec: JsonObject): Kill | undefined {
  return liveContainer({ ...container, livenessProbe }, podSpec).probes.livenessProbe?.kill;
}
