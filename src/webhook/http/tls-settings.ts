import { constants } from 'node:crypto';
import type { SecureContextOptions } from 'node:tls';

/** The certificate of a TLS server, and the CAs that the server trusts. */
export interface TlsSettings {
  readonly cert: string;
  readonly key: string;
  /** The CAs of callers, in PEM. Undefined if callers need no certificate. */
  readonly clientCa: string | undefined;
}

/**
 * The TLS context, for the start and for each change. If callers are verified, the server resumes no session: a resumed
 * session would keep a verdict that was made with older CAs.
 */
export function secureContextOptions({ cert, key, clientCa }: TlsSettings): SecureContextOptions {
  return {
    cert,
    key,
    minVersion: 'TLSv1.2',
    ...(clientCa !== undefined && { ca: clientCa, secureOptions: constants.SSL_OP_NO_TICKET }),
  };
}
