import { equalJson, isJsonObject, member, type JsonObject } from '../../../base/json/json-value.ts';
import { compareText } from '../../../base/text/cut.ts';
import { HANDLER_DEFAULTS } from '../../probe/api-defaults.ts';
import { HANDLER_TYPES } from '../../probe/api-schema.ts';
import { execCommandOf, type ExecCommand } from '../../probe/exec-invocation.ts';
import { requestedPath } from '../../probe/handler-values.ts';
import { holdsCut } from '../../workload/bounded-container.ts';
import type { Advice } from '../check.ts';
import type { CheckedProbe } from '../checked-workload.ts';
import type { FieldEdit } from '../../../base/json/field-path.ts';

/** The target as a text, equal for equal targets. Undefined when a part is malformed or cut. */
export function endpointOf(probe: CheckedProbe): string | undefined {
  if (probe.handlerKind === 'exec') return probe.command.once(commandText);
  const fields = HANDLER_TYPES[probe.handlerKind].fields.keys();
  const parts = Array.from(fields, (field) => partOf(probe, field));
  if (parts.includes(undefined)) return undefined;
  return parts.some(holdsCut) ? undefined : JSON.stringify([probe.handlerKind, ...parts]);
}

const commandText = ({ argv, isWhole }: ExecCommand): string | undefined =>
  isWhole && argv.length > 0 ? JSON.stringify(['exec', argv]) : undefined;

function partOf({ container, handler }: CheckedProbe, field: string): unknown {
  if (field === 'httpHeaders') return httpHeaders(handler);
  const value = member(handler, field) ?? '';
  if (field === 'port' && typeof value === 'number') return value;
  const text = value === '' ? (member(HANDLER_DEFAULTS, field) ?? '') : value;
  if (typeof text !== 'string') return undefined;
  if (field === 'path') return requestedPath(text);
  // A port name that the container does not declare stays as it is.
  return field === 'port' ? (container.ports?.find(({ name }) => name === text)?.number ?? text) : text;
}

/** Header names are compared case-insensitively. The order of headers with different names is ignored. */
function httpHeaders(handler: JsonObject): unknown {
  const headers = member(handler, 'httpHeaders') ?? [];
  if (!Array.isArray(headers)) return undefined;
  const pairs = headers.flatMap((header: unknown) => {
    const [name, value] = isJsonObject(header) ? [member(header, 'name'), member(header, 'value') ?? ''] : [];
    return typeof name === 'string' && typeof value === 'string' ? [[name.toLowerCase(), value] as const] : [];
  });
  if (pairs.length < headers.length) return undefined;
  return pairs.sort(([a], [b]) => compareText(a, b));
}

/**
 * Returns the edits that give these fields to the handler of a probe. Liveness and readiness probes of one endpoint are
 * edited together. Checks that compare both probes then find neither more nor less than before. No edits when liveness
 * and readiness differ now, and would be alike after the edit.
 */
export function handlerEdits(probe: CheckedProbe, fields: JsonObject): Pick<Advice, 'edits'> {
  const { kind, handler, container } = probe;
  const edits = editsOf(probe, fields);
  const other = container.probes.find((one) => one.kind !== kind && one.kind !== 'startupProbe');
  const before = endpointOf(probe);
  const edited = { ...handler, ...fields };
  const command = member(fields, 'command') === undefined ? probe.command : execCommandOf(edited);
  const after = endpointOf({ ...probe, handler: edited, command });
  if (kind === 'startupProbe' || other === undefined || before === undefined || after === undefined) return { edits };
  const beside = endpointOf(other);
  if (beside !== before) return beside === after ? {} : { edits };
  // With other values, the edit could make the handlers equal or different.
  const isSame = Object.keys(fields).every((field) => equalJson(member(handler, field), member(other.handler, field)));
  return isSame ? { edits: [...edits, ...editsOf(other, fields)] } : {};
}

function editsOf({ place, handlerKind }: CheckedProbe, fields: JsonObject): FieldEdit[] {
  return Object.entries(fields).map(([field, value]) => ({ path: place.path(handlerKind, field), value }));
}
