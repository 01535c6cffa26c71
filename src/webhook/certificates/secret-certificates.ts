import { X509Certificate } from 'node:crypto';
import { certificatesIn, servingPair, type ServingPair } from './pem.ts';
import { ClusterCertificates } from './cluster-certificates.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { secretTexts } from './ca-secret.ts';
import type { CertificateStatus } from './serving-tls.ts';

/**
 * The serving pair from a Secret of the user (type kubernetes.io/tls), read through the API, which is faster than a
 * mounted file. A pair for another name, or out of its time, is reported and served: it may be meant for other
 * callers. When the Secret has a `ca.crt`, as cert-manager's have, the leader keeps the caBundle equal to it, byte
 * for byte, but only if it has signed the pair's chain: otherwise every call would fail. To change the CA, put the
 * old and the new one into `ca.crt` first.
 */
export class SecretCertificates extends ClusterCertificates {
  #good: { readonly pair: ServingPair; readonly ca: string | undefined } | undefined;

  status(): CertificateStatus {
    return { bundleSynced: this.synced(this.#good?.ca) };
  }

  protected round(): Promise<boolean> {
    if (this.secret.isKnown) this.#look();
    const problem = this.#good && this.#pairProblem(this.#good.pair);
    this.note('pair', problem && `${this.where}: the API server would refuse tls.crt: ${problem}`);
    return this.attempt('bundle', () => this.#keepBundle());
  }

  #look(): void {
    const { object } = this.secret;
    try {
      if (object === undefined) throw new Error('it does not exist');
      const { 'tls.crt': cert, 'tls.key': key, 'ca.crt': ca } = secretTexts(object);
      if (cert === undefined) throw new Error('tls.crt is missing');
      if (key === undefined) throw new Error('tls.key is missing');
      const pair = servingPair(cert, key);
      const isNews = cert !== this.#good?.pair.cert || key !== this.#good.pair.key;
      this.#good = { pair, ca };
      this.note('secret', undefined);
      if (isNews) this.found(pair);
    } catch (error) {
      this.note('secret', `${this.where}: ${messageOf(error)}`);
    }
  }

  /** Why no client can accept the pair, whatever CA it trusts. */
  #pairProblem({ cert }: ServingPair): string | undefined {
    const leaf = new X509Certificate(cert);
    if (leaf.checkHost(this.host, { subject: 'never', partialWildcards: false }) === undefined) {
      const names = [...(leaf.subjectAltName ?? '').matchAll(/DNS:([^,]+)/g)].map(([, name]) => name);
      return `it is not for ${this.host}: its subject alternative names are ${names.join(', ') || 'no DNS names'}`;
    }
    const [from, to] = [leaf.validFromDate, leaf.validToDate];
    const now = this.dependencies.now();
    if (now < from.getTime()) return `it is not valid before ${from.toISOString()}`;
    return now > to.getTime() ? `it has expired at ${to.toISOString()}` : undefined;
  }

  async #keepBundle(): Promise<void> {
    if (this.#good?.ca === undefined) return;
    const { pair, ca } = this.#good;
    if (!isSignedBy(pair.cert, ca))
      throw new Error('the caBundle is left alone: tls.crt is not signed by what ca.crt holds');
    await this.writeBundle(ca);
  }
}

/** Whether one of the roots has signed a certificate of the chain, or is one of them. */
function isSignedBy(chain: string, roots: string): boolean {
  const certificates = certificatesIn(chain);
  return certificatesIn(roots).some((root) =>
    certificates.some((one) => one.raw.equals(root.raw) || (one.checkIssued(root) && one.verify(root.publicKey))),
  );
}
