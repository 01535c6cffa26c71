import { connect as http2Connect, type ClientHttp2Stream } from 'node:http2';
import { firstControlCharacter } from '../../engine/probe/handler-values.ts';
import { goQuote } from '../../engine/probe/go-values.ts';
import { compareText } from '../../base/text/cut.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { codeOf, KUBE_PROBE } from './answer.ts';
import { GoError, readText, alertText, openTls, type Connect } from './connection.ts';
import { readHttp1 } from './http1-reader.ts';
import { urlText, type Head, type Headers, type Send } from './http-probe.ts';

/** Sends each request over a connection of its own: no proxy, no compression, TLS without verification. */
export function sendOver(connect: Connect): Send {
  return async (url, given, signal) => {
    const headers = probeHeaders(given);
    const host = valueOf(given, 'host') || url.authority;
    const connection = await connect(url.port, signal);
    signal.addEventListener('abort', () => connection.stream.destroy());
    const textOf = (error: unknown): string => alertText(error) ?? readText(error, connection);
    // The kubelet offers HTTP/2 over TLS (utilnet.SetTransportDefaults).
    const tls = url.scheme === 'https' ? await openTls(connection, url.host, ['h2', 'http/1.1'], signal) : undefined;
    if (tls?.alpnProtocol === 'h2') {
      const session = http2Connect(urlText(url), { createConnection: () => tls });
      session.on('error', () => undefined);
      const fields = Object.fromEntries(headers.filter(([name]) => name !== 'Connection'));
      return await readHttp2(session.request({ ':path': url.target, ':authority': host, ...fields }), textOf);
    }
    const stream = tls ?? connection.stream;
    const lines = [['Host', host], ...headers, ['Connection', 'close']].map((field) => `${field.join(': ')}\r\n`);
    stream.write(`GET ${url.target} HTTP/1.1\r\n${lines.join('')}\r\n`);
    return await readHttp1(stream, textOf);
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
  others.sort(([a], [b]) => compareText(a, b));
  return agent === '' ? others : [['User-Agent', agent], ...others];
}

function valueOf(headers: Headers, wanted: string): string | undefined {
  return headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
}

/** net/textproto, CanonicalMIMEHeaderKey. */
function canonical(name: string): string {
  return name.toLowerCase().replace(/(?:^|-)[a-z]/g, (letter) => letter.toUpperCase());
}

const HTTP2_CODES = (
  'NO_ERROR PROTOCOL_ERROR INTERNAL_ERROR FLOW_CONTROL_ERROR SETTINGS_TIMEOUT STREAM_CLOSED FRAME_SIZE_ERROR ' +
  'REFUSED_STREAM CANCEL COMPRESSION_ERROR CONNECT_ERROR ENHANCE_YOUR_CALM INADEQUATE_SECURITY HTTP_1_1_REQUIRED'
).split(' ');

/** A code of HTTP/2 as Go names it (x/net/http2, ErrCode.String). */
export function http2Code(code: number): string {
  return HTTP2_CODES[code] ?? `unknown error code 0x${code.toString(16)}`;
}

/** @param textOf the words of Go for an error of the connection */
function readHttp2(stream: ClientHttp2Stream, textOf: (error: unknown) => string): Promise<Head> {
  let failure: string | undefined;
  const brokenOff = (): GoError => new GoError(failure ?? 'unexpected EOF');
  async function* body(): AsyncGenerator<Buffer> {
    try {
      for await (const piece of stream as AsyncIterable<Buffer>) yield piece;
    } catch {
      // Node throws also behind a whole body, where the stream was closed before it was read.
    }
    if (stream.rstCode !== 0) throw brokenOff();
  }
  // x/net/http2, ClientConn.setGoAway and GoAwayError
  stream.session?.on('goaway', (code: number, last: number, debug?: Uint8Array) => {
    const closed = `LastStreamID=${last}, ErrCode=${http2Code(code)}, debug=${goQuote(String(debug ?? ''))}`;
    if (last === 0) failure = `http2: Transport received GOAWAY from server ErrCode:${http2Code(code)}`;
    else failure = `http2: server sent GOAWAY and closed the connection; ${closed}`;
  });
  return new Promise((resolve, reject) => {
    stream.on('response', ({ ':status': status, location }) =>
      resolve({ status: Number(status), location, body: body() }),
    );
    stream.on('error', (error) => void (failure ??= streamText(error, stream.rstCode, textOf)));
    stream.on('close', () => reject(brokenOff()));
  });
}

/** x/net/http2, StreamError.Error and ConnectionError.Error */
function streamText(error: unknown, reset: number, textOf: (error: unknown) => string): string {
  const [code, message] = [codeOf(error), messageOf(error)];
  if (code === 'ERR_HTTP2_STREAM_ERROR') return `stream error: stream ID 1; ${http2Code(reset)}; received from peer`;
  // Node names the code in words: `Protocol error`.
  if (code === 'ERR_HTTP2_ERROR') return `connection error: ${message.toUpperCase().replaceAll(' ', '_')}`;
  return code?.startsWith('ERR_') === true ? message : textOf(error);
}
