import { FieldPlace, formatPath } from '../../base/json/field-path.ts';
import { isJsonObject, member, objectMember, type JsonObject } from '../../base/json/json-value.ts';
import { cut, quote } from '../../base/text/cut.ts';
import { isHost, type HandlerDefault } from '../policy/probe-policy.ts';
import { defaultedProbe } from '../probe/api-defaults.ts';
import { firstControlCharacter, namesNoProgram } from '../probe/handler-values.ts';
import { probeHandlerCauses } from '../probe/api-rules.ts';
import { handlerKindsOf, PROBE_INTEGERS, type HandlerFields, type ProbeJson } from '../probe/probe.ts';
import type { Integers } from '../probe/startup-numbers.ts';
import { protocolOfPort, type PortHint, type PortHints } from '../workload/port-protocol.ts';
import {
  MOST_LISTED,
  describePort,
  describePorts,
  findPort,
  isDeclared,
  isTcp,
  type ContainerPort,
} from '../workload/ports.ts';
import { isForwardingProxy } from '../probe/image-name.ts';
import { isAimed, type Given } from '../policy/container-policy.ts';
import type { Probe, ProbeObject, WrittenProbe } from '../workload/pod.ts';
import type { FollowedProbe, HandlerProblem } from './injection.ts';

/** A handler that can work in its container, or why there is none. */
export type HandlerResult = FittedHandler | HandlerProblem;

export interface FittedHandler {
  readonly code?: undefined;
  readonly handler: HandlerDefault;
  readonly follows?: FollowedProbe;
  /** A layer that is aimed at the container names the port. */
  readonly isPortAimed?: true;
}

/** A probe with one handler. */
export type OwnProbe = Probe & ProbeObject;

export function isOwnProbe(probe: WrittenProbe): probe is OwnProbe {
  return probe.handler !== undefined;
}

/** What a container's author wrote, and what Services say about its ports. */
export interface Evidence {
  readonly ports: readonly ContainerPort[];
  readonly hints: PortHints;
  /** The author's own probes. A probe that an earlier call for the same Pod injected is none of them. */
  readonly own: readonly OwnProbe[];
  /** The container's image; empty when it names none. */
  readonly image: string;
  /** Why the policy's paths do not hold in this container. */
  readonly contradiction: HandlerProblem | undefined;
}

/**
 * Fits a policy's handler into a container without probes of its own. An open port is inferred from declared ports.
 * Only a layer that is aimed at the container may name a port of another protocol.
 */
export function policyHandler(
  { ports, hints, image }: Evidence,
  given: Given<HandlerDefault>,
  port: Given<number | string> | undefined,
): HandlerResult {
  const { kind, fields } = given.value;
  if (kind === 'exec') return { handler: { kind, fields } };
  const explicit = explicitPort(given, port);
  if (kind === 'httpGet' && !isAimed(given.layer) && isForwardingProxy(image)) return PROXY;
  if (explicit === undefined) {
    const inferred = inferHttpPort(ports, hints);
    return inferred.code === undefined ? withPort(fields, inferred.port, hints(inferred.port)) : inferred;
  }
  const found = findPort(ports, explicit.value);
  if (found === undefined) return portProblem(explicit.value, ports);
  const isPortAimed = isAimed(explicit.layer);
  const says = isPortAimed ? [] : hints(found);
  if (kind !== 'httpGet') return transportProblem(found, says) ?? { handler: { kind, fields } };
  if (isPortAimed) return { ...withPort(fields, found, []), isPortAimed };
  // Only a policy that is aimed at the container asks a port of another protocol.
  if (protocolOfPort(found, says).speaks !== 'other') return withPort(fields, found, says);
  return {
    code: 'no-http-port',
    detail: `the policy's port ${describePort(found)} ${passedOver(found, says)}; ${REMEDY}`,
  };
}

/** kube-rbac-proxy and its like answer 401 or a redirect to each path that they forward. */
const PROXY: HandlerProblem = {
  code: 'cannot-work',
  detail:
    'its image is a proxy that forwards requests with credentials only; if it answers the path, ' +
    'name the container in a policy with containers or workloadSelector',
};

/** A probe as it is written, with the integers in the order of core/v1. */
export function probeWith({ kind, fields }: HandlerDefault, integers: Integers): ProbeJson {
  const given = PROBE_INTEGERS.filter((name) => integers[name] !== undefined);
  return { [kind]: fields, ...Object.fromEntries(given.map((name) => [name, integers[name]])) };
}

/** A Service says that the port is for UDP or SCTP, where the container says nothing. */
function transportProblem(port: ContainerPort, hints: readonly PortHint[]): HandlerProblem | undefined {
  const other = hints.find(({ transport }) => transport !== undefined);
  if (other === undefined) return undefined;
  const said = `is for ${other.transport ?? ''} (Service ${other.service})`;
  return { code: 'port-not-tcp', detail: `the policy's port ${describePort(port)} ${said}` };
}

/** The port that a policy names, of the handler or for all its probes. */
export function explicitPort(
  { layer, value: { kind, fields } }: Given<HandlerDefault>,
  port: Given<number | string> | undefined,
): Given<number | string> | undefined {
  const own = fields.port;
  if (own !== undefined) return { layer, value: own };
  return kind === 'httpGet' ? port : undefined;
}

/** A port that the handler leaves open is asked by its name, else by its number. */
function withPort(fields: HandlerFields, port: ContainerPort, hints: readonly PortHint[]): FittedHandler {
  const { path, ...others } = fields;
  const httpGet: Record<string, unknown> = path === undefined ? {} : { path };
  httpGet['port'] = port.name ?? port.number;
  if (protocolOfPort(port, hints).speaks === 'https') httpGet['scheme'] = 'HTTPS';
  // The policy's own port and scheme replace these two in their places.
  return { handler: { kind: 'httpGet', fields: Object.assign(httpGet, others) } };
}

function portProblem(wanted: number | string, ports: readonly ContainerPort[]): HandlerProblem {
  const declared = ports.length === 0 ? 'no port' : describePorts(ports).join(', ');
  const port = `the policy's port ${wanted}`;
  if (isDeclared(ports, wanted))
    return { code: 'port-not-tcp', detail: `${port} is not a TCP port; the container declares ${declared}` };
  const detail = `${port} is not among the container's ports; it declares ${declared}`;
  return { code: 'port-not-declared', detail };
}

/**
 * The handler of a container's liveness probe, for the startup probe. Two handlers are not copied: one whose results
 * the kubelet drops (pkg/kubelet/prober/prober.go), as a startup probe with it would never succeed; and one that the
 * API server rejects, as the rejection would name a probe that the author did not write.
 */
export function livenessHandler(ports: readonly ContainerPort[], liveness: ProbeJson): HandlerResult {
  const found = soundHandler(ports, liveness);
  if (found.problem !== undefined)
    return { code: 'liveness-cannot-work', detail: `its livenessProbe ${found.problem}` };
  const refused = refusal(liveness, found.handler.fields);
  if (refused !== undefined)
    return { code: 'liveness-cannot-work', detail: `its livenessProbe cannot work: ${refused}` };
  return { handler: found.handler };
}

/** The only handler of a probe, if the kubelet can run it. Else the problem, as the end of a sentence. */
export function soundHandler(
  ports: readonly ContainerPort[],
  probe: ProbeJson,
): { readonly handler: HandlerDefault; readonly problem?: undefined } | { readonly problem: string } {
  const [kind, ...others] = handlerKindsOf(probe);
  if (kind === undefined || others.length > 0)
    return { problem: `has ${kind === undefined ? 'no' : 'more than one'} handler` };
  const fields = objectMember(probe, kind) ?? {};
  const problem = handlerProblem(ports, fields);
  return problem === undefined ? { handler: { kind, fields } } : { problem: `cannot work: ${problem}` };
}

function handlerProblem(ports: readonly ContainerPort[], handler: JsonObject): string | undefined {
  const host = member(handler, 'host');
  if (typeof host === 'string' && !isHost(host)) return 'its host is none';
  const port = member(handler, 'port');
  if (typeof port === 'string' && findPort(ports, port) === undefined)
    return `no TCP port named ${quote(port)} is declared`;
  const malformed = Object.entries(handler).find(([field, value]) => !isPlain(field, value));
  if (malformed !== undefined) return `${cut(malformed[0], 63)} is malformed`;
  const command = member(handler, 'command');
  if (Array.isArray(command) && (command.length === 0 || namesNoProgram(command[0])))
    return 'its command names no program';
  return undefined;
}

/** Why the API server refuses the handler: it has no port, or a scheme that is none. */
export function causesOf(probe: ProbeJson): ReturnType<typeof probeHandlerCauses> {
  return probeHandlerCauses(defaultedProbe(probe), new FieldPlace([], 'livenessProbe'));
}

/** Why the API server would reject the handler. A missing port is ignored: the kind's own controller may fill it in. */
function refusal(liveness: ProbeJson, { port }: HandlerFields): string | undefined {
  const hasPort = (port ?? 0) !== 0;
  const cause = causesOf(liveness).find(({ path }) => path.at(-1) !== 'port' || hasPort);
  return cause && `${formatPath(cause.path)}: ${cause.message}`;
}

/** True for values of core/v1: scalars, a list of strings, a list of headers without control characters. */
function isPlain(field: string, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (!Array.isArray(value)) return false;
  if (field !== 'httpHeaders') return value.every((element) => typeof element === 'string');
  return value.every((header) => isJsonObject(header) && Object.values(header).every(isHeaderText));
}

const isHeaderText = (text: unknown): boolean => typeof text === 'string' && firstControlCharacter(text) < 0;

/**
 * The port for an HTTP path without a port, among TCP ports of no other protocol: the port named http, then https, then
 * the first named http-*; else the only port. Any other choice would be a guess.
 */
function inferHttpPort(
  declared: readonly ContainerPort[],
  hints: PortHints,
): { readonly code?: undefined; readonly port: ContainerPort } | HandlerProblem {
  const ports = declared.filter(isTcp);
  if (ports.length === 0) return { code: 'no-port', detail: 'declares no TCP port; declare one named "http"' };
  const candidates = ports.filter((port) => passedOver(port, hints(port)) === undefined);
  const [only] = candidates;
  if (only === undefined) {
    const reasons = ports.slice(0, MOST_LISTED).map((port) => `${describePort(port)} ${passedOver(port, hints(port))}`);
    const more = ports.length > MOST_LISTED ? `; and ${ports.length - MOST_LISTED} more` : '';
    return { code: 'no-http-port', detail: `no port to ask by HTTP: ${reasons.join('; ')}${more}; ${REMEDY}` };
  }
  const port =
    candidates.find(({ name }) => name === 'http') ??
    candidates.find(({ name }) => name === 'https') ??
    candidates.find(({ name }) => name?.startsWith('http-'));
  if (port !== undefined) return { port };
  if (candidates.every(({ number }) => number === only.number)) return { port: only };
  const list = describePorts(candidates).join(', ');
  const detail = `cannot tell which of its ports ${list} to ask; name one "http" or set the policy's port`;
  return { code: 'no-port', detail };
}

const REMEDY = 'if one of them answers HTTP, name the port in a policy with containers or workloadSelector';

/** Why no HTTP path is asked on a port, as the end of a sentence. */
function passedOver(port: ContainerPort, hints: readonly PortHint[]): string | undefined {
  const { protocol, because } = protocolOfPort(port, hints);
  return protocol === undefined ? undefined : `is for ${protocol} (${because})`;
}
