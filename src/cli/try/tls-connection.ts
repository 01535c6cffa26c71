import { connect as tcpConnect, type Socket } from 'node:net';
import { duplexPair } from 'node:stream';
import { connect as tlsConnect, type TLSSocket } from 'node:tls';
import { codeOf, hostPort, socketErrorText } from './answer.ts';

/** A TLS connection, or why there is none, in the words of Go's crypto/tls. */
export type OpenedTls =
  | { readonly socket: TLSSocket }
  | { readonly problem: string; readonly isTimeout: boolean; readonly stage: 'dial' | 'handshake' };

/** Alerts of the server as Go names them (crypto/tls/alert.go), by OpenSSL's name in Node's error codes. */
const ALERTS: Readonly<Record<string, string>> = {
  BAD_CERTIFICATE: 'bad certificate',
  CERTIFICATE_REQUIRED: 'certificate required',
  HANDSHAKE_FAILURE: 'handshake failure',
  PROTOCOL_VERSION: 'protocol version not supported',
  UNRECOGNIZED_NAME: 'unrecognized name',
  INTERNAL_ERROR: 'internal error',
  UNKNOWN_CA: 'unknown certificate authority',
  DECRYPT_ERROR: 'error decrypting message',
  NO_APPLICATION_PROTOCOL: 'no application protocol',
  ACCESS_DENIED: 'access denied',
};

/**
 * Opens a TLS connection as the kubelet does: without verification, TLS 1.2 at least (pkg/probe/http/http.go, New).
 *
 * @param protocols those that are offered by ALPN
 */
export function openTls(
  host: string,
  port: number,
  protocols: readonly string[],
  signal: AbortSignal,
): Promise<OpenedTls> {
  return new Promise((resolve) => {
    const raw = tcpConnect({ host, port });
    let stage: 'dial' | 'handshake' = 'dial';
    let first: Buffer | undefined;
    // The bytes are passed on by hand, so that the first ones can be looked at: Go tells HTTP from other bytes.
    const [near, far] = duplexPair();
    raw.on('data', (chunk: Buffer) => (first ??= chunk));
    raw.once('connect', () => {
      stage = 'handshake';
      raw.pipe(far).pipe(raw);
    });
    const socket = tlsConnect({
      socket: near,
      rejectUnauthorized: false,
      ALPNProtocols: [...protocols],
      minVersion: 'TLSv1.2',
    });
    const fail = (error: unknown): void => {
      if (isOver) return;
      over();
      socket.destroy();
      raw.destroy();
      resolve({
        problem: handshakeText(error, first, raw, hostPort(host, port), stage),
        isTimeout: signal.aborted,
        stage,
      });
    };
    let isOver = false;
    const stop = (): void => {
      fail(new Error('timeout'));
    };
    const over = (): void => {
      isOver = true;
      signal.removeEventListener('abort', stop);
    };
    signal.addEventListener('abort', stop);
    raw.on('error', (error) => {
      fail(error);
      near.destroy();
    });
    raw.on('close', () => {
      fail(new Error('EOF'));
      near.destroy();
    });
    socket.on('error', fail);
    socket.on('close', () => raw.destroy());
    socket.once('secureConnect', () => {
      over();
      resolve({ socket });
    });
  });
}

/** An alert of the server, by the code of Node's error. Undefined for any other error. */
export function alertText(code: string | undefined): string | undefined {
  const alert = /^ERR_SSL_(?:TLSV?\d*|SSLV\d)_ALERT_(\w+)$/.exec(code ?? '')?.[1];
  return alert === undefined
    ? undefined
    : `remote error: tls: ${ALERTS[alert] ?? alert.toLowerCase().replaceAll('_', ' ')}`;
}

function handshakeText(
  error: unknown,
  first: Buffer | undefined,
  raw: Socket,
  address: string,
  stage: 'dial' | 'handshake',
): string {
  const code = codeOf(error) ?? '';
  if (stage === 'dial') {
    if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `dial tcp: lookup ${address}: no such host`;
    return `dial tcp ${address}: connect: ${socketErrorText(code) ?? String(error)}`;
  }
  const alert = alertText(code);
  if (alert !== undefined) return alert;
  // net/http/transport.go, and crypto/tls/conn.go: RecordHeaderError.
  if (first?.subarray(0, 5).toString('latin1') === 'HTTP/') return 'http: server gave HTTP response to HTTPS client';
  if (first !== undefined && (first[0] ?? 0) !== 0x15 && (first[0] ?? 0) !== 0x16)
    return 'tls: first record does not look like a TLS handshake';
  const known = socketErrorText(code);
  if (known !== undefined && raw.localAddress !== undefined)
    return `read tcp ${hostPort(raw.localAddress, raw.localPort ?? 0)}->${address}: read: ${known}`;
  return code === 'ECONNRESET' || (error instanceof Error && error.message === 'EOF') ? 'EOF' : String(error);
}
