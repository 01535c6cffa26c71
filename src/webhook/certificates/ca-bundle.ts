import { X509Certificate } from 'node:crypto';

const CERTIFICATE_BLOCK = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/**
 * The certificates of a PEM text in their order, each as Node prints it. Text between certificates is ignored. When
 * one certificate cannot be read, the result is empty: the API server rejects such a bundle as a whole.
 */
export function certificatesIn(pem: string): readonly X509Certificate[] {
  try {
    return (pem.match(CERTIFICATE_BLOCK) ?? []).map((block) => new X509Certificate(block));
  } catch {
    return [];
  }
}

/**
 * One bundle of PEM texts, in their order: each certificate once, and none that has expired.
 *
 * @param now the wall clock, in milliseconds since the epoch
 */
export function bundleOf(pems: readonly string[], now: number): string {
  const lasting = pems.flatMap(certificatesIn).filter((certificate) => certificate.validToDate.getTime() > now);
  return [...new Set(lasting.map((certificate) => certificate.toString()))].join('');
}

/**
 * True when the bundle holds each of the certificates, byte for byte. A bundle that cannot be read holds no
 * certificate.
 */
export function bundleHolds(bundle: string, certs: string): boolean {
  const wanted = certificatesIn(certs).map(String);
  const held = new Set(certificatesIn(bundle).map(String));
  return wanted.length > 0 && wanted.every((one) => held.has(one));
}
