import { isJsonObject, member } from '../probes/json.ts';
import { isCount } from '../probes/timing.ts';
import { portsOf } from '../workload/ports.ts';
import { isPresent } from './checked-probe.ts';
import type { ContainerPort } from '../workload/ports.ts';
import type { JsonObject } from '../probes/json.ts';

/**
 * The ports that a container declares; undefined when its list is malformed, since a port that cannot be read may be
 * the one that a probe means. The API server refuses the object for it.
 */
export function declaredPorts(container: JsonObject): readonly ContainerPort[] | undefined {
  const entries = member(container, 'ports');
  if (!isPresent(entries)) return [];
  if (!Array.isArray(entries)) return undefined;
  const sound = entries.every((entry) => isJsonObject(entry) && isCount(member(entry, 'containerPort')));
  return sound ? portsOf(container) : undefined;
}

/** True for a port number: 1 to 65535. */
export function isPortNumber(value: unknown): value is number {
  return isCount(value) && value >= 1 && value <= 65_535;
}
