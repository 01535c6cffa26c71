import { isJsonObject, member, objectMember } from '../../base/json/json-value.ts';
import { HANDLER_KINDS, PROBE_KINDS, ownProbe } from '../probe/probe.ts';
import { soundTiming } from '../probe/timing.ts';
import { isMeshProbe } from '../workload/mesh.ts';
import type { FieldPlace } from '../../base/json/field-place.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { HandlerKind, ProbeKind } from '../probe/probe.ts';
import type { ProbeTiming } from '../probe/timing.ts';

/**
 * A probe that a check may judge: an object with exactly one handler. Probes that a service mesh wrote are excluded.
 */
export interface CheckedProbe {
  readonly kind: ProbeKind;
  readonly spec: JsonObject;
  /** Place of the probe in the object: `spec.containers[0].livenessProbe`. The handler is one step below. */
  readonly place: FieldPlace;
  readonly handlerKind: HandlerKind;
  readonly handler: JsonObject;
  /** Undefined when an integer field holds another type, because no timing can be computed then. */
  readonly timing: ProbeTiming | undefined;
}

/**
 * Returns the probes of a container that a check may judge, in the API server's order. The check valid-probe reports a
 * probe without a handler, with two handlers or with a malformed handler. Probes that a mesh wrote are skipped.
 *
 * @param name the container's name
 * @param place the container's place
 */
export function checkedProbes(container: JsonObject, name: string, place: FieldPlace): CheckedProbe[] {
  const probes: CheckedProbe[] = [];
  for (const kind of PROBE_KINDS) {
    const probe = checkedProbe(container, name, kind, place);
    if (probe !== undefined) probes.push(probe);
  }
  return probes;
}

function checkedProbe(
  container: JsonObject,
  name: string,
  kind: ProbeKind,
  place: FieldPlace,
): CheckedProbe | undefined {
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
  return { kind, spec, place: place.at(kind), handlerKind, handler, timing: soundTiming(spec) };
}

/** Returns the container's probe of one kind, if a check may judge that probe. */
export function probeOf(
  { probes }: { readonly probes: readonly CheckedProbe[] },
  kind: ProbeKind,
): CheckedProbe | undefined {
  return probes.find((probe) => probe.kind === kind);
}

/**
 * True when the container has any value under the probe's name, even an invalid value. The API server treats null as
 * absent.
 */
export function hasProbe({ spec }: { readonly spec: JsonObject }, kind: ProbeKind): boolean {
  return isPresent(ownProbe(spec, kind));
}

/** True when the API server treats the value as present. */
export function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}
