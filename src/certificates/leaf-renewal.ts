/** A leaf that is served: by whom it was signed, and how long it lasts, in milliseconds since the epoch. */
export interface ServedLeaf {
  /** The certificate of the CA that signed it. */
  readonly ca: string;
  readonly issuedAt: number;
  readonly renewAt: number;
  readonly notAfter: number;
}

/** The CA that is to sign. */
export interface Signer {
  readonly cert: string;
  readonly notBefore: number;
  readonly notAfter: number;
}

/** A renewal comes after this share of a leaf's life, sooner or later by up to JITTER of it, so that replicas take turns. */
const RENEWAL_SHARE = 2 / 3;
const JITTER = 0.1;

/**
 * When a leaf is to be renewed.
 *
 * @param random a number from 0 to 1
 */
export function renewalTime(issuedAt: number, notAfter: number, random: number): number {
  return issuedAt + (notAfter - issuedAt) * RENEWAL_SHARE * (1 - JITTER + 2 * JITTER * random);
}

/**
 * Decides whether another leaf is to be served. One of another CA than before waits until clients trust that CA: the leaf that is
 * served meanwhile is trusted still. It is not renewed by then, because the CA that signed it is given up once its last leaf has ended.
 * Without a leaf that lasts there is nothing to lose, and the new one is served at once.
 *
 * @param isTrusted whether all clients trust the signer
 * @param now the wall clock, in milliseconds since the epoch
 */
export function isLeafDue(served: ServedLeaf | undefined, signer: Signer, isTrusted: boolean, now: number): boolean {
  if (now >= signer.notAfter) return false;
  if (served === undefined || now >= served.notAfter) return true;
  // One that is not valid yet was made by a clock that was wrong: clients would refuse what it signs.
  if (served.ca !== signer.cert) return isTrusted && now >= signer.notBefore;
  // One that begins in the future was made while the clock was wrong.
  if (now < served.issuedAt - CLOCK_CORRECTION) return true;
  return now >= served.renewAt && served.notAfter < signer.notAfter;
}

/** A clock that goes back by less than this does no harm, because leaves are backdated by more. */
const CLOCK_CORRECTION = 1_800_000;
