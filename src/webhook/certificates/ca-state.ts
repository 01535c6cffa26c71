/** Certificates begin this long before they are made: the clocks of clients differ from ours. */
export const BACKDATED_MILLISECONDS = 3_600_000;

/** A certificate that clients may trust. */
export interface TrustRoot {
  /** One certificate, PEM as Node prints it: equal text means equal certificate. */
  readonly cert: string;
  /** When it ends, in milliseconds since the epoch. */
  readonly notAfter: number;
}

/** A trust root that we can sign with. */
export interface CertificateAuthority extends TrustRoot {
  /** PKCS#8 PEM. */
  readonly key: string;
  /** When it begins, in milliseconds since the epoch. */
  readonly notBefore: number;
}

/** The state that the replicas share in a Secret: the CAs, and the progress of a rotation. */
export interface CaState {
  /** Signs leaves. */
  readonly ca: CertificateAuthority;
  /** Will sign leaves once clients have trusted it for long enough. */
  readonly next: CertificateAuthority | undefined;
  /** Have signed leaves that may still be served. */
  readonly previous: readonly TrustRoot[];
  /** Since when every client has been seen to trust `next`, in milliseconds since the epoch. */
  readonly nextTrustedSince: number | undefined;
  /** When `ca` began to sign, in milliseconds since the epoch. Known whenever there is a `previous`. */
  readonly promotedAt: number | undefined;
  /** Whether the annotation asks for a rotation now. */
  readonly rotate: boolean;
}

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

/** The facts on which the next write of the Secret is decided. */
export interface CaSituation {
  /** `damaged`: it is there, and a part of it cannot be used. */
  readonly secret: 'absent' | 'damaged' | 'whole';
  /** The last whole state. Before there was one: what can be used of a damaged Secret. */
  readonly state: CaState | undefined;
  /** The CA whose leaf this replica still serves although `state` does not know that CA. */
  readonly unkeptRoot: TrustRoot | undefined;
  readonly isLeader: boolean;
  /** Whether every webhook configuration that there is holds `state.next`; undefined when that is not known now. */
  readonly isNextTrusted: boolean | undefined;
}

/**
 * Why the Secret is written. `create`: there was no Secret. `restore`: the Secret was deleted, or what it holds cannot
 * be used. `keep`: the Secret holds another CA than before, and the CA whose leaf is still served is added to it.
 * `stage`: make the next CA. `trust`: note that all clients trust the next CA. `distrust`: delete that note.
 * `promote`: let the next CA sign. `retire`: drop the CAs that signed before.
 */
export type CaStep = 'create' | 'restore' | 'keep' | 'stage' | 'trust' | 'distrust' | 'promote' | 'retire';

/** A write of the Secret that is due, with the state after it. Some states need a CA that is made just now. */
export type DueStep =
  | { readonly step: CaStep; readonly state: CaState }
  | { readonly step: CaStep; readonly stateWith: (made: CertificateAuthority) => CaState };

/** A state that begins with this CA. */
export function initialState(ca: CertificateAuthority): CaState {
  return { ca, next: undefined, previous: [], nextTrustedSince: undefined, promotedAt: undefined, rotate: false };
}

/** Everything that clients are to trust, the signing CA first. */
export function trustedBy(state: CaState): readonly TrustRoot[] {
  return [state.ca, ...(state.next === undefined ? [] : [state.next]), ...state.previous];
}

/**
 * The next write of the Secret; undefined when none is due.
 *
 * @param now the wall clock, in milliseconds since the epoch
 */
export function nextStep(situation: CaSituation, now: number, settings: RotationSettings): DueStep | undefined {
  const { secret, state, unkeptRoot, isLeader, isNextTrusted } = situation;
  if (secret !== 'whole') {
    if (state !== undefined) return { step: 'restore', state };
    return { step: secret === 'absent' ? 'create' : 'restore', stateWith: initialState };
  }
  if (state === undefined) return undefined;
  if (unkeptRoot !== undefined) return { step: 'keep', state: retiring(state, unkeptRoot, now) };
  // The leader alone rotates, also when the CA has expired: one replica with a wrong clock must not replace a CA that
  // serves all others.
  return isLeader ? rotationStep(state, isNextTrusted, now, settings) : undefined;
}

/**
 * The next step of a rotation. At no time is a leaf served that a client does not trust: leaves are signed by `ca`
 * only, clients trust `ca`, `next` and `previous`, a CA becomes `ca` after all clients have trusted it for `overlap`,
 * and leaves `previous` when all leaves that it signed have expired.
 *
 * @param isNextTrusted as in CaSituation
 * @param now the wall clock, in milliseconds since the epoch
 */
export function rotationStep(
  state: CaState,
  isNextTrusted: boolean | undefined,
  now: number,
  settings: RotationSettings,
): DueStep | undefined {
  const { ca, next, nextTrustedSince, previous, promotedAt } = state;
  if (next === undefined) {
    if (state.rotate || now >= rotationDue(ca) || isOutOfTime(ca, now)) return stage(state);
  } else if (isOutOfTime(next, now)) {
    return stage(state);
  } else if (isOutOfTime(ca, now)) {
    // Clients reject every leaf of an expired CA, so nothing is lost.
    return promote(state, next, now);
  } else if (isNextTrusted !== undefined) {
    if (nextTrustedSince === undefined) {
      if (isNextTrusted) return { step: 'trust', state: { ...state, nextTrustedSince: now } };
    } else if (!isNextTrusted) {
      return { step: 'distrust', state: { ...state, nextTrustedSince: undefined } };
    } else if (now - nextTrustedSince >= settings.overlap) {
      return promote(state, next, now);
    }
  }
  const isRetiring = previous.length > 0 && promotedAt !== undefined;
  if (!isRetiring || now - promotedAt < settings.leafLifetime + settings.overlap) return undefined;
  return { step: 'retire', state: { ...state, previous: [], promotedAt: undefined } };
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
function stage(state: CaState): DueStep {
  return { step: 'stage', stateWith: (next) => ({ ...state, next, nextTrustedSince: undefined, rotate: false }) };
}

function promote(state: CaState, next: CertificateAuthority, now: number): DueStep {
  const promoted = { ...state, ca: next, next: undefined, nextTrustedSince: undefined, rotate: false };
  return { step: 'promote', state: { ...retiring(promoted, state.ca, now), promotedAt: now } };
}

/** The state in which leaves of this CA, too, are trusted for as long as one that was made now can last. */
function retiring(state: CaState, root: TrustRoot, now: number): CaState {
  const others = state.previous.filter(({ cert, notAfter }) => cert !== root.cert && notAfter > now);
  const isLasting = root.notAfter > now && root.cert !== state.ca.cert;
  const previous = isLasting ? [{ cert: root.cert, notAfter: root.notAfter }, ...others] : others;
  return { ...state, previous, promotedAt: previous.length > 0 ? now : state.promotedAt };
}

/**
 * True for a CA that has expired, or is not valid yet because a clock was wrong when it was made. CAs are backdated, so
 * small errors of clocks do no harm.
 */
function isOutOfTime({ notBefore, notAfter }: CertificateAuthority, now: number): boolean {
  return now >= notAfter || now < notBefore;
}
