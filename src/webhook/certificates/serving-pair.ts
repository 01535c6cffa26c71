import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { messageOf } from '../../base/text/error-message.ts';

/** A certificate chain and its private key, both PEM, that belong together. */
export interface ServingPair {
  readonly cert: string;
  readonly key: string;
  /** When the leaf ends, in milliseconds since the epoch. */
  readonly notAfter: number;
}

/**
 * Checks that a certificate and a key can serve together. Throws an Error whose message says which of the two is wrong.
 * An expired certificate is not refused: clients may be set to accept it, and refusing to start would help nobody.
 */
export function servingPair(cert: string, key: string): ServingPair {
  const certificate = parse(() => new X509Certificate(cert), 'the certificate is not PEM-encoded X.509');
  const privateKey = parse(() => createPrivateKey(key), 'the key is not a PEM-encoded private key');
  if (!certificate.checkPrivateKey(privateKey)) throw new Error('the certificate and the key do not belong together');
  // The rest of the chain, too, must be what a TLS server takes.
  parse(() => createSecureContext({ cert, key }), 'the certificate chain cannot be served');
  return { cert, key, notAfter: certificate.validToDate.getTime() };
}

function parse<T>(read: () => T, problem: string): T {
  try {
    return read();
  } catch (error) {
    throw new Error(`${problem}: ${messageOf(error)}`, { cause: error });
  }
}
