import { formatPath } from '../json/field-path.ts';
import { FieldPlace } from '../json/field-place.ts';
import { cut } from '../text/cut.ts';
import { quote } from '../text/quote.ts';
import { namesNoProgram } from '../probes/exec-program.ts';
import { firstControlCharacter } from '../probes/header-value.ts';
import { isJsonObject, member, objectMember } from '../json/json-value.ts';
import { defaultedProbe } from '../probes/api-defaults.ts';
import { probeHandlerCauses } from '../probes/handler-rules.ts';
import { handlerKindsOf } from '../probes/probe.ts';
import { isHost } from '../policy/probe-default.ts';
import { describePorts, findPort, isTcp } from '../workload/ports.ts';
import type { JsonObject } from '../json/json-value.ts';
import type { Probe } from '../probes/probe.ts';
import type { HandlerDefault } from '../policy/probe-default.ts';
import type { ContainerPort, PortLookup } from '../workload/ports.ts';
import type { ReasonCode } from './reason.ts';

/** A handler that can work in its container, as a member of a probe; or why there is none. */
export type HandlerResult = { readonly handler: JsonObject } | HandlerProblem;

export interface HandlerProblem {
  readonly code: ReasonCode;
  readonly detail: string;
}

/**
 * Fits a policy's handler into a container. A port that the policy leaves open is inferred; the container must declare
 * the port.
 *
 * @param ports every port that the container declares
 */
export function policyHandler(
  ports: readonly ContainerPort[],
  handler: HandlerDefault,
  policyPort: number | string | undefined,
): HandlerResult {
  const { kind, fields } = handler;
  if (kind === 'exec') return { handler: { exec: fields } };
  const ownPort = member(fields, 'port');
  if (kind === 'httpGet' && ownPort === undefined) return httpGetWithPort(ports, fields, policyPort);
  const lookup = findPort(ports, ownPort as number | string);
  return 'port' in lookup ? { handler: { [kind]: fields } } : portProblem(ownPort as number | string, lookup);
}

function httpGetWithPort(
  ports: readonly ContainerPort[],
  fields: JsonObject,
  policyPort: number | string | undefined,
): HandlerResult {
  const found = policyPort === undefined ? inferPort(ports) : policyPortIn(ports, policyPort);
  if ('code' in found) return found;
  const { path, ...others } = fields;
  const httpGet: Record<string, unknown> = path === undefined ? {} : { path };
  httpGet['port'] = found.name ?? found.number;
  if (found.name === 'https' && member(fields, 'scheme') === undefined) httpGet['scheme'] = 'HTTPS';
  return { handler: { httpGet: Object.assign(httpGet, others) } };
}

function policyPortIn(ports: readonly ContainerPort[], wanted: number | string): ContainerPort | HandlerProblem {
  const lookup = findPort(ports, wanted);
  return 'port' in lookup ? lookup.port : portProblem(wanted, lookup);
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

const METRICS = /^(metrics|.*-metrics|prometheus)$/;

/**
 * The port for an HTTP path without a port: the TCP port named http, then https, then the first named http-*; else the
 * only TCP port that is not for metrics. Any other choice would be a guess.
 */
function inferPort(declared: readonly ContainerPort[]): ContainerPort | HandlerProblem {
  const ports = declared.filter(isTcp);
  const named =
    ports.find((port) => port.name === 'http') ??
    ports.find((port) => port.name === 'https') ??
    ports.find(({ name }) => name !== undefined && name.startsWith('http-') && !METRICS.test(name));
  if (named !== undefined) return named;
  const candidates = ports.filter((port) => port.name === undefined || !METRICS.test(port.name));
  const only = candidates[0];
  if (only !== undefined && candidates.every((port) => port.number === only.number)) return only;
  if (only !== undefined) {
    const list = describePorts(candidates).join(', ');
    return {
      code: 'no-port',
      detail: `cannot tell which of its ports ${list} to ask; name one "http" or set the policy's port`,
    };
  }
  const metrics = ports.length === 0 ? 'declares no TCP port' : 'declares no TCP port but for metrics';
  return { code: 'no-port', detail: `${metrics}; declare one named "http"` };
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
  const [kind, ...others] = handlerKindsOf(liveness);
  if (kind === undefined || others.length > 0) {
    return {
      code: 'liveness-cannot-work',
      detail: `its livenessProbe has ${kind === undefined ? 'no' : 'more than one'} handler`,
    };
  }
  const handler = objectMember(liveness, kind) ?? {};
  const problem = handlerProblem(ports, handler) ?? refusal(liveness, handler);
  if (problem !== undefined)
    return { code: 'liveness-cannot-work', detail: `its livenessProbe cannot work: ${problem}` };
  return { handler: { [kind]: handler } };
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

/** Why the API server would reject the handler. A missing port is ignored: the kind's own controller may fill it in. */
function refusal(liveness: Probe, handler: JsonObject): string | undefined {
  const [cause] = probeHandlerCauses(defaultedProbe(liveness), new FieldPlace([], 'livenessProbe')).filter(
    ({ path }) => path.at(-1) !== 'port' || (member(handler, 'port') ?? 0) !== 0,
  );
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
