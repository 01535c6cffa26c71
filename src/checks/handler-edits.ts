import { endpointOf } from './endpoint.ts';
import type { FieldEdit } from '../json/field-edit.ts';
import type { JsonObject } from '../json/json-value.ts';
import type { CheckedContainer } from './check.ts';
import type { CheckedProbe } from './checked-probe.ts';

/**
 * Returns the edits that give these fields to the handler of a probe. Liveness and readiness probes of one endpoint are
 * edited together. Checks that compare their endpoints then find neither more nor less than before. Undefined when
 * liveness and readiness ask different endpoints now, and would ask the same endpoint after the edit.
 */
export function handlerEdits(
  container: CheckedContainer,
  probe: CheckedProbe,
  fields: JsonObject,
): readonly FieldEdit[] | undefined {
  const { kind, handlerKind, handler } = probe;
  if (kind === 'startupProbe') return editsOf(probe, fields);
  const before = endpointOf(container, probe);
  const after = endpointOf(container, { ...probe, handler: { ...handler, ...fields } });
  const other = container.probes.find((candidate) => candidate.kind !== kind && candidate.kind !== 'startupProbe');
  if (before === undefined || after === undefined || other === undefined) return editsOf(probe, fields);
  const beside = endpointOf(container, other);
  if (beside === before && other.handlerKind === handlerKind)
    return [probe, other].flatMap((at) => editsOf(at, fields));
  return beside === after ? undefined : editsOf(probe, fields);
}

function editsOf({ place, handlerKind }: CheckedProbe, fields: JsonObject): FieldEdit[] {
  return Object.entries(fields).map(([field, value]) => ({ path: place.path(handlerKind, field), value }));
}
