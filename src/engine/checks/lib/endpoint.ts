import { isJsonObject, member, isPresent } from '../../../base/json/json-value.ts';
import {
  DEFAULT_GRPC_MODE,
  DEFAULT_GRPC_SERVICE,
  DEFAULT_HTTP_PATH,
  DEFAULT_HTTP_PROTOCOL,
  DEFAULT_SCHEME,
} from '../../probe/default-values.ts';
import { execArgv } from '../../probe/exec-argv.ts';
import { holdsCut, MOST_LIST_ENTRIES } from '../../workload/bounded-container.ts';
import { requestedPath } from '../../probe/requested-path.ts';
import type { JsonObject } from '../../../base/json/json-value.ts';
import type { CheckedContainer, CheckedProbe } from '../checked-workload.ts';

/**
 * Returns the target of a probe as a text. Two probes with the same target have equal texts. The text contains the
 * handler kind and the target, with a port name replaced by its number in this container. Undefined when a part of the
 * target is malformed or cut.
 */
export function endpointOf(probe: CheckedProbe): string | undefined {
  const parts = partsOf(probe);
  if (parts.includes(undefined)) return undefined;
  const endpoint = JSON.stringify([probe.handlerKind, ...parts]);
  // A shorter text has no cut part.
  return endpoint.length > MOST_LIST_ENTRIES && parts.some(holdsCut) ? undefined : endpoint;
}

/** The parts of the target. A malformed part is undefined. */
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

/** Returns a string member, or `fallback` when the API server treats the member as unset. */
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
  const pairs = headers.map((header) => {
    if (!isJsonObject(header)) return undefined;
    const [name, value] = [member(header, 'name'), member(header, 'value') ?? ''];
    return typeof name === 'string' && typeof value === 'string' ? ([name.toLowerCase(), value] as const) : undefined;
  });
  const sound = pairs.filter((pair) => pair !== undefined);
  if (sound.length < pairs.length) return undefined;
  return sound.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}
