import { issueLeaf } from './certificate-authority.ts';
import { trustedBy, type CaState, type CertificateAuthority } from './ca-state.ts';
import type { CertificateDependencies } from './certificate-source.ts';
import type { ServingPair } from './pem.ts';

/** A leaf that is served: its CA, and its times, in milliseconds since the epoch. */
export interface ServedLeaf {
  /** The certificate of the CA that signed it. */
  readonly ca: string;
  readonly issuedAt: number;
  readonly renewAt: number;
  readonly notAfter: number;
}

/** A renewal comes after this share of a leaf's life, give or take up to JITTER of it, so that replicas take turns. */
const RENEWAL_SHARE = 2 / 3;
const JITTER = 0.1;
/** A clock that goes back by less than this does no harm, because leaves are backdated by more. */
const CLOCK_CORRECTION = 1_800_000;
/** Clients look at the alternative names only. */
const COMMON_NAME = 'probewright webhook';

/**
 * When a leaf is to be renewed.
 *
 * @param random a number from 0 to 1
 */
export function renewalTime(issuedAt: number, notAfter: number, random: number): number {
  return issuedAt + (notAfter - issuedAt) * RENEWAL_SHARE * (1 - JITTER + 2 * JITTER * random);
}

/**
 * Decides whether another leaf is to be served. A leaf of another CA than before waits until clients trust that CA;
 * clients still trust the leaf that is served meanwhile. That leaf is not renewed, because its CA is dropped once its
 * last leaf has expired. When the served leaf has expired, a new one is served at once.
 *
 * @param isTrusted whether all clients trust the signer
 * @param now the wall clock, in milliseconds since the epoch
 */
export function isLeafDue(
  served: ServedLeaf | undefined,
  signer: Omit<CertificateAuthority, 'key'>,
  isTrusted: boolean,
  now: number,
): boolean {
  if (now >= signer.notAfter) return false;
  if (served === undefined || now >= served.notAfter) return true;
  // A CA that is not valid yet was made while a clock was wrong: clients would reject its leaves.
  if (served.ca !== signer.cert) return isTrusted && now >= signer.notBefore;
  // A leaf from the future was made while the clock was wrong.
  if (now < served.issuedAt - CLOCK_CORRECTION) return true;
  return now >= served.renewAt && served.notAfter < signer.notAfter;
}

/** How leaves are made. */
export interface LeafSettings {
  /** In milliseconds. */
  readonly leafLifetime: number;
  /** The webhook configurations that a leaf of a new CA waits for, for the log. */
  readonly configurationName: string;
}

/** The leaf that this replica serves, signed by the shared CA. Its key stays in memory. */
export class OwnLeaf {
  readonly #host: string;
  readonly #settings: LeafSettings;
  readonly #dependencies: CertificateDependencies;
  #served: (ServedLeaf & { readonly root: CertificateAuthority }) | undefined;
  #isWaitLogged = false;

  /** @param host the name that the API server calls the webhook by, the only one of a leaf */
  constructor(host: string, settings: LeafSettings, dependencies: CertificateDependencies) {
    this.#host = host;
    this.#settings = settings;
    this.#dependencies = dependencies;
  }

  /**
   * Makes a leaf when one is due. Rejects when the CA cannot sign; the leaf from before goes on being served then.
   *
   * @param isTrusted whether every webhook configuration trusts the CA
   * @returns the new pair; undefined when none is due
   */
  async renew(ca: CertificateAuthority, isTrusted: boolean): Promise<ServingPair | undefined> {
    const { now, random, log } = this.#dependencies;
    const { leafLifetime, configurationName: configuration } = this.#settings;
    const issuedAt = now();
    if (!isLeafDue(this.#served, ca, isTrusted, issuedAt)) {
      const isWaiting = this.#served?.ca !== ca.cert;
      if (isWaiting && !this.#isWaitLogged)
        log.info({ configuration }, 'the CA has changed, the new leaf waits for the webhook configurations');
      this.#isWaitLogged = isWaiting;
      return undefined;
    }
    const names = { commonName: COMMON_NAME, dns: [this.#host] };
    const pair = await issueLeaf(ca, names, issuedAt, leafLifetime);
    const renewAt = renewalTime(issuedAt, pair.notAfter, random());
    this.#served = { ca: ca.cert, root: ca, issuedAt, renewAt, notAfter: pair.notAfter };
    this.#isWaitLogged = false;
    const [notAfter, renewal] = [pair.notAfter, renewAt].map((time) => new Date(time).toISOString());
    log.info({ notAfter, renewAt: renewal }, 'serving certificate minted');
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
}
