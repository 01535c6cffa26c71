import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { messageOf } from '../../base/text/error-message.ts';

/** A certificate chain and its private key, both PEM, that belong together. */
export interface ServingPair {
  readonly cert: string;
  readonly key: string;
  readonly notAfter: number;
}

/**
 * Checks that both can serve together. The error says which of the two is wrong. An expired certificate is not
 * refused: clients may accept it, and refusing to start would help nobody.
 */
export function servingPair(cert: string, key: string): ServingPair {
  const certificate = parse(() => new X509Certificate(cert), 'the certificate is not PEM-encoded X.509');
  const privateKey = parse(() => createPrivateKey(key), 'the key is not a PEM-encoded private key');
  if (!certificate.checkPrivateKey(privateKey)) throw new Error('the certificate and the key do not belong together');
  // The rest of the chain, too, must be what a TLS server takes.
  parse(() => createSecureContext({ cert, key }), 'the certificate chain cannot be served');
  return { cert, key, notAfter: certificate.validToDate.getTime() };
}

const CERTIFICATE_BLOCK = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/**
 * In their order, each as Node prints it. When one cannot be read, the result is empty: the API server rejects such a
 * bundle as a whole.
 */
export function certificatesIn(pem: string): readonly X509Certificate[] {
  try {
    return (pem.match(CERTIFICATE_BLOCK) ?? []).map((block) => new X509Certificate(block));
  } catch {
    return [];
  }
}

/** One bundle of PEM texts, in their order: each certificate once, and none that has expired. */
export function bundleOf(pems: readonly string[], now: number): string {
  const lasting = pems.flatMap(certificatesIn).filter((certificate) => certificate.validToDate.getTime() > now);
  return [...new Set(lasting.map((certificate) => certificate.toString()))].join('');
}

/** True when the bundle holds each of the certificates. A bundle that cannot be read holds no certificate. */
export function bundleHolds(bundle: string, certs: string): boolean {
  const wanted = certificatesIn(certs).map(String);
  const held = new Set(certificatesIn(bundle).map(String));
  return wanted.length > 0 && wanted.every((one) => held.has(one));
}

function parse<T>(read: () => T, problem: string): T {
  try {
    return read();
  } catch (error) {
    throw new Error(`${problem}: ${messageOf(error)}`, { cause: error });
  }
}
