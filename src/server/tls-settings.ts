import { constants } from 'node:crypto';
import type { SecureContextOptions } from 'node:tls';

/** What a TLS server serves with, and whom it believes. */
export interface TlsSettings {
  readonly cert: string;
  readonly key: string;
  /** CAs of callers, PEM; undefined = callers need no certificate. */
  readonly clientCa: string | undefined;
}

/**
 * The TLS context, for the start and for each change. Where callers are verified no session is resumed: a resumed one would carry an older verdict
 * than the CAs of today would give.
 */
export function secureContextOptions({ cert, key, clientCa }: TlsSettings): SecureContextOptions {
  return {
    cert,
    key,
    minVersion: 'TLSv1.2',
    ...(clientCa !== undefined && { ca: clientCa, secureOptions: constants.SSL_OP_NO_TICKET }),
  };
}
