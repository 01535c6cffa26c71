import { member } from '../../../base/json/json-value.ts';
import { endpointOf } from './endpoint.ts';
import type { FieldEdit } from '../../../base/json/field-edit.ts';
import type { JsonObject } from '../../../base/json/json-value.ts';
import type { CheckedProbe } from '../checked-workload.ts';

/**
 * Returns the edits that give these fields to the handler of a probe. Liveness and readiness probes of one endpoint are
 * edited together. Checks that compare both probes then find neither more nor less than before. Undefined when liveness
 * and readiness differ now, and would be alike after the edit.
 */
export function handlerEdits(probe: CheckedProbe, fields: JsonObject): readonly FieldEdit[] | undefined {
  const { kind, handlerKind, handler } = probe;
  if (kind === 'startupProbe') return editsOf(probe, fields);
  const before = endpointOf(probe);
  const after = endpointOf({ ...probe, handler: { ...handler, ...fields } });
  const other = probe.container.probes.find(
    (candidate) => candidate.kind !== kind && candidate.kind !== 'startupProbe',
  );
  if (before === undefined || after === undefined || other === undefined) return editsOf(probe, fields);
  const beside = endpointOf(other);
  if (beside !== before || other.handlerKind !== handlerKind)
    return beside === after ? undefined : editsOf(probe, fields);
  return haveSameFields(handler, other.handler, fields)
    ? [probe, other].flatMap((at) => editsOf(at, fields))
    : undefined;
}

/** True when two handlers have equal values in these fields, so that an edit makes them neither equal nor different. */
function haveSameFields(a: JsonObject, b: JsonObject, fields: JsonObject): boolean {
  return Object.keys(fields).every((field) => JSON.stringify(member(a, field)) === JSON.stringify(member(b, field)));
}

function editsOf({ place, handlerKind }: CheckedProbe, fields: JsonObject): FieldEdit[] {
  return Object.entries(fields).map(([field, value]) => ({ path: place.path(handlerKind, field), value }));
}
