import { isSuccess } from './answer.ts';
import { remedyFor, type TryCause } from './cause.ts';
import { openSession } from './grpc-probe.ts';
import { otherPath } from './look-http.ts';
import { asked, diagnosis, LOOK_SECONDS, replaced, type Diagnosis, type Look } from './diagnosis.ts';
import { openTls } from './tls-connection.ts';
import type { Connection } from './connection.ts';

/** What else the port speaks: gRPC, HTTP/2 without TLS, gRPC with TLS, HTTP, or something else. */
export async function otherProtocol(look: Look): Promise<Diagnosis | undefined> {
  const { handlerKind } = look.planned;
  if (handlerKind === 'tcpSocket' || !(await accepts(look))) return undefined;
  if (handlerKind === 'grpc') return (await speaksTls(look)) ? useTcp(look, 'grpc-tls') : await httpForGrpc(look);
  if (await speaksHttp2(look)) return await http2(look);
  // Another protocol, or TLS that asks for a certificate: the kubelet can only see that the port is open.
  const { text } = look.answer;
  if (text.includes('remote error: tls: ')) return useTcp(look, 'tls-handshake');
  return text.includes('malformed HTTP') ? useTcp(look, 'other-protocol') : undefined;
}

function useTcp(look: Look, cause: TryCause): Diagnosis {
  return diagnosis({ cause }, remedyFor(cause), replaced(look, { tcpSocket: { port: look.port } }));
}

/** A connection to the port, which ends with the signal. Undefined where there is none. */
async function connected({ asking: { target }, port }: Look, signal: AbortSignal): Promise<Connection | undefined> {
  try {
    await target.prove?.(port);
    return await target.connect(port, signal);
  } catch {
    return undefined;
  }
}

async function accepts(look: Look): Promise<boolean> {
  const connection = await connected(look, AbortSignal.timeout(LOOK_SECONDS * 1000));
  connection?.stream.destroy();
  return connection !== undefined;
}

async function speaksTls(look: Look): Promise<boolean> {
  const signal = AbortSignal.timeout(LOOK_SECONDS * 1000);
  const connection = await connected(look, signal);
  try {
    if (connection !== undefined) await openTls(connection, look.asking.target.host, ['h2'], signal);
    return connection !== undefined;
  } catch (error) {
    // A server that wants a certificate answers with an alert, which is TLS, too.
    return error instanceof Error && error.message.startsWith('remote error: tls: ');
  } finally {
    connection?.stream.destroy();
  }
}

async function speaksHttp2({ asking, port }: Look): Promise<boolean> {
  const signal = AbortSignal.timeout(LOOK_SECONDS * 1000);
  const session = await openSession(asking.target.connect, port, signal);
  session?.destroy();
  return session !== undefined;
}

/** An HTTP server where a gRPC server is asked. */
async function httpForGrpc(look: Look): Promise<Diagnosis | undefined> {
  const { port, planned } = look;
  const path = await otherPath({ ...look, cause: 'other-protocol', planned: { ...planned, handler: { port } } });
  const found = path?.edits[0]?.value;
  if (path === undefined || found === undefined) return undefined;
  const remedy = `The port speaks HTTP/1.1 and no gRPC: use httpGet. ${path.remedy}`;
  return diagnosis(path, remedy, replaced(look, { httpGet: { path: found, port } }));
}

/** HTTP/2 without TLS. A gRPC server with a health service is asked by grpc. */
async function http2(look: Look): Promise<Diagnosis> {
  const { port } = look;
  const health = await asked(look, 'grpc', { port });
  if (health === undefined || !isSuccess(health)) return useTcp(look, 'http2-only');
  const remedy = 'The port speaks gRPC and has a health service: use grpc.';
  return diagnosis({ cause: 'http2-only' }, remedy, replaced(look, { grpc: { port } }));
}

/** A port that takes connections, where a gRPC probe got none: it is no gRPC that fails. */
export async function isOpen(look: Look): Promise<Diagnosis | undefined> {
  if (look.planned.handlerKind !== 'grpc' || !(await accepts(look))) return undefined;
  const remedy = 'The port is open, and speaks no gRPC. Set the port of the gRPC server, or use tcpSocket.';
  return diagnosis({ cause: 'other-protocol' }, remedy);
}
