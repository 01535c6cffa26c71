import { connect, isIP } from 'node:net';
import type { EventEmitter } from 'node:events';
import { Duplex, Readable } from 'node:stream';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { codeOf, hostPort, socketErrorText } from './answer.ts';
import { messageOf } from '../../base/text/error-message.ts';

/** Where a port of the container is reached. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** A failure in the words of Go. */
export class GoError extends Error {}

/** An open connection, with its ends as Go prints them: `10.0.0.1:8080`. */
export interface Connection {
  readonly stream: Duplex;
  readonly local: string;
  readonly remote: string;
}

/** Opens a connection to a port of the container, which ends with the signal. Rejects with a GoError, or NotRun. */
export type Connect = (port: number, signal: AbortSignal) => Promise<Connection>;

/** What streams, sessions and sockets have in common. */
interface Emitter extends EventEmitter {
  readonly destroyed?: boolean;
  readonly errored?: Error | null;
}

/** The longest time that Node's timers know. */
const LONGEST_MILLISECONDS = 2 ** 31 - 1;

/**
 * Waits for an event. Rejects when the emitter fails or closes, or has done so before, and with the signal. Later
 * errors harm nobody.
 */
export async function until(emitter: Emitter, event: string, signal: AbortSignal): Promise<void> {
  // The timer of a signal keeps no process alive: without a timer of its own, the process would end while it waits.
  const alive = setInterval(() => undefined, LONGEST_MILLISECONDS);
  try {
    await new Promise<void>((resolve, reject) => {
      emitter.once(event, () => resolve());
      emitter.on('error', reject);
      emitter.once('close', () => reject(new Error('closed')));
      if (emitter.destroyed === true) reject(emitter.errored ?? new Error('closed'));
      signal.addEventListener('abort', () => reject(new Error('aborted')));
      if (signal.aborted) reject(new Error('aborted'));
    });
  } finally {
    clearInterval(alive);
  }
}

/**
 * Opens a TCP connection. Rejects with a GoError in the words of Go's net package.
 *
 * @param real where the connection goes
 * @param shown the address that messages name: inside of the container, the port is often another one
 */
export async function dial(real: Endpoint, shown: Endpoint, signal: AbortSignal): Promise<Connection> {
  const remote = hostPort(shown.host, shown.port);
  const stream = connect({ host: real.host, port: real.port, noDelay: true, signal });
  try {
    await until(stream, 'connect', signal);
  } catch (error) {
    throw new GoError(signal.aborted ? `dial tcp ${remote}: i/o timeout` : dialText(error, shown, remote));
  }
  return { stream, local: hostPort(stream.localAddress ?? '', stream.localPort ?? 0), remote };
}

function dialText(error: unknown, { host }: Endpoint, remote: string): string {
  const code = codeOf(error);
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `dial tcp: lookup ${host}: no such host`;
  return `dial tcp ${remote}: connect: ${socketErrorText(error)}`;
}

/** An error of reading in the words of Go: `read tcp LOCAL->REMOTE: read: connection reset by peer`. */
export function readText(error: unknown, { local, remote }: Connection): string {
  const code = codeOf(error);
  const verb = code === 'EPIPE' ? 'write' : 'read';
  return `${verb} tcp ${local}->${remote}: ${verb}: ${socketErrorText(error)}`;
}

/** Whether a port accepts a connection, refuses it, or does neither within the time. */
export async function reach(place: Endpoint, milliseconds: number): Promise<'accepts' | 'refuses' | 'neither'> {
  try {
    const { stream } = await dial(place, place, AbortSignal.timeout(milliseconds));
    stream.destroy();
    return 'accepts';
  } catch (error) {
    return (error as Error).message.endsWith('connection refused') ? 'refuses' : 'neither';
  }
}

/** Alerts of the server that Go names (crypto/tls/alert.go) other than OpenSSL, by number. */
const ALERTS: Readonly<Record<string, string>> = {
  20: 'bad record MAC',
  44: 'revoked certificate',
  45: 'expired certificate',
  46: 'unknown certificate',
  48: 'unknown certificate authority',
  50: 'error decoding message',
  51: 'error decrypting message',
  70: 'protocol version not supported',
  71: 'insufficient security level',
  90: 'user canceled',
  110: 'unsupported extension',
  111: 'certificate unobtainable',
  112: 'unrecognized name',
  113: 'bad certificate status response',
  114: 'bad certificate hash value',
  115: 'unknown PSK identity',
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
  const socket = connectTls({
    socket: tapped(connection.stream, seen),
    rejectUnauthorized: false,
    minVersion: 'TLSv1.2',
    // Those of Go for TLS 1.2 (crypto/tls/defaults.go). It accepts keys that OpenSSL finds too short.
    ciphers: 'ECDHE+AESGCM:ECDHE+CHACHA20:ECDHE+AES+SHA1:@SECLEVEL=0',
    ALPNProtocols: [...protocols],
    ...(isIP(host) === 0 && { servername: host }),
  });
  const late = AbortSignal.timeout(HANDSHAKE_MILLISECONDS);
  try {
    await until(socket, 'secureConnect', AbortSignal.any([signal, late]));
  } catch (error) {
    connection.stream.destroy();
    throw new GoError(late.aborted ? 'net/http: TLS handshake timeout' : handshakeText(error, seen, connection));
  }
  if (socket.getPeerX509Certificate()?.serialNumber.startsWith('-') === true)
    throw new GoError('tls: failed to parse certificate from server: x509: negative serial number');
  return socket;
}

/** net/http/transport.go, and crypto/tls/conn.go, RecordHeaderError. */
function handshakeText(error: unknown, { first, failure }: Seen, connection: Connection): string {
  if (first.toString('latin1').startsWith(HTTP)) return 'http: server gave HTTP response to HTTPS client';
  const alert = alertText(error);
  if (alert !== undefined) return alert;
  if (failure !== undefined) return readText(failure, connection);
  if (first.length > 0 && first.length < HTTP.length) return 'unexpected EOF';
  const [type = 0, , minor] = first;
  // The content types of TLS are 20 to 23.
  if (first.length > 0 && type >> 2 !== 5) return 'tls: first record does not look like a TLS handshake';
  const code = codeOf(error);
  if (code === 'ERR_SSL_UNSUPPORTED_PROTOCOL') return `tls: server selected unsupported protocol version 30${minor}`;
  return code?.startsWith('ERR_SSL') === true ? `tls: ${(error as { reason?: string }).reason}` : 'EOF';
}

/** An alert of the server. Undefined for any other error. */
export function alertText(error: unknown): string | undefined {
  const [, name, number] = /(?:alert ([a-z ]+):.*)?SSL alert number (\d+)/.exec(messageOf(error)) ?? [];
  return number === undefined ? undefined : `remote error: tls: ${ALERTS[number] ?? name}`;
}

/** What came in place of TLS, which OpenSSL does not tell. */
interface Seen {
  first: Buffer;
  failure: unknown;
}

/** The same stream, of which the first bytes and the failure are kept. */
function tapped(stream: Duplex, seen: Seen): Duplex {
  async function* bytes(): AsyncGenerator<Buffer> {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      if (seen.first.length < HTTP.length) seen.first = Buffer.concat([seen.first, chunk]);
      yield chunk;
    }
  }
  stream.once('error', (error) => (seen.failure = error));
  const readable = Readable.from(bytes(), { objectMode: false });
  const tap = Duplex.from({ readable, writable: stream });
  stream.once('close', () => tap.destroy());
  return tap.on('error', () => undefined);
}
