import { equalJson, isJsonObject, member, isPresent, type JsonObject } from '../../../base/json/json-value.ts';
import { compareText } from '../../../base/text/cut.ts';
import {
  DEFAULT_GRPC_MODE,
  DEFAULT_GRPC_SERVICE,
  DEFAULT_HTTP_PATH,
  DEFAULT_HTTP_PROTOCOL,
  DEFAULT_SCHEME,
} from '../../probe/api-defaults.ts';
import { execArgv, requestedPath } from '../../probe/handler-values.ts';
import { holdsCut } from '../../workload/bounded-container.ts';
import type { CheckedContainer, CheckedProbe } from '../checked-workload.ts';
import type { FieldEdit } from '../../../base/json/field-path.ts';

/** The target as a text, equal for equal targets. Undefined when a part is malformed or cut. */
export function endpointOf(probe: CheckedProbe): string | undefined {
  const parts = partsOf(probe);
  if (parts.includes(undefined)) return undefined;
  return parts.some(holdsCut) ? undefined : JSON.stringify([probe.handlerKind, ...parts]);
}

function partsOf({ container, handlerKind, handler }: CheckedProbe): unknown[] {
  switch (handlerKind) {
    case 'httpGet':
      return [
        text(handler, 'scheme', DEFAULT_SCHEME),
        text(handler, 'host', ''),
        portNumber(container, handler),
        httpPath(handler),
        httpHeaders(handler),
        text(handler, 'protocol', DEFAULT_HTTP_PROTOCOL),
      ];
    case 'tcpSocket':
      return [text(handler, 'host', ''), portNumber(container, handler)];
    case 'grpc':
      return [
        member(handler, 'port') ?? undefined,
        text(handler, 'service', DEFAULT_GRPC_SERVICE),
        text(handler, 'mode', DEFAULT_GRPC_MODE),
      ];
    case 'exec':
      return [execArgv(handler)];
  }
}

function text(handler: JsonObject, key: string, fallback: string): string | undefined {
  const value = member(handler, key);
  if (!isPresent(value) || value === '') return fallback;
  return typeof value === 'string' ? value : undefined;
}

/** Returns the port number that the container declares for a port name. An undeclared name is returned unchanged. */
function portNumber(container: CheckedContainer, handler: JsonObject): unknown {
  const port = member(handler, 'port') ?? undefined;
  if (typeof port !== 'string') return typeof port === 'number' ? port : undefined;
  return container.ports?.find((declared) => declared.name === port)?.number ?? port;
}

function httpPath(handler: JsonObject): string | undefined {
  const path = text(handler, 'path', DEFAULT_HTTP_PATH);
  return path === undefined ? undefined : requestedPath(path);
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
 * edited together. Checks that compare both probes then find neither more nor less than before. Undefined when liveness
 * and readiness differ now, and would be alike after the edit.
 */
export function handlerEdits(probe: CheckedProbe, fields: JsonObject): readonly FieldEdit[] | undefined {
  const { kind, handler, container } = probe;
  const edits = editsOf(probe, fields);
  const other = container.probes.find((one) => one.kind !== kind && one.kind !== 'startupProbe');
  const before = endpointOf(probe);
  const after = endpointOf({ ...probe, handler: { ...handler, ...fields } });
  if (kind === 'startupProbe' || other === undefined || before === undefined || after === undefined) return edits;
  const beside = endpointOf(other);
  if (beside !== before) return beside === after ? undefined : edits;
  // With other values, the edit could make the handlers equal or different.
  const isSame = Object.keys(fields).every((field) => equalJson(member(handler, field), member(other.handler, field)));
  return isSame ? [...edits, ...editsOf(other, fields)] : undefined;
}

function editsOf({ place, handlerKind }: CheckedProbe, fields: JsonObject): FieldEdit[] {
  return Object.entries(fields).map(([field, value]) => ({ path: place.path(handlerKind, field), value }));
}
