import { certificatesIn } from './ca-bundle.ts';
import type { X509Certificate } from 'node:crypto';

/**
 * True when clients that trust `roots` can follow the chain from its first certificate to one of them, by name, key and
 * signature. Times are not looked at.
 *
 * @param chain the leaf, then intermediate certificates in any order, PEM
 */
export function isChainTrusted(chain: string, roots: string): boolean {
  const [leaf, ...intermediates] = certificatesIn(chain);
  return leaf !== undefined && leadsTo(leaf, intermediates, certificatesIn(roots));
}

function leadsTo(
  certificate: X509Certificate,
  intermediates: readonly X509Certificate[],
  roots: readonly X509Certificate[],
): boolean {
  if (roots.some((root) => root.raw.equals(certificate.raw) || isIssuedBy(certificate, root))) return true;
  return intermediates.some((issuer) => {
    // Each is passed once at most, so that circles end.
    const others = intermediates.filter((other) => other !== issuer);
    return isIssuedBy(certificate, issuer) && leadsTo(issuer, others, roots);
  });
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}
