import { isJsonObject, member } from '../probes/json.ts';
import { isPresent } from './checked-probe.ts';
import type { JsonObject } from '../probes/json.ts';
import type { CheckedContainer } from './check.ts';
import type { CheckedProbe } from './checked-probe.ts';

/**
 * What a probe asks, as a text that is equal for two probes that ask the same: handler kind and target, with a port
 * name turned into its number in this container. Undefined when a part of it is malformed.
 */
export function endpointOf(container: CheckedContainer, probe: CheckedProbe): string | undefined {
  const parts = partsOf(container, probe);
  return parts.includes(undefined) ? undefined : JSON.stringify([probe.handlerKind, ...parts]);
}

/** The parts of the target; undefined stands for one that is malformed. */
function partsOf(container: CheckedContainer, { handlerKind, handler }: CheckedProbe): unknown[] {
  switch (handlerKind) {
    case 'httpGet':
      return [
        text(handler, 'scheme', 'HTTP'),
        text(handler, 'host', ''),
        portNumber(container, handler),
        httpPath(handler),
        httpHeaders(handler),
      ];
    case 'tcpSocket':
      return [text(handler, 'host', ''), portNumber(container, handler)];
    case 'grpc':
      return [member(handler, 'port') ?? undefined, text(handler, 'service', '')];
    case 'exec':
      return [command(handler)];
  }
}

/** A string member; `fallback` for what the API server takes for unset. */
function text(handler: JsonObject, key: string, fallback: string): string | undefined {
  const value = member(handler, key);
  if (!isPresent(value) || value === '') return fallback;
  return typeof value === 'string' ? value : undefined;
}

/** A name that the container declares as its number; an undeclared one stays itself. */
function portNumber(container: CheckedContainer, handler: JsonObject): unknown {
  const port = member(handler, 'port') ?? undefined;
  if (typeof port !== 'string') return typeof port === 'number' ? port : undefined;
  return container.ports?.find((declared) => declared.name === port)?.number ?? port;
}

/** The kubelet joins host and path with a slash where the path has none (net/url, URL.String). */
function httpPath(handler: JsonObject): string | undefined {
  const path = text(handler, 'path', '/');
  return path === undefined || path.startsWith('/') ? path : `/${path}`;
}

/** Header names are equal in upper and lower case; the order of different names says nothing. */
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

function command(handler: JsonObject): unknown {
  const argv = member(handler, 'command');
  if (!Array.isArray(argv) || argv.length === 0) return undefined;
  // Null is an empty string to Go.
  const words = argv.map((word: unknown) => word ?? '');
  return words.every((word) => typeof word === 'string') ? words : undefined;
}
