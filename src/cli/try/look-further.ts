import { stringMember, type JsonObject } from '../../base/json/json-value.ts';
import { isSuccess } from './answer.ts';
import { askProbe, httpRequestOf } from './ask.ts';
import { causeOfAnswer, remedyFor, type TryCause } from './cause.ts';
import { LOOK_MILLISECONDS, replaced, type Diagnosis, type Look } from './diagnosis.ts';
import { localHandler } from './local-handler.ts';
import { otherHeader, otherPath, wrongScheme } from './look-http.ts';
import { grpcHealth, otherProtocol } from './look-protocol.ts';
import { declaredPorts, portOf, probeField, type PlannedProbe } from './planned-probes.ts';

/** An answer that comes so late is slow, and no answer at all. */
const LEAST_SLOW_SECONDS = 5;
const LEAST_BODY_SECONDS = 3;
const MOST_SLOW_SECONDS = 30;

/**
 * Looks why a probe has failed, and finds what would pass. Asks only the target: the port of the probe, the ports that
 * the container declares or listens on, the path of the probe and the usual paths.
 */
export async function lookFurther(look: Look): Promise<Diagnosis | undefined> {
  const cause = causeOfAnswer(look.answer, look.planned.handlerKind);
  if (cause === undefined) return undefined;
  return (await further(look, cause)) ?? { cause, remedy: remedyFor(cause), edits: [] };
}

async function further(look: Look, cause: TryCause): Promise<Diagnosis | undefined> {
  const { planned } = look;
  if (planned.handlerKind === 'exec') {
    if (cause === 'executable-not-found') return await withoutProgram(look);
    return cause === 'timeout' ? await slowAnswer(look) : undefined;
  }
  const port = portOf(planned);
  if (typeof port !== 'number') return undeclaredName(planned);
  switch (cause) {
    case 'timeout':
      return (
        (await slowAnswer(look)) ??
        (look.answer.code === undefined ? await wrongScheme(look, port) : await byStatus(look, port, cause)) ??
        (await otherProtocol(look, port))
      );
    case 'connection-refused':
    case 'unreachable':
      return (
        (await otherProtocol(look, port)) ?? (await loopbackOnly(look, port)) ?? (await otherPort(look, port, cause))
      );
    case 'grpc-unhealthy':
    case 'grpc-unimplemented':
      return await otherService(look, port, cause);
    case 'tls-mismatch':
    case 'tls-handshake':
    case 'other-protocol':
    case 'unclear':
      return (await wrongScheme(look, port)) ?? (await otherProtocol(look, port)) ?? (await loopbackOnly(look, port));
    default:
      return await byStatus(look, port, cause);
  }
}

/** An HTTP server that answers, and not with success. */
async function byStatus(look: Look, port: number, cause: TryCause): Promise<Diagnosis | undefined> {
  const request = httpRequestOf(look.planned, port);
  // Servers of TLS answer 400 to a request without it.
  const scheme = cause === 'http-400' ? await wrongScheme(look, port) : undefined;
  const isHostCheck = cause === 'http-400' || cause === 'http-403' || look.answer.code === 421;
  return (
    scheme ??
    (isHostCheck ? await otherHeader(look, request, cause, 'Host', 'localhost') : undefined) ??
    (await otherPath(look, request, cause)) ??
    (cause === 'http-404' ? await otherHeader(look, request, cause, 'Host', 'localhost') : undefined) ??
    (cause === 'redirect-other-host' || cause === 'http-3xx'
      ? await otherHeader(look, request, cause, 'X-Forwarded-Proto', 'https')
      : undefined) ??
    (cause === 'http-404' ? await otherPort(look, port, cause) : undefined)
  );
}

/** A port name that the container does not declare, while it declares one port. */
function undeclaredName(planned: PlannedProbe): Diagnosis | undefined {
  const ports = declaredPorts(planned.spec);
  const only = ports.length === 1 ? ports[0] : undefined;
  if (only === undefined) return undefined;
  const value = only.name ?? only.number;
  return {
    cause: 'port-name-undeclared',
    remedy: `Set ${planned.handlerKind}.port to ${value}, which the container declares.`,
    edits: [{ path: probeField(planned, planned.handlerKind, 'port'), value }],
  };
}

/** Asks once more, and waits longer than the probe does. */
async function slowAnswer({ planned, target, answer: before, monotonic }: Look): Promise<Diagnosis | undefined> {
  const { timeoutSeconds } = planned.timing;
  // A body that has begun and does not end is often a stream.
  const least = before.code === undefined ? LEAST_SLOW_SECONDS : LEAST_BODY_SECONDS;
  const most = Math.min(MOST_SLOW_SECONDS, Math.max(least, timeoutSeconds * 4));
  if (most <= timeoutSeconds) return undefined;
  const start = monotonic();
  // The probe itself has been run before, so it may be run.
  const answer = await askProbe({ ...planned, timing: { ...planned.timing, timeoutSeconds: most } }, target, true);
  if ('notRun' in answer || !isSuccess(answer)) return undefined;
  const seconds = (answer.milliseconds ?? monotonic() - start) / 1000;
  const value = Math.max(timeoutSeconds + 1, Math.ceil(seconds * 2));
  return {
    cause: 'slow',
    remedy: `The answer comes after ${seconds.toFixed(1)} s. Make the endpoint faster, or set timeoutSeconds: ${value}.`,
    edits: [{ path: probeField(planned, 'timeoutSeconds'), value }],
  };
}

async function loopbackOnly({ target }: Look, port: number): Promise<Diagnosis | undefined> {
  if (!(await target.isLoopbackOnly(port))) return undefined;
  return { cause: 'loopback-only', remedy: remedyFor('loopback-only'), edits: [] };
}

/** The most ports that are tried beside the declared ones. */
const MOST_PORTS = 8;

/** Another port on which the probe passes, with its own path or a usual one. */
async function otherPort(look: Look, port: number, cause: TryCause): Promise<Diagnosis | undefined> {
  const { planned, target } = look;
  const declared = declaredPorts(planned.spec);
  const open = (await target.listeningPorts?.()) ?? [];
  const numbers = new Set([...declared.map(({ number }) => number), ...open.slice(0, MOST_PORTS)]);
  numbers.delete(port);
  for (const number of numbers) {
    const value = declared.find((one) => one.number === number)?.name ?? number;
    const edit = { path: probeField(planned, planned.handlerKind, 'port'), value };
    const moved = {
      ...planned,
      handler: { ...planned.handler, port: number },
      timing: { ...planned.timing, timeoutSeconds: LOOK_MILLISECONDS / 1000 },
    };
    const answer = await askProbe(moved, target, false);
    if ('notRun' in answer) continue;
    if (answer.result === 'success')
      return {
        cause,
        remedy: `The probe passes on port ${value}: set ${planned.handlerKind}.port to it.`,
        edits: [edit],
      };
    if (planned.handlerKind !== 'httpGet' || answer.code === undefined) continue;
    const path = await otherPath({ ...look, planned: moved }, httpRequestOf(moved, number), cause);
    if (path !== undefined)
      return {
        cause,
        remedy: `Port ${value} answers: set httpGet.port to it. ${path.remedy}`,
        edits: [edit, ...path.edits],
      };
  }
  return undefined;
}

/** The health of the whole server, for a service that it does not know; TCP for a server without a health service. */
async function otherService(
  { planned, target, answer }: Look,
  port: number,
  cause: 'grpc-unhealthy' | 'grpc-unimplemented',
): Promise<Diagnosis | undefined> {
  const service = stringMember(planned.handler, 'service') ?? '';
  if (cause === 'grpc-unimplemented')
    return { cause, remedy: remedyFor(cause), edits: replaced(planned, { tcpSocket: { port } }) };
  if (service === '' || !/code = NotFound|SERVICE_UNKNOWN/.test(answer.text)) return undefined;
  const whole = await grpcHealth(target, port);
  if (whole === undefined || !isSuccess(whole)) return undefined;
  return {
    cause,
    remedy: `The server does not know the service ${service}. Without grpc.service the probe passes: remove it.`,
    edits: [{ path: probeField(planned, planned.handlerKind, 'service'), value: null }],
  };
}

/** The probe that a client in the command would make, if the kubelet can make it itself. */
async function withoutProgram({ planned, target }: Look): Promise<Diagnosis | undefined> {
  const found = localHandler(planned.handler);
  const [kind, handler] = Object.entries(found ?? {})[0] ?? [];
  if ((kind !== 'httpGet' && kind !== 'tcpSocket') || found === undefined) return undefined;
  const answer = await askProbe({ ...planned, handlerKind: kind, handler: handler as JsonObject }, target, false);
  if ('notRun' in answer || answer.result !== 'success') return undefined;
  return {
    cause: 'executable-not-found',
    remedy: `The image does not have the program. The kubelet can ask itself, and that passes: use ${kind}.`,
    edits: replaced(planned, found),
  };
}
