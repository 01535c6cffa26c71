import { trustedBy } from './ca-state.ts';
import { issueLeaf } from './certificate-authority.ts';
import { isLeafDue, renewalTime } from './leaf-renewal.ts';
import type { CaState } from './ca-state.ts';
import type { LeafNames } from './certificate-authority.ts';
import type { CertificateDependencies } from './certificate-dependencies.ts';
import type { ServedLeaf } from './leaf-renewal.ts';
import type { ServingPair } from './serving-pair.ts';
import type { CertificateAuthority } from './trust-root.ts';

/** How leaves are made. */
export interface LeafSettings {
  readonly names: LeafNames;
  /** In milliseconds. */
  readonly leafLifetime: number;
  /** The webhook configurations that a leaf of a new CA waits for, for the log. */
  readonly configurationName: string;
}

/** The leaf that this replica serves, signed by the shared CA. Its key stays in memory. */
export class OwnLeaf {
  readonly #settings: LeafSettings;
  readonly #dependencies: CertificateDependencies;
  #served: (ServedLeaf & { readonly root: CertificateAuthority }) | undefined;
  #isWaitLogged = false;

  constructor(settings: LeafSettings, dependencies: CertificateDependencies) {
    this.#settings = settings;
    this.#dependencies = dependencies;
  }

  /** When the leaf ends, in milliseconds since the epoch; undefined before there is one. */
  get notAfter(): number | undefined {
    return this.#served?.notAfter;
  }

  /**
   * Makes a leaf when one is due. Rejects when the CA cannot sign; the leaf from before goes on being served then.
   *
   * @param isTrusted whether every webhook configuration trusts the CA
   * @returns the new pair; undefined when none is due
   */
  async renew(ca: CertificateAuthority, isTrusted: boolean): Promise<ServingPair | undefined> {
    const { now, random, log } = this.#dependencies;
    const { names, leafLifetime } = this.#settings;
    const issuedAt = now();
    if (!isLeafDue(this.#served, ca, isTrusted, issuedAt)) {
      this.#logWait(ca);
      return undefined;
    }
    const pair = await issueLeaf(ca, names, issuedAt, leafLifetime);
    const renewAt = renewalTime(issuedAt, pair.notAfter, random());
    this.#served = { ca: ca.cert, root: ca, issuedAt, renewAt, notAfter: pair.notAfter };
    this.#isWaitLogged = false;
    log.info({ notAfter: isoTime(pair.notAfter), renewAt: isoTime(renewAt) }, 'serving certificate minted');
    return pair;
  }

  /**
   * The CA of the served leaf, when the state does not know that CA: somebody has put another CA into the Secret. The
   * replica that sees this adds the CA to those that clients trust.
   *
   * @param now the wall clock, in milliseconds since the epoch
   */
  unkeptRoot(state: CaState, now: number): CertificateAuthority | undefined {
    const served = this.#served;
    if (served === undefined || now >= served.notAfter) return undefined;
    return trustedBy(state).some(({ cert }) => cert === served.ca) ? undefined : served.root;
  }

  #logWait(ca: CertificateAuthority): void {
    if (this.#served?.ca === ca.cert || this.#isWaitLogged) return;
    this.#isWaitLogged = true;
    const { configurationName } = this.#settings;
    this.#dependencies.log.info(
      { configuration: configurationName },
      'the CA has changed, the new leaf waits for the webhook configurations',
    );
  }
}

function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
