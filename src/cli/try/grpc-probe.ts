import { connect as http2Connect, constants } from 'node:http2';
import type { ClientHttp2Session, IncomingHttpHeaders, IncomingHttpStatusHeader } from 'node:http2';
import { STATUS_CODES } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { failure, goDuration, hostPort, KUBE_PROBE, NotRun, SUCCESS, type Answer } from './answer.ts';
import { until, type Connect, type Endpoint } from './connection.ts';
import { decoded } from './http-probe.ts';
import { http2Code } from './http-request.ts';

/** google.golang.org/grpc/codes, by number. */
const CODES =
  'OK Canceled Unknown InvalidArgument DeadlineExceeded NotFound AlreadyExists PermissionDenied ResourceExhausted FailedPrecondition Aborted OutOfRange Unimplemented Internal Unavailable DataLoss Unauthenticated'.split(
    ' ',
  );
const [UNKNOWN, DEADLINE_EXCEEDED, UNIMPLEMENTED, INTERNAL, UNAVAILABLE] = [2, 4, 12, 13, 14];
/** grpc.health.v1, HealthCheckResponse.ServingStatus, by number. */
const SERVING_STATUS = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'];
/** What grpc-go makes of an HTTP status without a gRPC status (internal/transport/http_util.go, HTTPStatusConvTab). */
const CODE_OF_HTTP: Readonly<Record<number, number>> = {
  400: INTERNAL,
  401: 16,
  403: 7,
  404: UNIMPLEMENTED,
  429: UNAVAILABLE,
  502: UNAVAILABLE,
  503: UNAVAILABLE,
  504: UNAVAILABLE,
};
/** The same for the code of a stream that is reset (internal/transport/http_util.go, http2ErrConvTab). */
const CODE_OF_RESET: Readonly<Record<number, number>> = { 3: 8, 7: UNAVAILABLE, 11: 8, 12: 7 };
const NO_TRAILERS = { code: INTERNAL, message: 'server closed the stream without sending trailers' };
/** grpc-go waits about so long before it dials again (backoff.DefaultConfig, BaseDelay). */
const DIAL_PAUSE_MILLISECONDS = 1000;

/**
 * Runs a gRPC probe as the kubelet does (pkg/probe/grpc/grpc.go, Probe): without TLS, one call of
 * grpc.health.v1.Health/Check. A connection counts once the server's first SETTINGS have come. Until the time is over,
 * a failed connection is tried again. Rejects with NotRun.
 *
 * The call is one request of HTTP/2. `@grpc/grpc-js` brings a package with an install script for it, which
 * test/robustness/supply-chain.hostile.test.ts refuses.
 *
 * @param shown the address that events name
 * @param timeoutMilliseconds timeoutSeconds of the probe
 */
export async function grpcProbe(
  connect: Connect,
  shown: Endpoint,
  service: string,
  timeoutMilliseconds: number,
): Promise<Answer> {
  const signal = AbortSignal.timeout(timeoutMilliseconds);
  do {
    const session = await openSession(connect, shown.port, signal);
    if (session !== undefined) {
      const end = await call(session, hostPort(shown.host, shown.port), service, signal);
      session.destroy();
      return verdict(end, timeoutMilliseconds);
    }
    await sleep(DIAL_PAUSE_MILLISECONDS, undefined, { signal }).catch(() => undefined);
  } while (!signal.aborted);
  return unconnected(shown, timeoutMilliseconds);
}

/** The failure of a probe that got no connection (grpc.go, DialContext with WithBlock). */
export function unconnected({ host, port }: Endpoint, timeoutMilliseconds: number): Answer {
  const within = `within ${goDuration(timeoutMilliseconds / 1000)}: context deadline exceeded`;
  return failure(`timeout: failed to connect service "${hostPort(host, port)}" ${within}`);
}

/** A session whose server has sent its settings; undefined for any other server. Rejects with NotRun. */
export async function openSession(
  connect: Connect,
  port: number,
  signal: AbortSignal,
): Promise<ClientHttp2Session | undefined> {
  let session: ClientHttp2Session | undefined;
  try {
    const { stream } = await connect(port, signal);
    session = http2Connect('http://probe', { createConnection: () => stream });
    await until(session, 'remoteSettings', signal);
    return session;
  } catch (error) {
    session?.destroy();
    if (error instanceof NotRun) throw error;
    return undefined;
  }
}

/** The end of a call: the status and its message as the server sent them, or how the connection ended. */
interface CallEnd {
  readonly code: number;
  readonly message: string;
  readonly body?: Buffer;
}

function verdict({ code, message, body }: CallEnd, timeoutMilliseconds: number): Answer {
  if (code === UNIMPLEMENTED)
    return failure(
      `error: this server does not implement the grpc health protocol (grpc.health.v1.Health): ${message}`,
    );
  if (code === DEADLINE_EXCEEDED)
    return failure(`timeout: health rpc did not complete within ${goDuration(timeoutMilliseconds / 1000)}`);
  if (code !== 0)
    return failure(`error: health rpc probe failed: rpc error: code = ${CODES[code] ?? code} desc = ${message}`);
  const status = servingStatus(body ?? Buffer.alloc(0));
  return status === 'SERVING' ? SUCCESS : failure(`service unhealthy (responded with "${status}")`);
}

async function call(
  session: ClientHttp2Session,
  address: string,
  service: string,
  signal: AbortSignal,
): Promise<CallEnd> {
  session.on('error', () => undefined);
  const stream = session.request(
    {
      ':method': 'POST',
      ':path': '/grpc.health.v1.Health/Check',
      ':authority': address,
      'content-type': 'application/grpc',
      'user-agent': KUBE_PROBE,
      te: 'trailers',
    },
    { signal },
  );
  const chunks: Buffer[] = [];
  const fields: IncomingHttpHeaders & IncomingHttpStatusHeader = {};
  stream.on('response', (headers) => Object.assign(fields, headers));
  stream.on('trailers', (trailers: IncomingHttpHeaders) => Object.assign(fields, trailers));
  stream.on('data', (chunk: Buffer) => {
    // An answer of the health service has a few bytes.
    if (chunks.length < 16) chunks.push(chunk);
  });
  stream.on('error', () => undefined);
  stream.end(request(service));
  await new Promise((resolve) => stream.once('close', resolve));
  const { ':status': http, 'grpc-status': status, 'grpc-message': message = '' } = fields;
  if (signal.aborted) return { code: DEADLINE_EXCEEDED, message: '' };
  if (status !== undefined)
    return { code: Number(status), message: decoded(String(message)), body: Buffer.concat(chunks) };
  const type = fields['content-type'];
  if (http !== undefined && type?.startsWith('application/grpc') !== true) return withoutGrpc(http, type);
  const reset = stream.rstCode;
  // Node's code for a connection that is lost.
  if (reset === constants.NGHTTP2_CANCEL) return { code: UNAVAILABLE, message: 'error reading from server: EOF' };
  if (reset === constants.NGHTTP2_NO_ERROR) return NO_TRAILERS;
  const how = `stream terminated by RST_STREAM with error code: ${http2Code(reset)}`;
  return { code: CODE_OF_RESET[reset] ?? INTERNAL, message: how };
}

/** An answer of a server that speaks HTTP/2 and no gRPC (internal/transport/http2_client.go, operateHeaders). */
function withoutGrpc(status: number, type: string | undefined): CallEnd {
  const what =
    type === undefined
      ? 'malformed header: missing HTTP content-type'
      : `transport: received unexpected content-type "${type}"`;
  const message = `unexpected HTTP status code received from server: ${status} (${STATUS_CODES[status] ?? ''}); ${what}`;
  return { code: CODE_OF_HTTP[status] ?? UNKNOWN, message };
}

/** A HealthCheckRequest in a frame of gRPC: field 1 is the service's name. */
function request(service: string): Buffer {
  const name = Buffer.from(service);
  const message = name.length === 0 ? name : Buffer.from([0x0a, ...varint(name.length), ...name]);
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

function varint(value: number): number[] {
  return value > 127 ? [(value % 128) | 128, ...varint(Math.floor(value / 128))] : [value];
}

/** Field 1 of a HealthCheckResponse in a frame of gRPC. Absent means 0. */
function servingStatus(body: Buffer): string {
  const value = body[5] === 0x08 ? (body[6] ?? 0) : 0;
  return SERVING_STATUS[value] ?? String(value);
}
