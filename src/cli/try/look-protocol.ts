import { isSuccess, type Answer } from './answer.ts';
import { httpRequestOf } from './ask.ts';
import { remedyFor } from './cause.ts';
import { dial } from './connection.ts';
import { LOOK_MILLISECONDS, replaced, type Diagnosis, type Look } from './diagnosis.ts';
import { grpcProbe, openSession } from './grpc-probe.ts';
import { otherPath } from './look-http.ts';
import { openTls } from './tls-connection.ts';
import type { Endpoint } from './connection.ts';
import type { Target } from './target.ts';

/** What else the port speaks: gRPC, HTTP/2 without TLS, gRPC with TLS, HTTP, or something else. */
export async function otherProtocol(look: Look, port: number): Promise<Diagnosis | undefined> {
  const { planned, target } = look;
  const endpoint = await target.endpoint(port);
  if (!('host' in endpoint)) return undefined;
  if (planned.handlerKind === 'grpc')
    return (await grpcOverTls(look, endpoint, port)) ?? (await httpForGrpc(look, port));
  if (planned.handlerKind !== 'httpGet') return undefined;
  return (await http2(look, endpoint, port)) ?? noHttp(look, port);
}

async function grpcOverTls({ planned }: Look, endpoint: Endpoint, port: number): Promise<Diagnosis | undefined> {
  if (!(await speaksTls(endpoint))) return undefined;
  const cause = 'grpc-tls';
  return { cause, remedy: remedyFor(cause), edits: replaced(planned, { tcpSocket: { port } }) };
}

async function speaksTls(endpoint: Endpoint): Promise<boolean> {
  const signal = AbortSignal.timeout(LOOK_MILLISECONDS);
  try {
    const connection = await dial(endpoint, endpoint, signal);
    (await openTls(connection, endpoint.host, ['h2'], signal)).destroy();
    return true;
  } catch (error) {
    // A server that wants a certificate answers with an alert, which is TLS, too.
    return error instanceof Error && error.message.startsWith('remote error: tls: ');
  }
}

/** An HTTP server where a gRPC server is asked. */
async function httpForGrpc(look: Look, port: number): Promise<Diagnosis | undefined> {
  const { planned } = look;
  const asHttp = { ...planned, handlerKind: 'httpGet' as const, handler: { port } };
  const path = await otherPath({ ...look, planned: asHttp }, httpRequestOf(asHttp, port), 'other-protocol');
  const found = path?.edits[0]?.value;
  if (path === undefined || found === undefined) return undefined;
  return {
    cause: 'other-protocol',
    remedy: `The port speaks HTTP/1.1 and no gRPC: use httpGet. ${path.remedy}`,
    edits: replaced(planned, { httpGet: { path: found, port } }),
  };
}

/** HTTP/2 without TLS. A gRPC server with a health service is asked by grpc. */
async function http2({ planned, target }: Look, endpoint: Endpoint, port: number): Promise<Diagnosis | undefined> {
  const session = await openSession(endpoint, AbortSignal.timeout(LOOK_MILLISECONDS));
  if (session === undefined) return undefined;
  session.destroy();
  const health = await grpcHealth(target, port);
  const cause = 'http2-only';
  if (health !== undefined && isSuccess(health)) {
    const remedy = 'The port speaks gRPC and has a health service: use grpc.';
    return { cause, remedy, edits: replaced(planned, { grpc: { port } }) };
  }
  return { cause, remedy: remedyFor(cause), edits: replaced(planned, { tcpSocket: { port } }) };
}

/** Another protocol, or TLS that asks for a certificate: the kubelet can only see that the port is open. */
function noHttp({ planned, answer }: Look, port: number): Diagnosis | undefined {
  const cause = answer.text.includes('remote error: tls: ') ? 'tls-handshake' : 'other-protocol';
  if (cause === 'other-protocol' && !answer.text.includes('malformed HTTP')) return undefined;
  return { cause, remedy: remedyFor(cause), edits: replaced(planned, { tcpSocket: { port } }) };
}

/** The answer of the health service for the whole server. Undefined when the port cannot be reached. */
export async function grpcHealth(target: Target, port: number): Promise<Answer | undefined> {
  const endpoint = await target.endpoint(port);
  if (!('host' in endpoint)) return undefined;
  return await grpcProbe(endpoint, { host: target.host, port }, '', LOOK_MILLISECONDS);
}
