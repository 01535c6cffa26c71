import { BACKDATED_MILLISECONDS } from './trust-root.ts';
import type { CaState } from './ca-state.ts';
import type { CertificateAuthority, TrustRoot } from './trust-root.ts';

/** How long things last, in milliseconds. */
export interface RotationSettings {
  readonly caLifetime: number;
  readonly leafLifetime: number;
  /**
   * For how long every client must have trusted a CA before it signs, which is more than any replica or client lags
   * behind.
   */
  readonly overlap: number;
}

/**
 * The next step of a rotation. `stage`: make the next CA. `trust`: note that all clients trust the next CA. `distrust`:
 * delete that note. `promote`: let the next CA sign. `retire`: drop the CAs that signed before.
 */
export type RotationStep = 'stage' | 'trust' | 'distrust' | 'promote' | 'retire';

/**
 * Decides on the next step. At no time is a leaf served that a client does not trust: leaves are signed by `ca` only,
 * clients trust `ca`, `next` and `previous`, a CA becomes `ca` after all clients have trusted it for `overlap`, and
 * leaves `previous` when all leaves that it signed have expired.
 *
 * @param isNextTrusted whether every webhook configuration that there is holds `next`; undefined when that is not known
 * now
 * @param now the wall clock, in milliseconds since the epoch
 */
export function nextStep(
  state: CaState,
  isNextTrusted: boolean | undefined,
  now: number,
  settings: RotationSettings,
): RotationStep | undefined {
  const { ca, next, nextTrustedSince } = state;
  if (next === undefined) {
    if (state.rotate || now >= rotationDue(ca) || isOutOfTime(ca, now)) return 'stage';
  } else if (isOutOfTime(next, now)) {
    return 'stage';
  } else if (isOutOfTime(ca, now)) {
    // Clients reject every leaf of an expired CA, so nothing is lost.
    return 'promote';
  } else if (isNextTrusted !== undefined) {
    if (nextTrustedSince === undefined) {
      if (isNextTrusted) return 'trust';
    } else if (!isNextTrusted) {
      return 'distrust';
    } else if (now - nextTrustedSince >= settings.overlap) {
      return 'promote';
    }
  }
  const { previous, promotedAt } = state;
  const isRetiring = previous.length > 0 && promotedAt !== undefined;
  return isRetiring && now - promotedAt >= settings.leafLifetime + settings.overlap ? 'retire' : undefined;
}

/**
 * True for a CA that has expired, or is not valid yet because a clock was wrong when it was made. CAs are backdated, so
 * small errors of clocks do no harm.
 */
function isOutOfTime({ notBefore, notAfter }: CertificateAuthority, now: number): boolean {
  return now >= notAfter || now < notBefore;
}

/**
 * When a rotation is due: after two thirds of the CA's life. Its life begins when the CA was made, which is later than
 * its notBefore.
 */
export function rotationDue({ notBefore, notAfter }: CertificateAuthority): number {
  const made = Math.min(notBefore + BACKDATED_MILLISECONDS, notAfter);
  return made + ((notAfter - made) * 2) / 3;
}

/** The state with a next CA. That begins the rotation that the annotation asked for. */
export function staged(state: CaState, next: CertificateAuthority): CaState {
  return { ...state, next, nextTrustedSince: undefined, rotate: false };
}

/** The state with the note that all clients trust the next CA. */
export function trusted(state: CaState, now: number): CaState {
  return { ...state, nextTrustedSince: now };
}

/** The state without that note. */
export function distrusted(state: CaState): CaState {
  return { ...state, nextTrustedSince: undefined };
}

/** The state in which the next CA signs. */
export function promoted(state: CaState, next: CertificateAuthority, now: number): CaState {
  return {
    ...retiring({ ...state, ca: next, next: undefined, nextTrustedSince: undefined, rotate: false }, state.ca, now),
    promotedAt: now,
  };
}

/** The state without the CAs that signed before. */
export function retired(state: CaState): CaState {
  return { ...state, previous: [], promotedAt: undefined };
}

/** The state in which leaves of this CA, too, are trusted for as long as one that was made now can last. */
export function retiring(state: CaState, root: TrustRoot, now: number): CaState {
  const others = state.previous.filter(({ cert, notAfter }) => cert !== root.cert && notAfter > now);
  const isLasting = root.notAfter > now && root.cert !== state.ca.cert;
  const previous = isLasting ? [{ cert: root.cert, notAfter: root.notAfter }, ...others] : others;
  return { ...state, previous, promotedAt: previous.length > 0 ? now : state.promotedAt };
}
