import { TLSSocket } from 'node:tls';
import type { Socket } from 'node:net';

/** Who may call: holders of a certificate from one of these CAs, and of one of these common names. */
export interface AllowedCallers {
  /** PEM. */
  readonly ca: string;
  /** Common names; empty = any. */
  readonly names: readonly string[];
}

/**
 * Why the caller at the other end may not call; undefined when it may. The certificate itself is looked at as well as Node's verdict: to Node,
 * a TLS 1.3 session that is resumed without a certificate is as good as one with it.
 */
export function callerProblem(socket: Socket, names: readonly string[]): string | undefined {
  if (!(socket instanceof TLSSocket)) return 'a client certificate is needed, and this connection has no TLS';
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) return 'a client certificate is needed, and none was sent';
  if (!socket.authorized)
    return `the client certificate is not good: ${String(socket.authorizationError)}; it must be valid and signed by a CA of --client-ca`;
  if (names.length === 0) return undefined;
  // A list when the subject has several common names: which one counts would be a guess.
  const name: unknown = socket.getPeerCertificate().subject.CN;
  if (typeof name === 'string' && names.includes(name)) return undefined;
  return `the client certificate is for ${JSON.stringify(name)}, which is none of --client-cn`;
}
