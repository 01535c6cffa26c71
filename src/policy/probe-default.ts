import { isBlank } from '../probes/go-values.ts';
import { firstControlCharacter } from '../probes/header-value.ts';
import { isPortName } from '../probes/port-name.ts';
import { HANDLER_KINDS, PROBE_INTEGERS } from '../probes/probe.ts';
import { BOUNDS, boundProblem, textLength } from './bounds.ts';
import { quoted } from './problems.ts';
import { INT32_MAX } from './reader.ts';
import type { JsonObject } from '../probes/json.ts';
import type { HandlerKind, ProbeInteger, ProbeKind } from '../probes/probe.ts';
import type { Reader } from './reader.ts';

/** A handler as a policy gives it: one of the four, with its fields. httpGet may leave the port to be inferred. */
export interface HandlerDefault {
  readonly kind: HandlerKind;
  readonly fields: JsonObject;
}

/**
 * What one policy says about one probe. `removed` (a null in the policy, or `disabled: true`) means: never default this one here. An integer that is
 * null takes a lower layer's value back to the API server's default.
 */
export interface ProbeDefault {
  readonly removed?: true;
  readonly handler?: HandlerDefault;
  readonly integers: Readonly<Partial<Record<ProbeInteger, number | null>>>;
}

export const REMOVED: ProbeDefault = { removed: true, integers: {} };

/**
 * Reads what a policy says about one probe: its entry in `probes` and its path in `kubernetesProbeEndpoints`, which is
 * `httpGet.path` and so goes with httpGet's other fields but not with another handler.
 */
export function readProbeDefault(kind: ProbeKind, probe: Reader, endpoint: Reader): ProbeDefault | undefined {
  if (probe.isAbsent && endpoint.isAbsent) return undefined;
  if (probe.isNull || endpoint.isNull) {
    const [nulled, other] = probe.isNull ? [probe, endpoint] : [endpoint, probe];
    if (!other.isAbsent && !other.isNull)
      nulled.report('null removes the probe, but the same policy also describes it');
    return REMOVED;
  }
  const path = endpoint.isAbsent ? undefined : readEndpointPath(endpoint);
  if (probe.isAbsent) return { integers: {}, ...(path !== undefined && { handler: httpGet({ path }) }) };

  if (probe.object([...HANDLER_KINDS, ...PROBE_INTEGERS, DISABLED]) === undefined) return undefined;
  if (isDisabled(probe, endpoint)) return REMOVED;
  const own = readHandler(probe);
  const handler = path === undefined ? own : withEndpointPath(own, path, probe, endpoint);
  return { integers: readIntegers(kind, probe), ...(handler && { handler }) };
}

/** Says what null says, in a form that a client-side `kubectl apply` does not lose: it drops nulls before it sends them. */
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

/** An HTTP path. The kubelet parses it as a URL reference and throws the probe's result away when that fails. */
function readEndpointPath(reader: Reader): string | undefined {
  const path = reader.string();
  if (path === undefined) return undefined;
  const problem = endpointPathProblem(path);
  return problem === undefined ? path : reader.report(problem);
}

/** What is wrong with an HTTP path, as a sentence's end; undefined when nothing is. Also holds annotations to the same rule. */
export function endpointPathProblem(path: string): string | undefined {
  if (path === '') return 'must not be empty; "/" is the root';
  if (!path.startsWith('/')) return `must start with "/", not ${quoted(path)}`;
  const tooLong = path.length > BOUNDS.path.maximum ? boundProblem(BOUNDS.path, textLength(path)) : undefined;
  if (tooLong !== undefined) return `${tooLong}: ${quoted(path)}`;
  if (/[\u0000-\u0020\u007f]/.test(path)) return `must have no spaces or control characters: ${quoted(path)}`;
  return undefined;
}

function readIntegers(kind: ProbeKind, reader: Reader): ProbeDefault['integers'] {
  const integers: Partial<Record<ProbeInteger, number | null>> = {};
  for (const field of PROBE_INTEGERS) {
    const place = reader.at(field);
    if (place.isAbsent) continue;
    if (place.isNull) {
      integers[field] = null;
      continue;
    }
    const value = place.integer(field === 'initialDelaySeconds' ? 0 : 1, INT32_MAX);
    if (value === undefined) continue;
    // The two rules that depend on the probe: pkg/apis/core/validation/validation.go, validateLivenessProbe and its siblings.
    if (field === 'successThreshold' && kind !== 'readinessProbe' && value !== 1)
      place.report(`must be 1 for a ${kind}, not ${value}`);
    else if (field === 'terminationGracePeriodSeconds' && kind === 'readinessProbe')
      place.report('must not be set for a readinessProbe');
    else integers[field] = value;
  }
  return integers;
}

function readHandler(reader: Reader): HandlerDefault | undefined {
  const given = HANDLER_KINDS.filter((kind) => !reader.at(kind).isAbsent && !reader.at(kind).isNull);
  const kind = given[0];
  if (kind === undefined) return undefined;
  if (given.length > 1) return reader.report(`must have one handler, not ${given.join(' and ')}`);
  const place = reader.at(kind);
  const before = reader.problems.length;
  handlerReaders[kind](place);
  return reader.problems.length === before ? { kind, fields: place.value as JsonObject } : undefined;
}

const handlerReaders: Record<HandlerKind, (reader: Reader) => void> = {
  httpGet(reader) {
    if (reader.object(['path', 'port', 'host', 'scheme', 'httpHeaders']) === undefined) return;
    if (!reader.at('path').isAbsent) readEndpointPath(reader.at('path'));
    if (!reader.at('port').isAbsent) readPort(reader.at('port'));
    readHost(reader.at('host'));
    if (!reader.at('scheme').isAbsent) reader.at('scheme').oneOf(['HTTP', 'HTTPS']);
    if (!reader.at('httpHeaders').isAbsent)
      for (const header of reader.at('httpHeaders').list(BOUNDS.headers) ?? []) readHeader(header);
  },
  tcpSocket(reader) {
    if (reader.object(['port', 'host']) === undefined) return;
    readPort(reader.at('port'));
    readHost(reader.at('host'));
  },
  grpc(reader) {
    if (reader.object(['port', 'service']) === undefined) return;
    reader.at('port').integer(1, 65_535);
    if (!reader.at('service').isAbsent) reader.at('service').string(BOUNDS.service);
  },
  exec(reader) {
    if (reader.object(['command']) === undefined) return;
    const words = reader.at('command').list(BOUNDS.command);
    if (words?.length === 0) reader.at('command').report('must name the program to run');
    words?.forEach((word, index) => {
      const text = word.string(BOUNDS.commandWord);
      if (index === 0 && text !== undefined && isBlank(text)) word.report('must name the program to run');
    });
  },
};

/** A host name or an IP address: what is neither makes the kubelet's URL unreadable, and the probe's result is thrown away. */
export function isHost(host: string): boolean {
  return host === '' || /^[A-Za-z0-9._-]{1,253}$/.test(host) || /^\[?[0-9A-Fa-f:.]{2,45}\]?$/.test(host);
}

function readHost(reader: Reader): void {
  if (reader.isAbsent) return;
  const host = reader.string(BOUNDS.host);
  if (host !== undefined && !isHost(host)) reader.report(`${quoted(host)} is no host name or IP address`);
}

function readHeader(reader: Reader): void {
  if (reader.object(['name', 'value']) === undefined) return;
  const name = reader.at('name').string(BOUNDS.headerName);
  if (name !== undefined && !/^[-A-Za-z0-9]+$/.test(name)) {
    reader.at('name').report(`${quoted(name)} is not a header name: letters, digits and "-"`);
  }
  const value = reader.at('value').string(BOUNDS.headerValue);

  if (value !== undefined && firstControlCharacter(value) >= 0) {
    reader.at('value').report('must have no control characters: the probe would fail every time');
  }
}

/** A port number, or the name of a container port: an IANA service name (apimachinery IsValidPortName). */
export function readPort(reader: Reader): number | string | undefined {
  const { value } = reader;
  if (typeof value === 'number') return reader.integer(1, 65_535);
  if (typeof value !== 'string') return reader.report(`must be a port's number or name, not ${quoted(value)}`);
  if (/^\d+$/.test(value)) return reader.report(`must be a number without quotes: ${value}`);
  if (isPortName(value)) return value;
  return reader.report(
    `${quoted(value)} is not a port name: at most 15 of a-z, 0-9 and single inner hyphens, with at least one letter`,
  );
}
