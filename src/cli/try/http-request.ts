import { connect as http2Connect } from 'node:http2';
import { firstControlCharacter } from '../../engine/probe/handler-values.ts';
import { KUBE_PROBE } from './answer.ts';
import { GoError, readText, alertText, openTls, type Connect } from './connection.ts';
import { readHttp1 } from './http1-reader.ts';
import { urlText, type Head, type Headers, type Send } from './http-probe.ts';
import type { ClientHttp2Stream } from 'node:http2';

/** Sends each request over a connection of its own: no proxy, no compression, TLS without verification. */
export function sendOver(connect: Connect): Send {
  return async (url, given, signal) => {
    const headers = probeHeaders(given);
    const host = valueOf(given, 'host') || url.authority;
    const connection = await connect(url.port, signal);
    signal.addEventListener('abort', () => connection.stream.destroy());
    // The kubelet offers HTTP/2 over TLS (utilnet.SetTransportDefaults).
    const tls = url.scheme === 'https' ? await openTls(connection, url.host, ['h2', 'http/1.1'], signal) : undefined;
    if (tls?.alpnProtocol === 'h2') {
      const session = http2Connect(urlText(url), { createConnection: () => tls });
      session.on('error', () => undefined);
      const fields = Object.fromEntries(headers.filter(([name]) => name !== 'Connection'));
      return await readHttp2(session.request({ ':path': url.target, ':authority': host, ...fields }));
    }
    const stream = tls ?? connection.stream;
    const lines = [['Host', host], ...headers, ['Connection', 'close']].map((field) => `${field.join(': ')}\r\n`);
    stream.write(`GET ${url.target} HTTP/1.1\r\n${lines.join('')}\r\n`);
    return await readHttp1(stream, (error) => alertText(error) ?? readText(error, connection));
  };
}

/** Headers that Go writes itself (net/http/request.go, reqWriteExcludeHeader). */
const OWN_HEADERS = /^(?:host|user-agent|content-length|transfer-encoding|trailer|accept)$/i;

/**
 * The headers of a request but Host and Connection, in Go's order. The kubelet adds User-Agent and Accept to those of
 * the manifest, and leaves them out where the manifest empties them (pkg/probe/http/request.go, newProbeRequest).
 *
 * @throws GoError for a value with a control character, which Go does not send
 */
export function probeHeaders(given: Headers): Headers {
  const agent = valueOf(given, 'user-agent') ?? KUBE_PROBE;
  const accept = valueOf(given, 'accept') ?? '*/*';
  const others = given
    .filter(([name]) => !OWN_HEADERS.test(name))
    .map(([name, value]) => [canonical(name), value] as const);
  if (accept !== '') others.push(['Accept', accept]);
  const refused = others.find(([, value]) => firstControlCharacter(value) >= 0)?.[0];
  if (refused !== undefined) throw new GoError(`net/http: invalid header field value for "${refused}"`);
  others.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return agent === '' ? others : [['User-Agent', agent], ...others];
}

function valueOf(headers: Headers, wanted: string): string | undefined {
  return headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
}

/** net/textproto, CanonicalMIMEHeaderKey. */
function canonical(name: string): string {
  return name.toLowerCase().replace(/(?:^|-)[a-z]/g, (letter) => letter.toUpperCase());
}

function readHttp2(stream: ClientHttp2Stream): Promise<Head> {
  return new Promise((resolve, reject) => {
    stream.on('response', ({ ':status': status, location }) =>
      resolve({ status: Number(status), location, body: bodyOf(stream) }),
    );
    stream.on('error', () => undefined);
    stream.on('close', () => reject(brokenOff(stream)));
  });
}

async function* bodyOf(stream: ClientHttp2Stream): AsyncGenerator<Buffer> {
  try {
    yield* stream as AsyncIterable<Buffer>;
  } catch {
    throw brokenOff(stream);
  }
}

/** RFC 9113, section 7, by their numbers. */
const STREAM_ERRORS = [
  ...['NO_ERROR', 'PROTOCOL_ERROR', 'INTERNAL_ERROR', 'FLOW_CONTROL_ERROR', 'SETTINGS_TIMEOUT', 'STREAM_CLOSED'],
  ...['FRAME_SIZE_ERROR', 'REFUSED_STREAM', 'CANCEL', 'COMPRESSION_ERROR', 'CONNECT_ERROR', 'ENHANCE_YOUR_CALM'],
  ...['INADEQUATE_SECURITY', 'HTTP_1_1_REQUIRED'],
];

/** x/net/http2, StreamError.Error. */
function brokenOff({ rstCode }: ClientHttp2Stream): GoError {
  const code = STREAM_ERRORS[rstCode] ?? `unknown error code 0x${rstCode.toString(16)}`;
  return new GoError(rstCode > 0 ? `stream error: stream ID 1; ${code}; received from peer` : 'unexpected EOF');
}
