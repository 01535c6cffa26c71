import { textAt } from '../../base/json/field-path.ts';
import { objectMember, stringMember, type JsonObject } from '../../base/json/json-value.ts';
import { ownCopy } from '../../base/text/utf8.ts';
import type { AnswerCause } from './causes.ts';
import type { ProbeKind } from '../../engine/probe/probe.ts';

/**
 * The events that are read: all warnings, of the kubelet, the scheduler and controllers, and the kubelet's kills. Each
 * is listed apart, because a field selector knows no "or".
 */
export const EVENT_SELECTORS = ['type=Warning', 'involvedObject.kind=Pod,reason=Killing'] as const;
/** The reasons of the kubelet's warnings about probes. */
export const PROBE_WARNINGS: readonly unknown[] = ['Unhealthy', 'ProbeWarning'];

/** The facts in an event of the kubelet about one probe of one container, or about the end of one run. */
export interface ProbeHint {
  /** The namespace of the event. The API server lets an event name any UID, but only Pods of its own namespace. */
  readonly namespace: string;
  readonly podUid: string;
  readonly container: string;
  /** Undefined when the kubelet stops the container and names no probe. */
  readonly probe: ProbeKind | undefined;
  /** `connection-lost`: the connection broke before an answer. `killed`: the kubelet stops the container. */
  readonly cause: AnswerCause | 'connection-lost' | 'killed';
  /** The kubelet threw the result away: the probe neither fails nor succeeds. */
  readonly isVoid: boolean;
  /** When the event was seen, by the clock of the node, in milliseconds since the epoch; 0 = unknown. Never empty. */
  readonly times: readonly number[];
  /** The HTTP status that the probe got last. */
  readonly status?: number;
  /** The request that failed was one of https. */
  readonly asksHttps?: true;
  /** How often the kubelet has told it, by the event. Absent for once. */
  readonly told?: ReadonlyMap<string, number>;
}

const PROBES: Readonly<Record<string, ProbeKind>> = {
  startup: 'startupProbe',
  liveness: 'livenessProbe',
  readiness: 'readinessProbe',
};

/** An event that was combined from similar ones (client-go, tools/record/events_cache.go). */
const COMBINED = '(combined from similar events): ';
/** pkg/kubelet/prober/prober.go, probe. Kubernetes before 1.33 wrote "errored: " alone. */
const UNHEALTHY = /^(Startup|Liveness|Readiness) probe (failed|errored)(?: and resulted in \w+ state)?: ?/;
/** A success, in which the endpoint sent the kubelet to another host (pkg/probe/http/http.go, DoHTTPProbe). */
const WARNING = /^(Startup|Liveness|Readiness) probe warning: Probe terminated redirects/;
/** kuberuntime_manager.go, computePodActions and computeInitContainerActions. restartPolicy Never: nothing follows. */
const KILLED_BY_PROBE = /^(?:Container|Init container) ([a-z0-9-]{1,63}) failed (startup|liveness) probe\b/;
/** `spec.containers{app}` and `spec.initContainers{proxy}` (pkg/kubelet/container/ref.go). */
const FIELD_PATH = /^spec\.(?:containers|initContainers)\{([a-z0-9-]{1,63})\}$/;

/** Longest text that is read. The kubelet cuts outputs of probes at 10 KiB, and the API server events at 1 KiB. */
const MAX_TEXT_LENGTH = 12_000;
const MAX_UID_LENGTH = 64;

/** Reads a v1 Event; undefined when the event is not about a probe. */
export function readProbeEvent(event: JsonObject): ProbeHint | undefined {
  const podUid = textAt(event, 'involvedObject', 'uid');
  const namespace = textAt(event, 'metadata', 'namespace');
  const [kind, text] = [textAt(event, 'involvedObject', 'kind'), stringMember(event, 'message')];
  if (kind !== 'Pod' || podUid === undefined || namespace === undefined || text === undefined) return undefined;
  if (podUid.length > MAX_UID_LENGTH || text.length > MAX_TEXT_LENGTH) return undefined;
  const message = text.startsWith(COMBINED) ? text.slice(COMBINED.length) : text;
  const container = containerOfEvent(event) ?? KILLED_BY_PROBE.exec(message)?.[1];
  if (container === undefined) return undefined;
  const told = new Map([[textAt(event, 'metadata', 'uid') ?? '', eventCount(event)]]);
  const place = { namespace, podUid, container: ownCopy(container), times: eventTimes(event), told };
  switch (stringMember(event, 'reason')) {
    case 'Unhealthy':
      return readUnhealthy(message, place);
    case 'Killing': {
      const probe = PROBES[KILLED_BY_PROBE.exec(message)?.[2] ?? ''];
      return { ...place, probe, cause: 'killed', isVoid: false };
    }
    case 'ProbeWarning': {
      const probe = PROBES[(WARNING.exec(message)?.[1] ?? '').toLowerCase()];
      return probe === undefined ? undefined : { ...place, probe, cause: 'redirect-other-host', isVoid: false };
    }
    default:
      return undefined;
  }
}

/** The container that an event of the kubelet is about. */
export function containerOfEvent(event: JsonObject): string | undefined {
  const name = FIELD_PATH.exec(textAt(event, 'involvedObject', 'fieldPath') ?? '')?.[1];
  return name === undefined ? undefined : ownCopy(name);
}

function readUnhealthy(
  message: string,
  place: Pick<ProbeHint, 'namespace' | 'podUid' | 'container' | 'times' | 'told'>,
): ProbeHint | undefined {
  const match = UNHEALTHY.exec(message);
  if (match === null) return undefined;
  const text = message.slice(match[0].length);
  const status = STATUS_CODE.exec(text)?.[1];
  return {
    ...place,
    ...(status !== undefined && { status: Number(status) }),
    ...(text.startsWith('Get "https://') && { asksHttps: true as const }),
    probe: PROBES[(match[1] ?? '').toLowerCase()],
    cause: answerOf(text),
    isVoid: match[2] === 'errored',
  };
}

/** The first time of an event, and its last. `series` is of newer recorders, `eventTime` of events that came once. */
export function eventTimes(event: JsonObject): number[] {
  const at = firstTime([
    objectMember(event, 'series')?.['lastObservedTime'],
    event['lastTimestamp'],
    event['eventTime'],
    event['firstTimestamp'],
  ]);
  const from = firstTime([event['eventTime'], event['firstTimestamp']]);
  return from > 0 && from < at ? [from, at] : [at];
}

/** How often an event was seen: the kubelet counts the same event up instead of writing another one. */
function eventCount(event: JsonObject): number {
  const count = objectMember(event, 'series')?.['count'] ?? event['count'];
  return typeof count === 'number' && Number.isSafeInteger(count) && count > 0 ? count : 1;
}

function firstTime(times: readonly unknown[]): number {
  const text = times.find((time): time is string => typeof time === 'string' && time !== '');
  const at = text === undefined ? NaN : Date.parse(text);
  return Number.isNaN(at) ? 0 : at;
}

interface Rule {
  readonly cause: AnswerCause;
  readonly pattern: RegExp;
}

/**
 * The texts, in the order in which they are tried. Sources: pkg/probe/http, tcp, grpc and exec; Go's net, net/http and
 * crypto/tls; runc and the shells for commands. A Go error has its cause at the end, so texts of causes come first.
 */
const RULES: readonly Rule[] = [
  // pkg/probe/util.go: the name is taken for a number when no port has the name.
  { cause: 'port-name-undeclared', pattern: /^strconv\.(?:Atoi|ParseInt): parsing "|^couldn't find port: / },
  // runc: `exec: "curl": executable file not found in $PATH`, `exec: "/bin/x": stat /bin/x: no such file or directory`.
  {
    cause: 'executable-not-found',
    pattern: /executable file not found in \$PATH|exec: \\*"[^"\n]*": (?:stat [^\n]*: )?no such file or directory/,
  },
  // A shell that cannot find the command: `sh: 1: curl: not found`, `/bin/sh: curl: command not found`.
  {
    cause: 'executable-not-found',
    pattern: /(?:^|\n)(?:\S*\/)?(?:ba|da|a|z|k)?sh: (?:(?:line )?\d+: )?[^\s:]+: (?:command )?not found\s*$/m,
  },
  // The connection broke, or there was none: the health service said nothing.
  { cause: 'connection-refused', pattern: /^error: health rpc probe failed: rpc error: code = Unavailable / },
  { cause: 'grpc-unimplemented', pattern: /^error: this server does not implement the grpc health protocol/ },
  { cause: 'rate-limit', pattern: /^error: health rpc probe failed: rpc error: code = ResourceExhausted / },
  {
    cause: 'grpc-service-unknown',
    pattern:
      /^service unhealthy \(responded with "SERVICE_UNKNOWN|^error: health rpc probe failed: rpc error: code = NotFound /,
  },
  { cause: 'grpc-unhealthy', pattern: /^service unhealthy \(responded with / },
  { cause: 'grpc-error', pattern: /^error: health rpc probe failed: / },
  {
    cause: 'timeout',
    pattern: /^timeout: health rpc did not complete|^command timed out: |^command "[^\n]*" timed out/,
  },
  // grpc: a refused connection is tried again until the timeout.
  {
    cause: 'connection-refused',
    pattern: /^timeout: failed to connect service |^error: failed to connect service at /,
  },
  { cause: 'tls-mismatch', pattern: /server gave HTTP response to HTTPS client|first record does not look like a TLS/ },
  // A TLS alert: content type 0x15, version 0x03.
  { cause: 'tls-mismatch', pattern: /malformed HTTP response "\\x15\\x03/ },
  { cause: 'other-protocol', pattern: /malformed HTTP (?:response|status code|version)/ },
  { cause: 'tls-handshake', pattern: /remote error: tls: |tls: (?!.*timeout)/ },
  { cause: 'http-3xx', pattern: /stopped after \d+ redirects/ },
  { cause: 'connection-refused', pattern: /connection refused$/m },
  // Nothing has answered the first packet. A deadline alone may also be a slow answer.
  { cause: 'connection-timeout', pattern: /dial tcp [^\n]*: (?:i\/o timeout|connect: connection timed out)/ },
  {
    cause: 'unreachable',
    pattern: /no route to host|network is unreachable|host is down|no such host|server misbehaving/,
  },
  {
    cause: 'timeout',
    pattern: /context deadline exceeded|Client\.Timeout exceeded|i\/o timeout|request canceled|TLS handshake timeout/,
  },
];
/** The server closed the connection before it answered. */
const LOST = /: EOF$|connection reset by peer|server closed idle connection/m;

/** pkg/probe/http/http.go */
const STATUS_CODE = /^HTTP probe failed with statuscode: (\d{3})/;
/** The text of a transport error begins with the request, the text of a dial with the dial. */
const TRANSPORT = /^(?:Get |dial |rpc error: |read |write )/;

/** The kubelet's own words come first. What follows may be the output of a command, as long as its author likes. */
const MOST_READ = 2000;

/**
 * The answer that a text of the kubelet tells: the text behind "probe failed: " or "probe errored ...: ".
 * `connection-lost`: the connection broke before an answer came. A server of another protocol does this, and so does
 * every server that ends.
 */
export function answerOf(whole: string): AnswerCause | 'connection-lost' {
  const text = whole.slice(0, MOST_READ);
  const status = STATUS_CODE.exec(text)?.[1];
  if (status !== undefined) return causeOfStatus(Number(status));
  const rule = RULES.find(({ pattern }) => pattern.test(text));
  if (rule !== undefined) return rule.cause;
  if (LOST.test(text)) return TRANSPORT.test(text) ? 'connection-lost' : 'other-protocol';
  // Any other text is what a command printed before it failed, which is often nothing.
  return TRANSPORT.test(text) ? 'unclear' : 'command-failed';
}

function causeOfStatus(status: number): AnswerCause {
  if (status === 429) return 'rate-limit';
  const own = ([400, 401, 403, 404] as const).find((one) => one === status);
  if (own !== undefined) return `http-${own}`;
  return status >= 500 ? 'http-5xx' : status >= 400 ? 'http-4xx' : status >= 300 ? 'http-3xx' : 'unclear';
}
