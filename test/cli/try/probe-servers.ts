import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { createSecureServer, createServer as createHttp2, type ServerHttp2Stream } from 'node:http2';
import { createServer as createTcp, type AddressInfo, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { makeServingPair } from '../../support/certificate.ts';

/** Starts servers for one test, and ends them with their connections. */
async function listening(server: Server, host: string): Promise<number> {
  const sockets = new Set<Socket>();
  for (const event of ['connection', 'secureConnection'])
    server.on(event, (socket: Socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
    });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A server of HTTP/1.1 without TLS. */
export const http = (handler: Handler, host = '127.0.0.1'): Promise<number> => listening(createHttp(handler), host);

const pair = makeServingPair();

/** A server of HTTP/1.1 with TLS. */
export async function https(handler: Handler, options: object = {}): Promise<number> {
  const { keyPem: key, certPem: cert } = await pair;
  return listening(createHttps({ key, cert, ...options }, handler), '127.0.0.1');
}

/** A server of HTTP/2 without TLS. */
export const h2c = (
  handler: (stream: ServerHttp2Stream, headers: Record<string, unknown>) => void,
): Promise<number> => {
  const server = createHttp2();
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    handler(stream, headers);
  });
  server.on('sessionError', () => undefined);
  return listening(server, '127.0.0.1');
};

/** A server of HTTP/2 with TLS, and of nothing else. */
export async function h2(
  handler: (stream: ServerHttp2Stream, headers: Record<string, unknown>) => void,
): Promise<number> {
  const { keyPem: key, certPem: cert } = await pair;
  const server = createSecureServer({ key, cert, allowHTTP1: false });
  server.on('stream', handler);
  server.on('sessionError', () => undefined);
  return listening(server, '127.0.0.1');
}

/** A server that writes bytes, or does what it likes with a connection. */
export const tcp = (handler: (socket: Socket) => void): Promise<number> => listening(createTcp(handler), '127.0.0.1');

/** A port on which nothing listens. */
export async function closedPort(): Promise<number> {
  const server = createTcp();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** The answer of a health service: HealthCheckResponse with a status, or a status of gRPC alone. */
export function health(answer: { readonly serving?: number; readonly status?: number; readonly message?: string }) {
  return (stream: ServerHttp2Stream): void => {
    const { serving, status = 0, message } = answer;
    const trailers = { 'grpc-status': String(status), ...(message !== undefined && { 'grpc-message': message }) };
    if (serving === undefined) {
      stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...trailers }, { endStream: true });
      return;
    }
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers(trailers));
    const body = serving === 0 ? Buffer.alloc(0) : Buffer.from([8, serving]);
    stream.end(Buffer.concat([Buffer.from([0, 0, 0, 0, body.length]), body]));
  };
}
