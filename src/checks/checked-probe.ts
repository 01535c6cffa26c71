import { isJsonObject, member, objectMember } from '../probes/json.ts';
import { HANDLER_KINDS, PROBE_KINDS, ownProbe } from '../probes/probe.ts';
import { soundTiming } from '../probes/timing.ts';
import { isMeshProbe } from '../workload/mesh.ts';
import type { JsonObject } from '../probes/json.ts';
import type { HandlerKind, ProbeKind } from '../probes/probe.ts';
import type { ProbeTiming } from '../probes/timing.ts';

/** A probe that a check may judge: an object with exactly one handler, and not one of a mesh's. */
export interface CheckedProbe {
  readonly kind: ProbeKind;
  readonly spec: JsonObject;
  readonly path: string;
  readonly handlerKind: HandlerKind;
  readonly handler: JsonObject;
  readonly handlerPath: string;
  /** Undefined when one of its integers is none, since nothing can be worked out from it. */
  readonly timing: ProbeTiming | undefined;
}

/**
 * The probes of a container that a check may judge, in the API server's order. One without a handler, with two or
 * with a malformed one is valid-probe's business; one that a mesh wrote is the mesh's.
 *
 * @param name the container's own
 * @param path the container's own
 */
export function checkedProbes(container: JsonObject, name: string, path: string): CheckedProbe[] {
  const probes: CheckedProbe[] = [];
  for (const kind of PROBE_KINDS) {
    const probe = checkedProbe(container, name, kind, `${path}.${kind}`);
    if (probe !== undefined) probes.push(probe);
  }
  return probes;
}

function checkedProbe(container: JsonObject, name: string, kind: ProbeKind, path: string): CheckedProbe | undefined {
  const spec = ownProbe(container, kind);
  if (!isJsonObject(spec) || isMeshProbe(name, spec)) return undefined;
  let handlerKind: HandlerKind | undefined;
  for (const name of HANDLER_KINDS) {
    if (!isPresent(member(spec, name))) continue;
    if (handlerKind !== undefined) return undefined;
    handlerKind = name;
  }
  const handler = handlerKind && objectMember(spec, handlerKind);
  if (handlerKind === undefined || handler === undefined) return undefined;
  return { kind, spec, path, handlerKind, handler, handlerPath: `${path}.${handlerKind}`, timing: soundTiming(spec) };
}

/** The container's probe of one kind, when a check may judge it. */
export function probeOf(
  { probes }: { readonly probes: readonly CheckedProbe[] },
  kind: ProbeKind,
): CheckedProbe | undefined {
  return probes.find((probe) => probe.kind === kind);
}

/**
 * True when the container has something under the probe's name, whatever it is. The API server takes null for absent.
 */
export function hasProbe({ spec }: { readonly spec: JsonObject }, kind: ProbeKind): boolean {
  return isPresent(ownProbe(spec, kind));
}

/** True for a member that the API server does not take for absent. */
export function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}
