import { isJsonObject, member } from '../../../base/json/json-value.ts';
import { isCount } from '../../probe/timing.ts';
import { portsOf } from '../../workload/ports.ts';
import { isPresent } from '../checked-probe.ts';
import type { ContainerPort } from '../../workload/ports.ts';
import type { JsonObject } from '../../../base/json/json-value.ts';

/**
 * Returns the ports that a container declares. Undefined when the list is malformed: the probe may refer to the port
 * that cannot be read. The API server rejects an object with such a list.
 */
export function declaredPorts(container: JsonObject): readonly ContainerPort[] | undefined {
  const entries = member(container, 'ports');
  if (!isPresent(entries)) return [];
  if (!Array.isArray(entries)) return undefined;
  const sound = entries.every((entry) => isJsonObject(entry) && isCount(member(entry, 'containerPort')));
  return sound ? portsOf(container) : undefined;
}
