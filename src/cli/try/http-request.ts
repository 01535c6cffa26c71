import { connect as http2Connect } from 'node:http2';
import { messageOf } from '../../base/text/error-message.ts';
import { firstControlCharacter } from '../../engine/probe/handler-values.ts';
import { KUBE_PROBE } from './answer.ts';
import { GoError, readText, alertText, openTls, type Connect } from './connection.ts';
import { Http1Reader, MOST_BODY_BYTES } from './http1-reader.ts';
import { urlText, type ProbeUrl, type Head, type Headers, type Send } from './http-probe.ts';
import type { Duplex } from 'node:stream';

/** Sends each request over a connection of its own: no proxy, no compression, TLS without verification. */
export function sendOver(connect: Connect): Send {
  return async (url, given, signal) => {
    const headers = probeHeaders(given, url.authority);
    const connection = await connect(url.port, signal);
    const textOf = (error: unknown): string => alertText(error) ?? readText(error, connection);
    signal.addEventListener('abort', () => connection.stream.destroy());
    if (url.scheme === 'http') return await askHttp1(url, headers, connection.stream, textOf);
    // The kubelet offers HTTP/2 over TLS (utilnet.SetTransportDefaults).
    const socket = await openTls(connection, url.host, ['h2', 'http/1.1'], signal);
    if (socket.alpnProtocol === 'h2') return await askHttp2(url, headers, socket);
    return await askHttp1(url, headers, socket, textOf);
  };
}

/** Headers that Go writes itself (net/http/request.go, reqWriteExcludeHeader). */
const OWN_HEADERS = /^(?:host|user-agent|content-length|transfer-encoding|trailer|accept)$/i;

/**
 * The headers of a request, in Go's order. The kubelet adds User-Agent and Accept to those of the manifest, and leaves
 * them out where the manifest empties them (pkg/probe/http/request.go, newProbeRequest).
 *
 * @throws GoError for a value with a control character, which Go does not send
 */
export function probeHeaders(given: Headers, host: string): Headers {
  const first = (wanted: string): string | undefined => given.find(([name]) => name.toLowerCase() === wanted)?.[1];
  const agent = first('user-agent') ?? KUBE_PROBE;
  const accept = first('accept') ?? '*/*';
  const others = given
    .filter(([name]) => !OWN_HEADERS.test(name))
    .map(([name, value]) => [canonical(name), value] as const);
  if (accept !== '') others.push(['Accept', accept]);
  const refused = others.find(([, value]) => firstControlCharacter(value) >= 0)?.[0];
  if (refused !== undefined) throw new GoError(`net/http: invalid header field value for "${refused}"`);
  others.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const named = agent === '' ? [] : [['User-Agent', agent] as const];
  return [['Host', first('host') || host], ...named, ...others, ['Connection', 'close']];
}

/** net/textproto, CanonicalMIMEHeaderKey. */
function canonical(name: string): string {
  return name.toLowerCase().replace(/(?:^|-)[a-z]/g, (letter) => letter.toUpperCase());
}

async function askHttp1(
  { target }: ProbeUrl,
  headers: Headers,
  stream: Duplex,
  textOf: (error: unknown) => string,
): Promise<Head> {
  const reader = new Http1Reader(stream, textOf);
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`);
  stream.write(`GET ${target} HTTP/1.1\r\n${lines.join('')}\r\n`);
  const head = await reader.head();
  return { status: head.status, location: head.location, bodyIsLong: () => reader.bodyIsLong(head) };
}

function askHttp2(url: ProbeUrl, headers: Headers, socket: Duplex): Promise<Head> {
  const named = new Map(headers.map(([name, value]) => [name.toLowerCase(), value]));
  const authority = named.get('host');
  for (const name of ['host', 'connection']) named.delete(name);
  const head = Promise.withResolvers<Head>();
  const body = Promise.withResolvers<boolean>();
  body.promise.catch(() => undefined);
  const refuse = (text: string): void => {
    head.reject(new GoError(text));
    body.reject(new GoError(text));
  };
  const session = http2Connect(urlText(url), { createConnection: () => socket });
  session.on('error', (error) => refuse(messageOf(error)));
  const stream = session.request({ ':path': url.target, ':authority': authority, ...Object.fromEntries(named) });
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes >= MOST_BODY_BYTES) body.resolve(true);
  });
  stream.on('end', () => body.resolve(false));
  stream.on('error', (error) => refuse(`stream error: stream ID 1; ${messageOf(error)}`));
  stream.on('close', () => refuse('unexpected EOF'));
  stream.on('response', ({ ':status': status, location }) =>
    head.resolve({ status: Number(status), location, bodyIsLong: () => body.promise }),
  );
  return head.promise;
}
