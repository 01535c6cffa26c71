import { FieldPlace, formatPath } from '../../base/json/field-path.ts';
import { cut, quote } from '../../base/text/cut.ts';
import { firstControlCharacter, namesNoProgram } from '../probe/handler-values.ts';
import { isJsonObject, member, objectMember, type JsonObject } from '../../base/json/json-value.ts';
import { ApiStruct } from '../probe/api-struct.ts';
import { defaultedProbe } from '../probe/api-defaults.ts';
import { probeHandlerCauses } from '../probe/probe-rules.ts';
import { handlerKindsOf, type HandlerKind, type Probe, type ProbeKind } from '../probe/probe.ts';
import { isHost, type HandlerDefault } from '../policy/probe-default.ts';
import { protocolOfPort, type PortHint, type PortHints } from '../workload/port-protocol.ts';
import { describePorts, findPort, type ContainerPort, type PortLookup } from '../workload/ports.ts';
import { inferHttpPort, otherProtocol } from './http-port.ts';
import type { Aimed } from '../policy/container-policy.ts';
import type { FollowedProbe } from './injection.ts';
import type { HandlerProblem } from './reason.ts';

/** A handler that can work in its container, as a member of a probe; or why there is none. */
export type HandlerResult = FittedHandler | HandlerProblem;

export interface FittedHandler {
  readonly handler: JsonObject;
  readonly follows?: FollowedProbe;
}

/** What a container's author wrote, and what Services say about its ports. */
export interface Evidence {
  readonly ports: readonly ContainerPort[];
  readonly hints: PortHints;
  /** The author's own probes. A probe that an earlier call for the same Pod injected is none of them. */
  readonly own: readonly (readonly [ProbeKind, Probe])[];
}

/**
 * Fits a policy's handler into a container without probes of its own. A port that the policy leaves open is inferred;
 * the container must declare the port. Only a layer that is aimed at the container may name a port of another protocol.
 *
 * @param port the policy's port for HTTP paths
 */
export function policyHandler(
  { ports, hints }: Pick<Evidence, 'ports' | 'hints'>,
  given: Aimed<HandlerDefault>,
  port: Aimed<number | string> | undefined,
): HandlerResult {
  const { kind, fields } = given.value;
  if (kind === 'exec') return { handler: { exec: fields } };
  const explicit = explicitPort(given, port);
  if (explicit === undefined) {
    const inferred = inferHttpPort(ports, hints);
    return 'code' in inferred ? inferred : withPort(fields, inferred, hints(inferred));
  }
  const lookup = findPort(ports, explicit.value);
  if ('problem' in lookup) return portProblem(explicit.value, lookup);
  if (kind !== 'httpGet') return { handler: { [kind]: fields } };
  if (explicit.isAimed) return withPort(fields, lookup.port, []);
  const says = hints(lookup.port);
  return otherProtocol(lookup.port, says) ?? withPort(fields, lookup.port, says);
}

/** The port that a policy names, and whether the layer that names the port is aimed at the container. */
export function explicitPort(
  { value: { kind, fields }, isAimed }: Aimed<HandlerDefault>,
  port: Aimed<number | string> | undefined,
): { readonly value: number | string; readonly isAimed: boolean } | undefined {
  const own = member(fields, 'port');
  return kind !== 'httpGet' || own !== undefined ? { value: own as number | string, isAimed } : port;
}

/** A port that the handler leaves open is asked by its name, else by its number. */
function withPort(fields: JsonObject, port: ContainerPort, hints: readonly PortHint[]): FittedHandler {
  const { path, ...others } = fields;
  const httpGet: Record<string, unknown> = path === undefined ? {} : { path };
  httpGet['port'] = port.name ?? port.number;
  if (protocolOfPort(port, hints).speaks === 'https') httpGet['scheme'] = 'HTTPS';
  // The policy's own port and scheme replace these two in their places.
  return { handler: { httpGet: Object.assign(httpGet, others) } };
}

function portProblem(wanted: number | string, lookup: Exclude<PortLookup, { port: ContainerPort }>): HandlerProblem {
  const declared = lookup.declared.length === 0 ? 'no port' : describePorts(lookup.declared).join(', ');
  return lookup.problem === 'not-tcp'
    ? {
        code: 'port-not-tcp',
        detail: `the policy's port ${wanted} is not a TCP port; the container declares ${declared}`,
      }
    : {
        code: 'port-not-declared',
        detail: `the policy's port ${wanted} is not among the container's ports; it declares ${declared}`,
      };
}

/**
 * The handler of a container's liveness probe, for use in the startup probe. Two handlers are not copied:
 *
 * - A handler that errors instead of failing, such as an undeclared port name or an empty command. The kubelet drops
 * these results
 *   (pkg/kubelet/prober/prober.go). That is harmless in a liveness probe, but a startup probe would never succeed.
 * - A handler that the API server rejects. The rejection would name two probes, and the author wrote only one of them.
 */
export function livenessHandler(ports: readonly ContainerPort[], liveness: Probe): HandlerResult {
  const found = soundHandler(ports, liveness);
  if ('problem' in found) return { code: 'liveness-cannot-work', detail: `its livenessProbe ${found.problem}` };
  const refused = refusal(liveness, found.handler);
  if (refused !== undefined)
    return { code: 'liveness-cannot-work', detail: `its livenessProbe cannot work: ${refused}` };
  return { handler: { [found.kind]: found.handler } };
}

/**
 * The only handler of a probe, if the kubelet can run it in its container. Else the problem, as the end of a sentence.
 */
export function soundHandler(
  ports: readonly ContainerPort[],
  probe: Probe,
): { readonly kind: HandlerKind; readonly handler: JsonObject } | { readonly problem: string } {
  const [kind, ...others] = handlerKindsOf(probe);
  if (kind === undefined || others.length > 0)
    return { problem: `has ${kind === undefined ? 'no' : 'more than one'} handler` };
  const handler = objectMember(probe, kind) ?? {};
  const problem = handlerProblem(ports, handler);
  return problem === undefined ? { kind, handler } : { problem: `cannot work: ${problem}` };
}

function handlerProblem(ports: readonly ContainerPort[], handler: JsonObject): string | undefined {
  const host = member(handler, 'host');
  if (typeof host === 'string' && !isHost(host)) return 'its host is none';
  const port = member(handler, 'port');
  if (typeof port === 'string' && !('port' in findPort(ports, port)))
    return `no TCP port named ${quote(port)} is declared`;
  for (const [field, value] of Object.entries(handler)) {
    if (!isPlain(field, value)) return `${cut(field, 63)} is malformed`;
  }
  const command = member(handler, 'command');
  if (Array.isArray(command) && (command.length === 0 || namesNoProgram(command[0])))
    return 'its command names no program';
  return undefined;
}

/** True when the API server refuses the handler: it has no port, or a scheme that is none. */
export function isRefused(probe: Probe): boolean {
  return probeHandlerCauses(new ApiStruct(defaultedProbe(probe), new FieldPlace([], 'probe'))).length > 0;
}

/** Why the API server would reject the handler. A missing port is ignored: the kind's own controller may fill it in. */
function refusal(liveness: Probe, handler: JsonObject): string | undefined {
  const [cause] = probeHandlerCauses(
    new ApiStruct(defaultedProbe(liveness), new FieldPlace([], 'livenessProbe')),
  ).filter(({ path }) => path.at(-1) !== 'port' || (member(handler, 'port') ?? 0) !== 0);
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
