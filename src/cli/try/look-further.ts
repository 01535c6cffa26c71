import { stringMember } from '../../base/json/json-value.ts';
import { isSuccess, hostPort, type Answer } from './answer.ts';
import { askHttp, askProbe, httpRequestOf } from './ask.ts';
import { causeOfAnswer, causeTexts, type TryCause } from './cause.ts';
import { grpcProbe, openSession } from './grpc-probe.ts';
import { declaredPorts, portOf, probeField, type PlannedProbe } from './planned-probes.ts';
import { openTls } from './tls-connection.ts';
import type { HttpProbe } from './http-probe.ts';
import type { Endpoint, Target } from './target.ts';
import type { AdvisedEdit } from '../output/json-outputs.ts';

/** Why a probe fails, and what to write. */
export interface Diagnosis {
  readonly cause: TryCause;
  readonly remedy: string;
  /** The remedy as edits of the object. Empty when no value is known to work. */
  readonly edits: readonly AdvisedEdit[];
}

/** The paths that are tried after a failure, beside those of the policies. No other path is ever asked. */
export const USUAL_PATHS: readonly string[] = [
  '/livez',
  '/readyz',
  '/healthz',
  '/health',
  '/health/live',
  '/health/ready',
  '/ping',
  '/up',
  '/-/healthy',
  '/-/ready',
  '/actuator/health/liveness',
  '/actuator/health/readiness',
  '/q/health/live',
  '/q/health/ready',
  '/api/health',
];

/** A server that gives this many of the paths a success gives it to every path. */
const CATCH_ALL = 8;
/** A question that only looks further waits no longer. */
const LOOK_MILLISECONDS = 2000;
/** An answer that comes within this many times of timeoutSeconds is slow, and no answer at all. */
const SLOW_TIMES = 5;
const LONGEST_SLOW_MILLISECONDS = 30_000;

/** What is looked at, and with what. */
interface Look {
  readonly planned: PlannedProbe;
  readonly target: Target;
  readonly answer: Answer;
  readonly monotonic: () => number;
}

/**
 * Looks why a probe has failed, and finds what would pass. Asks only the target, and only the container's declared
 * ports, the port of the probe and the usual paths.
 *
 * @param policyPaths the endpoints of the policies
 */
export async function lookFurther(look: Look, policyPaths: readonly string[]): Promise<Diagnosis | undefined> {
  const { planned, answer } = look;
  const cause = causeOfAnswer(answer);
  if (cause === undefined) return undefined;
  const plain: Diagnosis = { cause, remedy: causeTexts(cause).remedy, edits: [] };
  const port = portOf(planned);
  if (planned.handlerKind === 'exec' || typeof port !== 'number') return undeclaredName(planned) ?? plain;
  const found =
    cause === 'timeout'
      ? await slowAnswer(look)
      : cause === 'connection-refused' || cause === 'unreachable'
        ? ((await loopbackOnly(look, port)) ?? (await otherProtocol(look, port)) ?? (await otherPort(look, port)))
        : cause === 'grpc-unhealthy' || cause === 'grpc-unimplemented'
          ? await otherService(look, port, cause)
          : cause.startsWith('http-') || cause === 'redirect-other-host'
            ? ((await wrongScheme(look, port)) ??
              (await otherHost(look, port, cause)) ??
              (await otherPath(look, port, cause, policyPaths)))
            : ((await wrongScheme(look, port)) ?? (await otherProtocol(look, port)));
  return found ?? plain;
}

/** A port name that the container does not declare, while it declares one port. */
function undeclaredName(planned: PlannedProbe): Diagnosis | undefined {
  if (planned.handlerKind === 'exec') return undefined;
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
async function slowAnswer({ planned, target, monotonic }: Look): Promise<Diagnosis | undefined> {
  const { timeoutSeconds } = planned.timing;
  const most = Math.min(LONGEST_SLOW_MILLISECONDS / 1000, Math.max(10, timeoutSeconds * SLOW_TIMES));
  if (most <= timeoutSeconds) return undefined;
  const before = monotonic();
  const answer = await askProbe({ ...planned, timing: { ...planned.timing, timeoutSeconds: most } }, target, false);
  if ('notRun' in answer || !isSuccess(answer)) return undefined;
  const seconds = (monotonic() - before) / 1000;
  const value = Math.ceil(seconds * 2);
  return {
    cause: 'slow',
    remedy: `The answer comes after ${seconds.toFixed(1)} s. Make the endpoint faster, or set timeoutSeconds: ${value}.`,
    edits: [{ path: probeField(planned, 'timeoutSeconds'), value }],
  };
}

async function loopbackOnly({ target }: Look, port: number): Promise<Diagnosis | undefined> {
  if (!(await target.isLoopbackOnly(port))) return undefined;
  return { cause: 'loopback-only', remedy: causeTexts('loopback-only').remedy, edits: [] };
}

/** Another declared port on which the same probe passes. */
async function otherPort({ planned, target }: Look, port: number): Promise<Diagnosis | undefined> {
  for (const other of declaredPorts(planned.spec)) {
    if (other.number === port) continue;
    const moved = { ...planned, handler: { ...planned.handler, port: other.number } };
    const answer = await askProbe(withTimeout(moved), target, false);
    if ('notRun' in answer || answer.result !== 'success') continue;
    const value = other.name ?? other.number;
    return {
      cause: 'connection-refused',
      remedy: `The probe passes on port ${value}: set ${planned.handlerKind}.port to it.`,
      edits: [{ path: probeField(planned, planned.handlerKind, 'port'), value }],
    };
  }
  return undefined;
}

function withTimeout(planned: PlannedProbe): PlannedProbe {
  return { ...planned, timing: { ...planned.timing, timeoutSeconds: LOOK_MILLISECONDS / 1000 } };
}

/** The other scheme, if the probe passes with it. */
async function wrongScheme({ planned, target }: Look, port: number): Promise<Diagnosis | undefined> {
  if (planned.handlerKind !== 'httpGet') return undefined;
  const request = httpRequestOf(planned, port);
  const answer = await askHttp(target, { ...request, isHttps: !request.isHttps }, LOOK_MILLISECONDS);
  if ('notRun' in answer || answer.code === undefined) return undefined;
  const value = request.isHttps ? 'HTTP' : 'HTTPS';
  // A server of HTTP/1.1 answers a plain request with 400 where it expects TLS.
  if (!isSuccess(answer) && answer.code === 400) return undefined;
  const status = isSuccess(answer) ? 'passes' : `gets HTTP status ${answer.code}`;
  return {
    cause: 'tls-mismatch',
    remedy: `With ${value} the probe ${status}: set httpGet.scheme: ${value}.`,
    edits: [{ path: probeField(planned, planned.handlerKind, 'scheme'), value }],
  };
}

/** What else the port speaks: gRPC, HTTP/2 without TLS, gRPC with TLS, HTTP. */
async function otherProtocol({ planned, target }: Look, port: number): Promise<Diagnosis | undefined> {
  const endpoint = await target.endpoint(port);
  if (!('host' in endpoint)) return undefined;
  const { handlerKind } = planned;
  if (handlerKind === 'httpGet') return await http2(planned, endpoint, port);
  if (handlerKind !== 'grpc') return undefined;
  const opened = await openTls(endpoint.host, endpoint.port, ['h2'], AbortSignal.timeout(LOOK_MILLISECONDS));
  if ('socket' in opened) {
    opened.socket.destroy();
    return {
      cause: 'grpc-tls',
      remedy: causeTexts('grpc-tls').remedy,
      edits: otherHandler(planned, 'tcpSocket', { port }),
    };
  }
  const plain = await askHttp(target, { isHttps: false, host: '', port, path: '/', headers: [] }, LOOK_MILLISECONDS);
  if ('notRun' in plain || plain.code === undefined) return undefined;
  return { cause: 'other-protocol', remedy: 'The port speaks HTTP/1.1 and no gRPC: use httpGet.', edits: [] };
}

async function http2(
  planned: PlannedProbe,
  { host, port: at }: Endpoint,
  port: number,
): Promise<Diagnosis | undefined> {
  const session = await openSession(hostPort(host, at), AbortSignal.timeout(LOOK_MILLISECONDS));
  if (session === undefined) return undefined;
  session.destroy();
  const health = await grpcProbe(host, at, '', LOOK_MILLISECONDS);
  if (isSuccess(health)) {
    return {
      cause: 'other-protocol',
      remedy: 'The port speaks gRPC and has a health service: use grpc.',
      edits: otherHandler(planned, 'grpc', { port }),
    };
  }
  const remedy = causeTexts('http2-only').remedy;
  return { cause: 'http2-only', remedy, edits: otherHandler(planned, 'tcpSocket', { port }) };
}

/** Replaces the handler of a probe. */
function otherHandler(planned: PlannedProbe, kind: string, handler: Readonly<Record<string, unknown>>): AdvisedEdit[] {
  return [
    { path: probeField(planned, planned.handlerKind), value: null },
    { path: probeField(planned, kind), value: handler },
  ];
}

/** The health of the whole server, for a service that it does not know; TCP for a server without a health service. */
async function otherService(
  { planned, target, answer }: Look,
  port: number,
  cause: 'grpc-unhealthy' | 'grpc-unimplemented',
): Promise<Diagnosis | undefined> {
  const service = stringMember(planned.handler, 'service') ?? '';
  const endpoint = await target.endpoint(port);
  if (!('host' in endpoint)) return undefined;
  if (cause === 'grpc-unimplemented')
    return { cause, remedy: causeTexts(cause).remedy, edits: otherHandler(planned, 'tcpSocket', { port }) };
  if (service === '' || !/code = NotFound|SERVICE_UNKNOWN/.test(answer.text)) return undefined;
  const whole = await grpcProbe(endpoint.host, endpoint.port, '', LOOK_MILLISECONDS);
  if (!isSuccess(whole)) return undefined;
  return {
    cause,
    remedy: `The server does not know the service ${service}. Without grpc.service the probe passes: remove it.`,
    edits: [{ path: probeField(planned, planned.handlerKind, 'service'), value: null }],
  };
}

/** The header Host that passes: some frameworks answer 400 to hosts that they do not know. */
async function otherHost({ planned, target }: Look, port: number, cause: TryCause): Promise<Diagnosis | undefined> {
  const request = httpRequestOf(planned, port);
  if (cause !== 'http-400' || request.headers.some(([name]) => name.toLowerCase() === 'host')) return undefined;
  const answer = await askHttp(
    target,
    { ...request, headers: [...request.headers, ['Host', 'localhost']] },
    LOOK_MILLISECONDS,
  );
  if ('notRun' in answer || answer.result !== 'success') return undefined;
  const headers = [...request.headers, ['Host', 'localhost'] as const].map(([name, value]) => ({ name, value }));
  return {
    cause,
    remedy:
      'With the header Host: localhost the probe passes: set it in httpGet.httpHeaders, or let the application accept the address of the Pod.',
    edits: [{ path: probeField(planned, planned.handlerKind, 'httpHeaders'), value: headers }],
  };
}

/** A usual path that answers. */
async function otherPath(
  { planned, target }: Look,
  port: number,
  cause: TryCause,
  policyPaths: readonly string[],
): Promise<Diagnosis | undefined> {
  if (cause === 'http-5xx') return undefined;
  const request = httpRequestOf(planned, port);
  const paths = [...new Set([...policyPaths, ...USUAL_PATHS])].filter((path) => path !== request.path);
  const good: string[] = [];
  for (const path of paths) if (await passes(target, { ...request, path })) good.push(path);
  const [best] = good.toSorted((a, b) => rank(a, planned, policyPaths) - rank(b, planned, policyPaths));
  if (best === undefined || good.length >= CATCH_ALL) return undefined;
  const others = good.filter((path) => path !== best);
  const also = others.length === 0 ? '' : ` So ${others.length === 1 ? 'does' : 'do'} ${others.join(', ')}.`;
  return {
    cause,
    remedy: `${best} answers with success: set httpGet.path to it.${also}`,
    edits: [{ path: probeField(planned, planned.handlerKind, 'path'), value: best }],
  };
}

async function passes(target: Target, request: HttpProbe): Promise<boolean> {
  const answer = await askHttp(target, request, LOOK_MILLISECONDS);
  return !('notRun' in answer) && answer.result === 'success';
}

/** The policies' endpoints first, then a path that is named after the question of the probe, never one for another. */
function rank(path: string, { probe }: PlannedProbe, policyPaths: readonly string[]): number {
  const isReady = /ready|readiness/.test(path);
  const isLive = /live|healthy/.test(path);
  const isFor = probe === 'readinessProbe' ? isReady : isLive;
  const isForOther = probe === 'readinessProbe' ? isLive : isReady;
  return (policyPaths.includes(path) ? 0 : 10) + (isFor ? 0 : isForOther ? 4 : 2) + USUAL_PATHS.indexOf(path) / 100;
}
