import { isIP } from 'node:net';
import { Duplex } from 'node:stream';
import { connect, type TLSSocket } from 'node:tls';
import { messageOf } from '../../base/text/error-message.ts';
import { codeOf } from './answer.ts';
import { GoError, readText, until, type Connection } from './connection.ts';

/** Alerts of the server by number, as Go names them (crypto/tls/alert.go). */
const ALERTS: Readonly<Record<number, string>> = {
  10: 'unexpected message',
  40: 'handshake failure',
  42: 'bad certificate',
  43: 'unsupported certificate',
  44: 'revoked certificate',
  45: 'expired certificate',
  46: 'unknown certificate',
  47: 'illegal parameter',
  48: 'unknown certificate authority',
  49: 'access denied',
  50: 'error decoding message',
  51: 'error decrypting message',
  70: 'protocol version not supported',
  71: 'insufficient security level',
  80: 'internal error',
  90: 'user canceled',
  112: 'unrecognized name',
  116: 'certificate required',
  120: 'no application protocol',
};

/** The first bytes of a server that speaks HTTP without TLS. */
const HTTP = 'HTTP/';
/** net/http, DefaultTransport.TLSHandshakeTimeout. */
const HANDSHAKE_MILLISECONDS = 10_000;

/**
 * Opens TLS over a connection as the kubelet does: without verification, TLS 1.2 at least (pkg/probe/http/http.go,
 * New). Rejects with a GoError.
 *
 * @param protocols those that are offered by ALPN
 */
export async function openTls(
  connection: Connection,
  host: string,
  protocols: readonly string[],
  signal: AbortSignal,
): Promise<TLSSocket> {
  const seen: Seen = { first: Buffer.alloc(0), failure: undefined };
  const socket = connect({
    socket: tapped(connection.stream, seen),
    rejectUnauthorized: false,
    minVersion: 'TLSv1.2',
    // Go accepts keys that OpenSSL finds too short.
    ciphers: 'DEFAULT@SECLEVEL=0',
    ALPNProtocols: [...protocols],
    ...(isIP(host) === 0 && { servername: host }),
  });
  const late = AbortSignal.timeout(HANDSHAKE_MILLISECONDS);
  try {
    await until(socket, 'secureConnect', AbortSignal.any([signal, late]));
    return socket;
  } catch (error) {
    connection.stream.destroy();
    throw new GoError(late.aborted ? 'net/http: TLS handshake timeout' : handshakeText(error, seen, connection));
  }
}

/** net/http/transport.go, and crypto/tls/conn.go, RecordHeaderError. */
function handshakeText(error: unknown, { first, failure }: Seen, connection: Connection): string {
  if (first.toString('latin1').startsWith(HTTP)) return 'http: server gave HTTP response to HTTPS client';
  const alert = alertText(error);
  if (alert !== undefined) return alert;
  if (failure !== undefined) return readText(failure, connection);
  // The content types of TLS are 20 to 23.
  if (first.length > 0 && (first[0] ?? 0) >> 2 !== 5) return 'tls: first record does not look like a TLS handshake';
  return codeOf(error)?.startsWith('ERR_SSL') === true ? `tls: ${messageOf(error)}` : 'EOF';
}

/** An alert of the server. Undefined for any other error. */
export function alertText(error: unknown): string | undefined {
  const number = /SSL alert number (\d+)/.exec(messageOf(error))?.[1];
  if (number === undefined) return undefined;
  return `remote error: tls: ${ALERTS[Number(number)] ?? `alert(${number})`}`;
}

/** What came in place of TLS, which OpenSSL does not tell. */
interface Seen {
  first: Buffer;
  failure: unknown;
}

/** The same stream, of which the first bytes and the failure are kept. */
function tapped(stream: Duplex, seen: Seen): Duplex {
  const tap = new Duplex({
    read: () => void stream.resume(),
    write: (chunk, _encoding, done) => void stream.write(chunk, done),
    final: (done) => void stream.end(done),
    destroy: (error, done) => {
      stream.destroy();
      done(error);
    },
  });
  stream.on('data', (chunk: Buffer) => {
    if (seen.first.length < HTTP.length) seen.first = Buffer.concat([seen.first, chunk]);
    if (!tap.push(chunk)) stream.pause();
  });
  stream.once('end', () => tap.push(null));
  stream.on('error', (error) => {
    seen.failure = error;
    tap.destroy(error);
  });
  stream.once('close', () => tap.destroy());
  return tap.on('error', () => undefined);
}
