import { equalJson, member, type JsonObject } from '../../../base/json/json-value.ts';
import { compareText } from '../../../base/text/cut.ts';
import { execCommandOf, type ExecCommand } from '../../command/words.ts';
import { requestedPath } from '../../probe/handler-values.ts';
import { holdsCut } from '../../workload/bounded-container.ts';
import type { Advice } from '../check.ts';
import { readHandler } from '../../workload/read-probe.ts';
import type { Container, GrpcHandler, HttpHandler, Probe, TcpHandler } from '../../workload/pod.ts';
import type { FieldEdit } from '../../../base/json/field-path.ts';

/** The target as a text, equal for equal targets. Undefined when a part is malformed or cut. */
export function endpointOf({ container, handler, command }: Probe): string | undefined {
  if (handler.kind === 'exec') return command.once(commandText);
  if (handler.isMalformed) return undefined;
  const parts = [handler.kind, portIn(container, handler.port ?? ''), ...othersOf(handler)];
  return parts.some(holdsCut) ? undefined : JSON.stringify(parts);
}

/** A port name that the container does not declare stays as it is. */
function portIn({ ports }: Container, port: number | string): number | string {
  return typeof port === 'string' ? (ports?.find(({ name }) => name === port)?.number ?? port) : port;
}

/** Header names are compared case-insensitively. The order of headers with different names is ignored. */
function othersOf(handler: HttpHandler | TcpHandler | GrpcHandler): readonly unknown[] {
  if (handler.kind === 'grpc') return [handler.service, handler.mode];
  if (handler.kind === 'tcpSocket') return [handler.host];
  const headers = handler.headers.map(({ name, value }) => [name.toLowerCase(), value] as const);
  const path = requestedPath(handler.path ?? '');
  return [path, handler.host, handler.scheme, handler.protocol, headers.sort(([a], [b]) => compareText(a, b))];
}

const commandText = ({ argv, isWhole }: ExecCommand): string | undefined =>
  isWhole && argv.length > 0 ? JSON.stringify(['exec', argv]) : undefined;

/**
 * Returns the edits that give these fields to the handler of a probe. Liveness and readiness probes of one endpoint are
 * edited together. Checks that compare both probes then find neither more nor less than before. No edits when liveness
 * and readiness differ now, and would be alike after the edit.
 */
export function handlerEdits(probe: Probe, fields: JsonObject): Pick<Advice, 'edits'> {
  const { kind, handler, container } = probe;
  const edits = editsOf(probe, fields);
  const other = container.probes.find((one) => one.kind !== kind && one.kind !== 'startupProbe');
  const before = endpointOf(probe);
  const edited = readHandler(handler.kind, { ...handler.spec, ...fields });
  const command = member(fields, 'command') === undefined ? probe.command : execCommandOf(edited.spec);
  const after = endpointOf({ ...probe, handler: edited, command });
  if (kind === 'startupProbe' || other === undefined || before === undefined || after === undefined) return { edits };
  const beside = endpointOf(other);
  if (beside !== before) return beside === after ? {} : { edits };
  // With other values, the edit could make the handlers equal or different.
  const isSame = Object.keys(fields).every((field) =>
    equalJson(member(handler.spec, field), member(other.handler.spec, field)),
  );
  return isSame ? { edits: [...edits, ...editsOf(other, fields)] } : {};
}

function editsOf({ place, handler }: Probe, fields: JsonObject): FieldEdit[] {
  return Object.entries(fields).map(([field, value]) => ({ path: place.path(handler.kind, field), value }));
}
