import {
  HIGHEST_PORT,
  LONGEST_PORT_NAME,
  firstControlCharacter,
  isHeaderName,
  isPortName,
  namesNoProgram,
} from '../probe/handler-values.ts';
import { HANDLER_KINDS, PROBE_INTEGERS, type HandlerKind, type ProbeInteger, type ProbeKind } from '../probe/probe.ts';
import { BOUNDS, boundProblem, textLength } from './bounds.ts';
import { given, nullable, type FieldTable, type Reader } from './reader.ts';
import { quoted } from '../../base/json/quoted-value.ts';
import { INT32_MAX } from '../probe/go-values.ts';
import type { JsonObject } from '../../base/json/json-value.ts';

/** A policy's handler: one of the four kinds, with its fields as written. An httpGet may lack the port. */
export interface HandlerDefault {
  readonly kind: HandlerKind;
  readonly fields: JsonObject;
}

/**
 * One policy's settings for one probe. `removed` (a null in the policy, or `disabled: true`): the probe is never
 * injected. An integer that is null resets a lower layer's value to the API server's default.
 */
export interface ProbeDefault {
  readonly removed?: true;
  readonly handler?: HandlerDefault;
  /** What is written in `kubernetesProbeEndpoints` only: the handler (or its null), or the path of the handler. */
  readonly short?: 'handler' | 'path';
  readonly integers: Readonly<Partial<Record<ProbeInteger, number | null>>>;
}

const REMOVED: ProbeDefault = { removed: true, integers: {} };

/** Reads the entry in `probes`, and the path in `kubernetesProbeEndpoints`, which is its `httpGet.path`. */
export function readProbeDefault(kind: ProbeKind, probe: Reader, endpoint: Reader): ProbeDefault | undefined {
  if (probe.isAbsent && endpoint.isAbsent) return undefined;
  if (probe.isNull || endpoint.isNull) {
    const [nulled, other] = probe.isNull ? [probe, endpoint] : [endpoint, probe];
    if (other.isGiven) nulled.report('null removes the probe, but the same policy also describes it');
    return probe.isNull ? REMOVED : { ...REMOVED, short: 'handler' };
  }
  const path = endpoint.isAbsent ? undefined : readEndpointPath(endpoint);
  if (probe.isAbsent)
    return { integers: {}, ...(path !== undefined && { handler: httpGet({ path }), short: 'handler' }) };

  if (probe.object([...HANDLER_KINDS, ...PROBE_INTEGERS, DISABLED]) === undefined) return undefined;
  if (isDisabled(probe, endpoint)) return REMOVED;
  if (Object.keys(probe.value as JsonObject).length === 0) probe.warn(EMPTY_PROBE);
  const own = readHandler(probe);
  const handler = path === undefined ? own : withEndpointPath(own, path, probe, endpoint);
  const isPathOfOwn = own?.fields['path'] === undefined ? 'path' : undefined;
  const short = path === undefined ? undefined : own === undefined ? 'handler' : isPathOfOwn;
  return { integers: readIntegers(kind, probe), ...(handler && { handler }), ...(short && { short }) };
}

/** Kubernetes 1.36 stores {} when a server-side apply sends null in place of a probe. */
const EMPTY_PROBE =
  '{} says nothing about the probe; write { disabled: true } to never inject the probe, or leave the field out';

/** `disabled: true` means the same as null. A client-side `kubectl apply` drops nulls, and keeps `disabled: true`. */
export const DISABLED = 'disabled';

function isDisabled(probe: Reader, endpoint: Reader): boolean {
  const place = probe.at(DISABLED);
  if (place.isAbsent || place.boolean() !== true) return false;
  const isDescribed = Object.keys(probe.anyObject() ?? {}).length > 1 || !endpoint.isAbsent;
  if (isDescribed) place.report('true removes the probe, but the same policy also describes it');
  return true;
}

const httpGet = (fields: JsonObject): HandlerDefault => ({ kind: 'httpGet', fields });

function withEndpointPath(
  own: HandlerDefault | undefined,
  path: string,
  probe: Reader,
  endpoint: Reader,
): HandlerDefault | undefined {
  if (own === undefined) return httpGet({ path });
  if (own.kind !== 'httpGet')
    return endpoint.report(
      `is an HTTP path, but the same policy gives the probe ${own.kind === 'exec' ? 'an' : 'a'} ${own.kind} handler`,
    );
  const ownPath = own.fields['path'];
  if (ownPath !== undefined && ownPath !== path) {
    probe
      .at('httpGet')
      .at('path')
      .report(`${quoted(ownPath)} and kubernetesProbeEndpoints' ${quoted(path)} differ; give one`);
  }
  return httpGet({ ...own.fields, path });
}

/** An HTTP path. The kubelet parses the path as a URL reference, and drops the probe's result when parsing fails. */
function readEndpointPath(reader: Reader): string | undefined {
  const path = reader.string();
  const problem = path === undefined ? undefined : endpointPathProblem(path);
  return problem === undefined ? path : reader.report(problem);
}

/** The problem with an HTTP path of a policy or annotation, as the end of a sentence; undefined for a valid path. */
export function endpointPathProblem(path: string): string | undefined {
  if (path === '') return 'must not be empty; "/" is the root';
  if (!path.startsWith('/')) return `must start with "/", not ${quoted(path)}`;
  const tooLong = boundProblem(BOUNDS.path, textLength(path));
  if (tooLong !== undefined) return `${tooLong}: ${quoted(path)}`;
  if (/[\u0000-\u0020\u007f]/.test(path)) return `must have no spaces or control characters: ${quoted(path)}`;
  return undefined;
}

function readIntegers(kind: ProbeKind, reader: Reader): ProbeDefault['integers'] {
  const readers = PROBE_INTEGERS.map((field) => [field, nullable((place) => readInteger(kind, field, place))]);
  return reader.members(Object.fromEntries(readers) as FieldTable<ProbeDefault['integers']>);
}

function readInteger(kind: ProbeKind, field: ProbeInteger, place: Reader): number | undefined {
  const value = place.integer(field === 'initialDelaySeconds' ? 0 : 1, INT32_MAX);
  // The two rules that depend on the probe: pkg/apis/core/validation/validation.go, validateLivenessProbe and its
  // siblings.
  if (field === 'successThreshold' && kind !== 'readinessProbe' && value !== undefined && value !== 1)
    return place.report(`must be 1 for a ${kind}, not ${value}`);
  if (field === 'terminationGracePeriodSeconds' && kind === 'readinessProbe' && value !== undefined)
    return place.report('must not be set for a readinessProbe');
  return value;
}

function readHandler(reader: Reader): HandlerDefault | undefined {
  const named = HANDLER_KINDS.filter((kind) => reader.at(kind).isGiven);
  const [kind] = named;
  if (kind === undefined) return undefined;
  if (named.length > 1) return reader.report(`must have one handler, not ${named.join(' and ')}`);
  const before = reader.problems.length;
  const place = reader.at(kind);
  place.fields(HANDLER_FIELDS[kind]);
  return reader.problems.length === before ? { kind, fields: place.value as JsonObject } : undefined;
}

/** How the fields of each handler are read. A policy keeps them as they are written. */
const HANDLER_FIELDS: Readonly<Record<HandlerKind, FieldTable<JsonObject>>> = {
  httpGet: {
    path: given(readEndpointPath),
    port: given(readPort),
    host: given(readHost),
    scheme: given((place) => place.oneOf(['HTTP', 'HTTPS'])),
    httpHeaders: given((place) => place.list(BOUNDS.headers)?.map(readHeader)),
  },
  tcpSocket: { port: readPort, host: given(readHost) },
  grpc: {
    port: (place) => place.integer(1, HIGHEST_PORT),
    service: given((place) => place.string(BOUNDS.service)),
  },
  exec: { command: readCommand },
};

function readCommand(reader: Reader): undefined {
  const words = reader.list(BOUNDS.command);
  if (words?.length === 0) reader.report('must name the program to run');
  words?.forEach((word, index) => {
    const text = word.string(BOUNDS.commandWord);
    if (index === 0 && text !== undefined && namesNoProgram(text)) word.report('must name the program to run');
  });
}

/** A host name or an IP address. With any other host the kubelet cannot parse the URL, and drops the probe's result. */
export function isHost(host: string): boolean {
  return host === '' || /^[A-Za-z0-9._-]{1,253}$/.test(host) || /^\[?[0-9A-Fa-f:.]{2,45}\]?$/.test(host);
}

function readHost(reader: Reader): void {
  const host = reader.string(BOUNDS.host);
  if (host !== undefined && !isHost(host)) reader.report(`${quoted(host)} is no host name or IP address`);
}

function readHeader(reader: Reader): void {
  reader.fields({
    name(place) {
      const name = place.string(BOUNDS.headerName);
      if (name !== undefined && !isHeaderName(name))
        place.report(`${quoted(name)} is not a header name: letters, digits and "-"`);
    },
    value(place) {
      const value = place.string(BOUNDS.headerValue);
      if (value !== undefined && firstControlCharacter(value) >= 0)
        place.report('must have no control characters: the probe would fail every time');
    },
  });
}

/** A port number, or the name of a container port: an IANA service name (apimachinery IsValidPortName). */
export function readPort(reader: Reader): number | string | undefined {
  const { value } = reader;
  if (typeof value === 'number') return reader.integer(1, HIGHEST_PORT);
  if (typeof value !== 'string') return reader.report(`must be a port's number or name, not ${quoted(value)}`);
  if (/^\d+$/.test(value)) return reader.report(`must be a number without quotes: ${value}`);
  if (isPortName(value)) return value;
  return reader.report(
    `${quoted(value)} is not a port name: at most ${LONGEST_PORT_NAME} of a-z, 0-9 and single inner hyphens, with at least one letter`,
  );
}
