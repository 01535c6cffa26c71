import type { CertificateAuthority } from './ca-state.ts';

/** A leaf that is served. Times are in milliseconds since the epoch. `ca` is the certificate of its CA. */
export interface ServedLeaf {
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

/** @param random a number from 0 to 1 */
export function renewalTime(issuedAt: number, notAfter: number, random: number): number {
  return issuedAt + (notAfter - issuedAt) * RENEWAL_SHARE * (1 - JITTER + 2 * JITTER * random);
}

/**
 * Whether another leaf is to be served. A leaf of another CA waits until clients trust that CA. The served one is not
 * renewed meanwhile, because its CA is dropped once its last leaf has expired. Then a new one is served at once.
 *
 * @param isTrusted whether all clients trust the signer
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
