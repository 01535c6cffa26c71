import { isJsonObject, member, objectMember } from '../../base/json/json-value.ts';
import { ownProbe, PROBE_KINDS } from '../probe/probe.ts';
import { isSidecar } from '../probe/sidecar.ts';
import type { JsonObject } from '../../base/json/json-value.ts';

/** True when a container of a Pod template lacks a probe that the container may have. Builds no list of containers. */
export function lacksProbe(template: JsonObject): boolean {
  const podSpec = objectMember(template, 'spec');
  if (podSpec === undefined) return false;
  return (
    anyLacksProbe(member(podSpec, 'containers'), () => true) ||
    anyLacksProbe(member(podSpec, 'initContainers'), isSidecar)
  );
}

function anyLacksProbe(containers: unknown, mayHaveProbes: (container: JsonObject) => boolean): boolean {
  if (!Array.isArray(containers)) return false;
  for (const container of containers as unknown[]) {
    if (!isJsonObject(container) || !mayHaveProbes(container)) continue;
    for (const kind of PROBE_KINDS) if (ownProbe(container, kind) === undefined) return true;
  }
  return false;
}
