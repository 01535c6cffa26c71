import type { JsonObject } from '../../base/json/json-value.ts';
import { isSuccess, type Answer } from './answer.ts';
import { causeOfAnswer, remedyFor, asked, diagnosis, edit, replaced, LOOK_SECONDS } from './diagnosis.ts';
import type { TryCause, Diagnosis, Finder, Look } from './diagnosis.ts';
import { localHost, otherPath, secureProto, wrongScheme } from './look-http.ts';
import { portOf, type ProbeToTry } from './planned-probes.ts';
import { openSession } from './grpc-probe.ts';
import { openTls } from './connection.ts';
import { execCommandOf } from '../../engine/command/words.ts';
import { localClient } from '../../engine/command/asks.ts';
import { isTcp } from '../../engine/workload/ports.ts';
import { readHandler } from '../../engine/workload/read-probe.ts';
import { MESH_REFUSALS } from '../../observer/failing/causes.ts';
import type { Asking } from './ask.ts';
import type { Target } from './target.ts';

/**
 * Looks why a probe has failed, and finds what would pass. Asks only the target: the port of the probe, the ports that
 * the container declares or listens on, the path of the probe and the usual paths.
 *
 * @param late the diagnosis of a success that comes too late
 */
export async function lookFurther(
  planned: ProbeToTry,
  answer: Answer,
  asking: Asking,
  late: Diagnosis | undefined,
): Promise<Diagnosis | undefined> {
  const ofAnswer = causeOfAnswer(answer, planned.handler.kind);
  const cause = ofAnswer ?? late?.cause;
  if (cause === undefined) return undefined;
  const port = planned.handler.kind === 'exec' ? 0 : portOf(planned);
  // The probe has been run before, so it may be run again.
  const again = { ...asking, allowsSideEffects: true };
  const look = { planned, answer, asking: again, cause, port: typeof port === 'number' ? port : 0 };
  if (planned.isLeftPlain && MESH_REFUSALS.has(cause))
    return diagnosis({ cause: 'mesh-plain' }, remedyFor('mesh-plain'));
  const finders = planned.handler.kind === 'exec' ? COMMAND_FINDERS[cause] : (FINDERS[cause] ?? [otherPath]);
  for (const find of finders ?? []) {
    const found = await find(look);
    if (found !== undefined) return found;
  }
  return ofAnswer === undefined ? late : diagnosis(look, remedyFor(cause, answer));
}

/** A server may close the connection for a path or a host that it does not know, as nginx does with 444. */
const ELSEWHERE: readonly Finder[] = [
  proxyHeader,
  otherProtocol,
  loopbackOnly,
  otherPath,
  localHost,
  otherPort,
  openToTcp,
];

/** What is tried for each cause, in this order. */
const FINDERS: Readonly<Partial<Record<TryCause, readonly Finder[]>>> = {
  timeout: [
    dropped,
    pastScrape,
    slowAnswer,
    (look) => (look.answer.code === undefined ? wrongScheme : otherPath)(look),
    otherProtocol,
  ],
  'connection-refused': [otherProtocol, loopbackOnly, otherPort, isOpen],
  unreachable: [otherProtocol, loopbackOnly, otherPort],
  'grpc-service-unknown': [otherService],
  'grpc-unhealthy': [],
  'grpc-error': [],
  'rate-limit': [],
  'connection-timeout': [],
  'redirect-https': [wrongScheme, otherPath, secureProto],
  'grpc-unimplemented': [useTcp],
  'tls-mismatch': [wrongScheme, ...ELSEWHERE],
  'tls-handshake': [wrongScheme, ...ELSEWHERE],
  'other-protocol': [wrongScheme, ...ELSEWHERE],
  unclear: [wrongScheme, ...ELSEWHERE],
  // Servers of TLS answer 400 to a request without it.
  'http-400': [wrongScheme, localHost, otherPath, proxyHeader],
  'http-403': [localHost, otherPath],
  'http-404': [otherPath, localHost, otherPort],
  'http-4xx': [async (look) => (look.answer.code === 421 ? await localHost(look) : undefined), otherPath],
  'http-3xx': [otherPath, secureProto],
  slow: [pastScrape],
  'body-over-10-kib': [pastScrape],
  'redirect-other-host': [otherPath, secureProto],
  'port-name-undeclared': [undeclaredName],
};
const COMMAND_FINDERS: typeof FINDERS = { 'executable-not-found': [withoutProgram], timeout: [slowAnswer] };

/** A port name that the container does not declare, while it declares one port. */
function undeclaredName(look: Look): Diagnosis | undefined {
  const { handler, container } = look.planned;
  const [only, ...others] = container.readablePorts.filter(isTcp);
  if (only === undefined || others.length > 0) return undefined;
  const value = only.name ?? only.number;
  const remedy = `Set ${handler.kind}.port to ${value}, which the container declares.`;
  return diagnosis(look, remedy, [edit(look, [handler.kind, 'port'], value)]);
}

/** Paths that render all metrics: they are slow and long, and say nothing about health. */
const SCRAPE_PATH = /(?:^|[/_-])(?:metrics|prometheus|federate|stats)(?:$|[/?])/i;

/** A health path in the place of a scrape path. */
async function pastScrape(look: Look): Promise<Diagnosis | undefined> {
  const { handler } = look.planned;
  const { path = '' } = handler.kind === 'httpGet' ? handler : {};
  const found = SCRAPE_PATH.test(path) ? await otherPath(look) : undefined;
  return (
    found && diagnosis(look, `${path} renders all metrics and says nothing about health. ${found.remedy}`, found.edits)
  );
}

/** An answer that comes so late is slow, and no answer at all. */
const LEAST_SLOW_SECONDS = 5;
const LEAST_BODY_SECONDS = 3;
const MOST_SLOW_SECONDS = 30;

/** Asks once more, and waits longer than the probe does. */
async function slowAnswer(look: Look): Promise<Diagnosis | undefined> {
  const { handler, timing } = look.planned;
  // A body that has begun and does not end is often a stream.
  const least = look.answer.code === undefined ? LEAST_SLOW_SECONDS : LEAST_BODY_SECONDS;
  const most = Math.min(MOST_SLOW_SECONDS, Math.max(least, timing.timeoutSeconds * 4));
  if (most <= timing.timeoutSeconds) return undefined;
  const answer = await asked(look, handler, most);
  if (answer === undefined || !isSuccess(answer)) return undefined;
  const seconds = (answer.milliseconds ?? 0) / 1000;
  const value = Math.max(timing.timeoutSeconds + 1, Math.ceil(seconds * 2));
  // A quick answer to the second question does not explain the first one.
  const late = seconds > timing.timeoutSeconds ? `The answer comes after ${seconds.toFixed(1)} s. ` : '';
  const remedy = `${late}Make the endpoint faster, or set timeoutSeconds: ${value}.`;
  return diagnosis({ cause: 'slow' }, remedy, [edit(look, ['timeoutSeconds'], value)]);
}

async function loopbackOnly({ asking, port }: Look): Promise<Diagnosis | undefined> {
  const cause = 'loopback-only';
  return (await asking.target.isLoopbackOnly(port)) ? diagnosis({ cause }, remedyFor(cause)) : undefined;
}

/** The most ports that are tried beside the declared ones. */
const MOST_PORTS = 8;

/** Another port on which the probe passes, with its own path or a usual one. */
async function otherPort(look: Look): Promise<Diagnosis | undefined> {
  const { handler, container } = look.planned;
  const declared = container.readablePorts.filter(isTcp);
  const open = (await look.asking.target.listeningPorts?.()) ?? [];
  const numbers = new Set([...declared.map(({ number }) => number), ...open.slice(0, MOST_PORTS)]);
  numbers.delete(look.port);
  for (const port of numbers) {
    const value = declared.find(({ number }) => number === port)?.name ?? port;
    const edits = [edit(look, [handler.kind, 'port'], value)];
    const there = readHandler(handler.kind, { ...handler.spec, port });
    const moved = { ...look, port, planned: { ...look.planned, handler: there } };
    const answer = await asked(moved, there);
    if (answer?.result === 'success')
      return diagnosis(look, `The probe passes on port ${value}: set ${handler.kind}.port to it.`, edits);
    const path = handler.kind === 'httpGet' && answer?.code !== undefined ? await otherPath(moved) : undefined;
    if (path !== undefined)
      return diagnosis(look, `Port ${value} answers: set httpGet.port to it. ${path.remedy}`, [
        ...edits,
        ...path.edits,
      ]);
  }
  return undefined;
}

/** The health of the whole server, for a service that it does not know. */
async function otherService(look: Look): Promise<Diagnosis | undefined> {
  const { handler } = look.planned;
  const { service = '' } = handler.kind === 'grpc' ? handler : {};
  if (service === '' || !/code = NotFound|SERVICE_UNKNOWN/.test(look.answer.text)) return undefined;
  const whole = await asked(look, readHandler('grpc', { port: look.port }));
  if (whole?.result !== 'success') return undefined;
  const remedy = `The server does not know the service ${service}. Without grpc.service the probe passes: remove it.`;
  return diagnosis(look, remedy, [edit(look, ['grpc', 'service'], null)]);
}

/** The probe that a client in the command would make, if the kubelet can make it itself. */
async function withoutProgram(look: Look): Promise<Diagnosis | undefined> {
  const found = localClient(execCommandOf(look.planned.handler.spec))?.handler ?? {};
  const [kind, handler] = Object.entries(found)[0] ?? [];
  if (kind !== 'httpGet' && kind !== 'tcpSocket') return undefined;
  const answer = await asked(look, readHandler(kind, handler as JsonObject), look.planned.timing.timeoutSeconds);
  if (answer?.result !== 'success') return undefined;
  const remedy = `The image does not have the program. The kubelet can ask itself, and that passes: use ${kind}.`;
  return diagnosis(look, remedy, replaced(look, found));
}

/** What else the port speaks: gRPC, HTTP/2 without TLS, gRPC with TLS, HTTP, or something else. */
async function otherProtocol(look: Look): Promise<Diagnosis | undefined> {
  const { kind } = look.planned.handler;
  if (kind === 'tcpSocket' || !(await accepts(look))) return undefined;
  if (kind === 'grpc') return (await speaksTls(look)) ? useTcp(look, 'grpc-tls') : await httpForGrpc(look);
  return (await speaksHttp2(look)) ? await http2(look) : undefined;
}

/** Another protocol, or TLS that asks for a certificate: the kubelet can only see that the port is open. */
async function openToTcp(look: Look): Promise<Diagnosis | undefined> {
  const { text } = look.answer;
  if (look.planned.handler.kind === 'tcpSocket' || !(await accepts(look))) return undefined;
  if (text.includes('remote error: tls: ')) return useTcp(look, 'tls-handshake');
  return text.includes('malformed HTTP') ? useTcp(look, 'other-protocol') : undefined;
}

function useTcp(look: Look, cause = look.cause): Diagnosis {
  return diagnosis({ cause }, remedyFor(cause), replaced(look, { tcpSocket: { port: look.port } }));
}

/** A connection that nobody answers is no slow answer: packets are dropped. */
async function dropped(look: Look): Promise<Diagnosis | undefined> {
  if (look.answer.code !== undefined || look.planned.handler.kind === 'exec') return undefined;
  const { text = '' } = (await asked(look, readHandler('tcpSocket', { port: look.port }))) ?? {};
  const cause = 'connection-timeout';
  return text.endsWith('i/o timeout') ? diagnosis({ cause }, remedyFor(cause)) : undefined;
}

const PROXY_HEADER = 'PROXY TCP4 127.0.0.1 127.0.0.1 4711 80\r\n';

/** A server behind a load balancer may answer only after a line with the address of the client (PROXY protocol 1). */
async function proxyHeader(look: Look): Promise<Diagnosis | undefined> {
  const { handler } = look.planned;
  if (handler.kind !== 'httpGet' || handler.scheme === 'HTTPS') return undefined;
  const { target } = look.asking;
  const introduced: Target = {
    ...target,
    proxied: () => undefined,
    connect: async (port, signal) => {
      const connection = await target.connect(port, signal);
      connection.stream.write(PROXY_HEADER);
      return connection;
    },
  };
  const answer = await asked({ ...look, asking: { ...look.asking, target: introduced } }, handler);
  // A server of plain HTTP answers 400 to such a line. A broken answer, or the same one, tells nothing of the line.
  const isOther = answer !== undefined && answer.text !== look.answer.text && !answer.result.endsWith('error');
  if (!isOther || answer.code === undefined || answer.code === 400) return undefined;
  const cause = 'proxy-header';
  return diagnosis({ cause }, remedyFor(cause));
}

/** True when the port accepts a connection. */
async function accepts(look: Look): Promise<boolean> {
  return (await asked(look, readHandler('tcpSocket', { port: look.port })))?.result === 'success';
}

/** For a port that accepts connections. */
async function speaksTls({ asking: { target }, port }: Look): Promise<boolean> {
  const signal = AbortSignal.timeout(LOOK_SECONDS * 1000);
  try {
    const connection = await target.connect(port, signal);
    await openTls(connection, target.host, ['h2'], signal).finally(() => connection.stream.destroy());
    return true;
  } catch (error) {
    // A server that wants a certificate answers with an alert, which is TLS, too.
    return error instanceof Error && error.message.startsWith('remote error: tls: ');
  }
}

async function speaksHttp2({ asking, port }: Look): Promise<boolean> {
  const signal = AbortSignal.timeout(LOOK_SECONDS * 1000);
  const session = await openSession(asking.target.connect, port, signal);
  session?.destroy();
  return session !== undefined;
}

async function httpForGrpc(look: Look): Promise<Diagnosis | undefined> {
  const { port, planned } = look;
  const handler = readHandler('httpGet', { port });
  const path = await otherPath({ ...look, cause: 'other-protocol', planned: { ...planned, handler } });
  const found = path?.edits[0]?.value;
  if (path === undefined || found === undefined) return undefined;
  const remedy = `The port speaks HTTP/1.1 and no gRPC: use httpGet. ${path.remedy}`;
  return diagnosis(path, remedy, replaced(look, { httpGet: { path: found, port } }));
}

/** HTTP/2 without TLS. A gRPC server with a health service is asked by grpc. */
async function http2(look: Look): Promise<Diagnosis> {
  const { port } = look;
  const health = await asked(look, readHandler('grpc', { port }));
  if (health === undefined || !isSuccess(health)) return useTcp(look, 'http2-only');
  const remedy = 'The port speaks gRPC and has a health service: use grpc.';
  return diagnosis({ cause: 'http2-only' }, remedy, replaced(look, { grpc: { port } }));
}

/** A port that takes connections, where a gRPC probe got none: it is no gRPC that fails. */
async function isOpen(look: Look): Promise<Diagnosis | undefined> {
  if (look.planned.handler.kind !== 'grpc' || !(await accepts(look))) return undefined;
  const remedy = 'The port is open, and speaks no gRPC. Set the port of the gRPC server, or use tcpSocket.';
  return diagnosis({ cause: 'other-protocol' }, remedy);
}
