import { FieldPlace, formatPath } from '../../base/json/field-path.ts';
import { isJsonObject, member, objectMember, type JsonObject } from '../../base/json/json-value.ts';
import { cut, quote } from '../../base/text/cut.ts';
import { isHost, type HandlerDefault } from '../policy/probe-policy.ts';
import { defaultedProbe } from '../probe/api-defaults.ts';
import { firstControlCharacter, namesNoProgram } from '../probe/handler-values.ts';
import { probeHandlerCauses } from '../probe/api-rules.ts';
import { handlerKindsOf, PROBE_INTEGERS, type HandlerFields, type ProbeJson } from '../probe/probe.ts';
import type { Integers } from '../time/startup-numbers.ts';
import { speaks, type Speaks } from '../port/speaks.ts';
import { isNamedForHttps } from '../port/tls.ts';
import type { ServicesOfPod } from '../facts/services.ts';
import {
  MOST_LISTED,
  describePort,
  describePorts,
  findPort,
  isDeclared,
  isTcp,
  type ContainerPort,
} from '../workload/ports.ts';
import { isForwardingProxy } from '../command/image.ts';
import { isAimed, type Given } from '../policy/container-policy.ts';
import type { BareContainer, Probe, ProbeObject, WrittenProbe } from '../workload/pod.ts';
import type { FollowedProbe } from './injection.ts';
import type { HandlerProblem } from './not-injected.ts';

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
  readonly container: BareContainer;
  readonly services: ServicesOfPod;
  /** What a port of the container speaks. All probes of the container ask the same ports. */
  readonly speaksAt: (port: ContainerPort) => Speaks;
  /** The author's own probes. A probe that an earlier call for the same Pod injected is none of them. */
  readonly own: readonly OwnProbe[];
  /** Why the policy's paths do not hold in this container. */
  readonly contradiction: HandlerProblem | undefined;
}

/** Works out what a port speaks at the first question about it. */
export function portSpeaker(container: BareContainer, services: ServicesOfPod): Evidence['speaksAt'] {
  const known = new Map<ContainerPort, Speaks>();
  return (port) => {
    const said = known.get(port) ?? speaks(port, container, services);
    known.set(port, said);
    return said;
  };
}

/**
 * Fits a policy's handler into a container without probes of its own. An open port is inferred from declared ports.
 * Only a layer that is aimed at the container may name a port of another protocol.
 */
export function policyHandler(
  { container, services, speaksAt }: Evidence,
  given: Given<HandlerDefault>,
  port: Given<number | string> | undefined,
): HandlerResult {
  const { kind, fields } = given.value;
  if (kind === 'exec') return { handler: { kind, fields } };
  const explicit = explicitPort(given, port);
  if (kind === 'httpGet' && !isAimed(given.layer) && isForwardingProxy(container.image)) return PROXY;
  const ports = container.readablePorts;
  if (explicit === undefined) {
    const inferred = inferHttpPort(ports, speaksAt);
    return inferred.code === undefined ? withPort(fields, inferred.port, isHttps(speaksAt(inferred.port))) : inferred;
  }
  const found = findPort(ports, explicit.value);
  if (found === undefined) return portProblem(explicit.value, ports);
  const isPortAimed = isAimed(explicit.layer);
  if (kind !== 'httpGet') {
    const problem = isPortAimed ? undefined : transportProblem(found, services);
    return problem ?? { handler: { kind, fields } };
  }
  // Whoever aims a policy at the container knows the port better than all signs but its name.
  if (isPortAimed) return { ...withPort(fields, found, isNamedForTls(found)), isPortAimed };
  const said = speaksAt(found);
  // Whoever names the port has read its name.
  if (mayAnswer(said) || (said.isByName === true && said.speaks !== 'other'))
    return withPort(fields, found, isHttps(said) || isNamedForTls(found));
  return {
    code: 'no-http-port',
    detail: `the policy's port ${describePort(found)} ${passedOver(said) ?? ''}; ${REMEDY}`,
  };
}

const isHttps = (said: Speaks): boolean => said.speaks === 'https';

const isNamedForTls = ({ name }: ContainerPort): boolean => isNamedForHttps({ name, number: TLS_NUMBER });
/** On this number, a webhook is for HTTPS: only HTTPS is ever asked of one. */
const TLS_NUMBER = 443;

/** True unless something speaks against an endpoint of the namespace: then the own name alone leaves a doubt. */
function mayAnswer({ speaks: said, sign, isByName, isDoubtful }: Speaks): boolean {
  if (said === 'http' || said === 'https') return isDoubtful !== true;
  return said === 'unknown' && (sign === undefined || isByName === true);
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
function transportProblem(port: ContainerPort, services: ServicesOfPod): HandlerProblem | undefined {
  const other = services.say(port).find(({ transport }) => transport !== undefined);
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
function withPort(fields: HandlerFields, port: ContainerPort, isForHttps: boolean): FittedHandler {
  const { path, ...others } = fields;
  const httpGet: Record<string, unknown> = path === undefined ? {} : { path };
  httpGet['port'] = port.name ?? port.number;
  if (isForHttps) httpGet['scheme'] = 'HTTPS';
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
 * The port for an HTTP path without a port, among TCP ports that may answer: the port named http, then https, then the
 * first named http-*; else the only port. Any other choice would be a guess. A port whose name is no word of HTTP is
 * never asked.
 */
function inferHttpPort(
  declared: readonly ContainerPort[],
  speaksAt: (port: ContainerPort) => Speaks,
): { readonly code?: undefined; readonly port: ContainerPort } | HandlerProblem {
  const ports = declared.filter(isTcp);
  if (ports.length === 0) return { code: 'no-port', detail: 'declares no TCP port; declare one named "http"' };
  const said = ports.map((port) => ({ port, says: speaksAt(port) }));
  // A port that may or may not answer leaves a doubt which of them to ask.
  const isPossible = (says: Speaks): boolean => mayAnswer(says) || says.speaks === 'nothing to ask';
  const possible = said.filter(({ says }) => isPossible(says)).map(({ port }) => port);
  const candidates = said.filter(({ says }) => passedOver(says) === undefined).map(({ port }) => port);
  const [only] = candidates;
  if (only === undefined) {
    const reasons = said
      .slice(0, MOST_LISTED)
      .map(({ port, says }) => `${describePort(port)} ${passedOver(says) ?? ''}`);
    const more = ports.length > MOST_LISTED ? `; and ${ports.length - MOST_LISTED} more` : '';
    return { code: 'no-http-port', detail: `no port to ask by HTTP: ${reasons.join('; ')}${more}; ${REMEDY}` };
  }
  const port =
    candidates.find(({ name }) => name === 'http') ??
    candidates.find(({ name }) => name === 'https') ??
    candidates.find(({ name }) => name?.startsWith('http-'));
  if (port !== undefined) return { port };
  if (possible.every(({ number }) => number === only.number)) return { port: only };
  const list = describePorts(possible).join(', ');
  const detail = `cannot tell which of its ports ${list} to ask; name one "http" or set the policy's port`;
  return { code: 'no-port', detail };
}

const REMEDY = 'if one of them answers HTTP, name the port in a policy with containers or workloadSelector';

/** Why no HTTP path is asked on a port, as the end of a sentence. */
function passedOver(says: Speaks): string | undefined {
  const { speaks: said, protocol, sign, isByName } = says;
  if (sign === undefined || (mayAnswer(says) && !(said === 'unknown' && isByName))) return undefined;
  if (protocol === undefined) return `says nothing of HTTP (${sign})`;
  return said === 'unknown' ? `belongs to a server of ${protocol} (${sign})` : `is for ${protocol} (${sign})`;
}
