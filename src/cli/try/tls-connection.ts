import { isIP } from 'node:net';
import { Duplex } from 'node:stream';
import { connect, type TLSSocket } from 'node:tls';
import { messageOf } from '../../base/text/error-message.ts';
import { codeOf } from './answer.ts';
import { GoError, readText, type Connection } from './connection.ts';

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
export function openTls(
  connection: Connection,
  host: string,
  protocols: readonly string[],
  signal: AbortSignal,
): Promise<TLSSocket> {
  const tap = new Tap(connection);
  return new Promise((resolve, reject) => {
    const socket = connect({
      socket: tap,
      rejectUnauthorized: false,
      minVersion: 'TLSv1.2',
      // Go accepts keys that OpenSSL finds too short.
      ciphers: 'DEFAULT@SECLEVEL=0',
      ALPNProtocols: [...protocols],
      ...(isIP(host) === 0 && { servername: host }),
    });
    const end = (error: GoError): void => {
      over();
      socket.destroy();
      connection.stream.destroy();
      reject(error);
    };
    const stop = (): void => end(new GoError('context deadline exceeded', true));
    const timer = setTimeout(() => end(new GoError('net/http: TLS handshake timeout')), HANDSHAKE_MILLISECONDS);
    const over = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      socket.removeAllListeners('close');
      socket.removeAllListeners('error');
      socket.on('error', () => undefined);
    };
    signal.addEventListener('abort', stop);
    socket.once('secureConnect', () => {
      over();
      resolve(socket);
    });
    socket.once('error', (error) => end(new GoError(handshakeText(error, tap, connection))));
    socket.once('close', () => end(new GoError(handshakeText(tap.failure, tap, connection))));
  });
}

/** net/http/transport.go, and crypto/tls/conn.go, RecordHeaderError. */
function handshakeText(error: unknown, tap: Tap, connection: Connection): string {
  const first = tap.first.toString('latin1');
  if (first.startsWith(HTTP)) return 'http: server gave HTTP response to HTTPS client';
  const alert = alertText(error);
  if (alert !== undefined) return alert;
  if (tap.failure !== undefined) return readText(tap.failure, connection);
  // The content types of TLS are 20 to 23.
  if (first !== '' && (tap.first[0] ?? 0) >> 2 !== 5) return 'tls: first record does not look like a TLS handshake';
  return codeOf(error)?.startsWith('ERR_SSL') === true ? `tls: ${messageOf(error)}` : 'EOF';
}

/** An alert of the server. Undefined for any other error. */
export function alertText(error: unknown): string | undefined {
  const number = /SSL alert number (\d+)/.exec(messageOf(error))?.[1];
  if (number === undefined) return undefined;
  return `remote error: tls: ${ALERTS[Number(number)] ?? `alert(${number})`}`;
}

/** A connection whose first bytes are kept: OpenSSL does not tell what came in place of TLS. */
class Tap extends Duplex {
  first: Buffer = Buffer.alloc(0);
  failure: unknown;
  readonly #stream: Duplex;

  constructor({ stream }: Connection) {
    super();
    this.#stream = stream;
    stream.on('data', (chunk: Buffer) => {
      if (this.first.length < HTTP.length) this.first = Buffer.concat([this.first, chunk]).subarray(0, HTTP.length);
      if (!this.push(chunk)) stream.pause();
    });
    stream.once('end', () => this.push(null));
    stream.on('error', (error) => {
      this.failure = error;
      this.destroy(error);
    });
    stream.once('close', () => this.destroy());
    this.on('error', () => undefined);
  }

  override _read(): void {
    this.#stream.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#stream.write(chunk, done);
  }

  override _final(done: () => void): void {
    this.#stream.end(done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#stream.destroy();
    done(error);
  }
}
