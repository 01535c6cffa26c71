import { constants } from 'node:crypto';
import { TLSSocket, type SecureContextOptions } from 'node:tls';
import type { Socket } from 'node:net';

/**
 * If callers are verified, no session is resumed: it would keep a verdict that was made with older CAs.
 *
 * @param clientCa the CAs of callers, in PEM. Undefined if callers need no certificate
 */
export function secureContextOptions(
  { cert, key }: Record<'cert' | 'key', string>,
  clientCa: string | undefined,
): SecureContextOptions {
  return {
    cert,
    key,
    minVersion: 'TLSv1.2',
    ...(clientCa !== undefined && { ca: clientCa, secureOptions: constants.SSL_OP_NO_TICKET }),
  };
}

export interface AllowedCallers {
  readonly ca: string;
  /** Common names. An empty list allows any name. */
  readonly names: readonly string[];
}

/**
 * The reason why the client may not call. The certificate itself counts, too: Node also authorizes a TLS 1.3 session
 * that is resumed without one.
 */
export function callerProblem(socket: Socket, names: readonly string[]): string | undefined {
  if (!(socket instanceof TLSSocket)) return 'a client certificate is needed, and this connection has no TLS';
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) return 'a client certificate is needed, and none was sent';
  if (!socket.authorized)
    return `the client certificate is not good: ${String(socket.authorizationError)}; it must be valid and signed by a CA of --client-ca`;
  if (names.length === 0) return undefined;
  // A subject with several common names gives a list, and is rejected: no rule says which name counts.
  const name: unknown = socket.getPeerCertificate().subject.CN;
  if (typeof name === 'string' && names.includes(name)) return undefined;
  return `the client certificate is for ${JSON.stringify(name)}, which is none of --client-cn`;
}
