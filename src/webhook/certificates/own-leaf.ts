import type { CertificateAuthority } from './ca-state.ts';

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
