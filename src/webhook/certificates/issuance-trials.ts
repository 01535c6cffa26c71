import { issueLeaf } from './certificate-authority.ts';
import { clientVerdict } from './client-verdict.ts';
import { messageOf } from '../../base/text/error-message.ts';
import type { LeafNames } from './certificate-authority.ts';
import type { CertificateAuthority } from './trust-root.ts';

/** A trial leaf is never served. */
const TRIAL_LIFETIME = 3_600_000;

/**
 * Whether clients accept what a CA signs. A CA that was made elsewhere may be limited to other names or purposes, and
 * then every call would fail. So each CA signs a leaf on trial before a leaf of that CA is served.
 */
export class IssuanceTrials {
  readonly #names: LeafNames;
  readonly #host: string;
  /** By certificate; undefined for a CA that passed. */
  #verdicts = new Map<string, string | undefined>();

  /** @param host the name that clients call us by; one of the names */
  constructor(names: LeafNames, host: string) {
    this.#names = names;
    this.#host = host;
  }

  /**
   * Tries these CAs, and forgets all others. Expired CAs are tried, too: rotation replaces them.
   *
   * @param now the wall clock, in milliseconds since the epoch
   */
  async run(authorities: readonly CertificateAuthority[], now: number): Promise<void> {
    const verdicts = new Map<string, string | undefined>();
    for (const authority of authorities) {
      const { cert } = authority;
      verdicts.set(cert, this.#verdicts.has(cert) ? this.#verdicts.get(cert) : await this.#verdict(authority, now));
    }
    this.#verdicts = verdicts;
  }

  /** True once the CA was tried. */
  has({ cert }: CertificateAuthority): boolean {
    return this.#verdicts.has(cert);
  }

  /** Why clients would refuse what the CA signs; undefined when they would accept it. */
  problem({ cert }: CertificateAuthority): string | undefined {
    return this.#verdicts.get(cert);
  }

  async #verdict(authority: CertificateAuthority, now: number): Promise<string | undefined> {
    const { notBefore, notAfter } = authority;
    const within = Math.max(notBefore, Math.min(now, notAfter));
    try {
      const { cert } = await issueLeaf(authority, this.#names, within, TRIAL_LIFETIME);
      return clientVerdict(cert, authority.cert, this.#host, within);
    } catch (error) {
      return `it cannot sign: ${messageOf(error)}`;
    }
  }
}
