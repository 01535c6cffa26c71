import { setTimeout as sleep } from 'node:timers/promises';
import { closedPort, h2, h2c, health, http, https, tcp } from './probe-servers.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';

/** When a server of bare TCP does something. */
type Moment = 'at once' | 'after the request';

/** A server as the cases of test/fixtures/try describe it. Without a protocol it speaks HTTP/1.1. */
export interface DescribedServer {
  readonly protocol?: 'https' | 'h2' | 'h2c' | 'tcp' | 'nothing';
  /** The address on which it listens. */
  readonly host?: string;
  /** Options of its TLS. */
  readonly tls?: object;

  /** Of HTTP. The status of all paths, or of those that it knows; others have 404. 444 = no answer, as nginx closes. */
  readonly status?: number | Readonly<Record<string, number>>;
  /** Where all paths are redirected to, or those that it knows; others have 200. */
  readonly location?: string | Readonly<Record<string, string>>;
  /** So many redirects, one after the other, and then 200. */
  readonly redirects?: number;
  /** Headers, or `url`, that a request must have; null = must not. Others are answered as `else` says, by default with 400. */
  readonly wants?: Readonly<Record<string, string | null>>;
  readonly else?: DescribedServer;
  /** Bytes of the body, by default none. */
  readonly bytes?: number;
  /** True, or the path for which it is: the body never ends. */
  readonly endless?: boolean | string;
  /** Milliseconds until the headers come, and until the body ends. */
  readonly late?: readonly [headers: number, body?: number];
  readonly isSilent?: boolean;

  /** Of gRPC. */
  readonly health?: Parameters<typeof health>[0];
  /** What it answers when the request names a service. */
  readonly healthOfServices?: Parameters<typeof health>[0];
  /** Headers of an answer that is no gRPC. */
  readonly headers?: Readonly<Record<string, string | number>>;

  /** Of TCP. Bytes, before the connection is closed. */
  readonly says?: string;
  readonly closes?: Moment;
  readonly resets?: Moment;
  /** True = the bytes, or the headers of HTTP/2, stand before the end. */
  readonly saysFirst?: boolean;
  /** Of HTTP/2: the code with which the session ends. */
  readonly goaway?: number;
}

/** Starts a server for one test, and returns its port. */
export function startDescribed(server: DescribedServer): Promise<number> {
  const handler = (request: IncomingMessage, response: ServerResponse): void => void answer(server, request, response);
  switch (server.protocol) {
    case 'nothing':
      return closedPort();
    case 'tcp':
      return tcp((socket) => act(server, socket));
    case 'h2':
      return h2((stream) => respond(server, stream));
    case 'h2c':
      return h2c((stream) => respond(server, stream));
    case 'https':
      return https(handler, server.tls);
    default:
      return http(handler, server.host);
  }
}

/** How many redirects each server has made. */
const redirected = new WeakMap<DescribedServer, number>();

async function answer(server: DescribedServer, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { status, location, redirects = 0, wants, late, bytes = 0, endless } = server;
  const { url = '', headers } = request;
  if (server.isSilent === true) return;
  const isRight = Object.entries(wants ?? {}).every(
    ([name, value]) => ((name === 'url' ? url : headers[name]) ?? null) === value,
  );
  if (!isRight) return answer(server.else ?? { status: 400 }, request, response);
  const made = redirected.get(server) ?? 0;
  redirected.set(server, made + 1);
  const to = made < redirects ? `/${made}` : typeof location === 'object' ? location[url] : location;
  if (late !== undefined) await sleep(late[0]);
  response.statusCode = (typeof status === 'object' ? (status[url] ?? 404) : status) ?? (to === undefined ? 200 : 302);
  if (to !== undefined) response.setHeader('location', to);
  if (response.statusCode === 444) return void request.socket.destroy();
  response.write('a'.repeat(bytes));
  if (endless === true || endless === url) {
    response.flushHeaders();
    return;
  }
  if (late?.[1] !== undefined) {
    response.flushHeaders();
    await sleep(late[1] - late[0]);
  }
  response.end();
}

function respond({ isSilent, closes, resets, goaway, ...server }: DescribedServer, stream: ServerHttp2Stream): void {
  if (isSilent === true) return;
  if ((resets ?? closes ?? goaway) !== undefined) {
    stream.on('error', () => undefined);
    if (server.saysFirst === true) stream.respond({ ':status': 200 });
    if (goaway !== undefined) stream.session?.goaway(goaway);
    setTimeout(() => (resets === undefined ? stream.session?.destroy() : stream.destroy(new Error('broken'))), 50);
  } else if (server.healthOfServices !== undefined)
    stream.once('data', (bytes: Buffer) =>
      health((bytes.length > 5 ? server.healthOfServices : server.health) ?? {})(stream),
    );
  else if (server.health !== undefined) health(server.health)(stream);
  else stream.respond({ ':status': server.status as number, ...server.headers }, { endStream: true });
}

function act({ says, saysFirst, closes, resets }: DescribedServer, socket: Socket): void {
  const end = (): void => {
    if (saysFirst === true) socket.write(says ?? '', () => setTimeout(() => socket.resetAndDestroy(), 50));
    else if (resets !== undefined) socket.resetAndDestroy();
    else socket.end(says ?? '');
  };
  const moment = closes ?? resets ?? (says === undefined ? undefined : 'after the request');
  if (moment === 'at once') end();
  else if (moment !== undefined) socket.once('data', end);
}
