/** Certificates begin this long before they are made: the clocks of clients differ from ours. */
export const BACKDATED_MILLISECONDS = 3_600_000;

/** A certificate that clients may trust. Times here are in milliseconds since the epoch. */
export interface TrustRoot {
  /** One certificate, PEM as Node prints it: equal text means equal certificate. */
  readonly cert: string;
  readonly notAfter: number;
}

export interface CertificateAuthority extends TrustRoot {
  readonly key: string;
  readonly notBefore: number;
}

/** The state that the replicas share in a Secret: the CAs, and the progress of a rotation. */
export interface CaState {
  readonly ca: CertificateAuthority;
  /** Will sign leaves once clients have trusted it for long enough. */
  readonly next: CertificateAuthority | undefined;
  /** Have signed leaves that may still be served. */
  readonly previous: readonly TrustRoot[];
  /** Since when every client has been seen to trust `next`. */
  readonly nextTrustedSince: number | undefined;
  /** When `ca` began to sign. Known whenever there is a `previous`. */
  readonly promotedAt: number | undefined;
  readonly rotate: boolean;
}

export interface RotationSettings {
  readonly leafLifetime: number;
  /** How long every client must have trusted a CA before it signs: more than any replica or client lags behind. */
  readonly caOverlap: number;
}

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
 * Why the Secret is written. `create`: there was none. `restore`: it was deleted, or cannot be used. `keep`: it holds
 * another CA than before, and gets the CA whose leaf is still served. `stage`: make the next CA. `trust` and
 * `distrust`: note that all clients trust the next CA, or no longer. `promote`: let it sign. `retire`: drop former CAs.
 */
export type CaStep = 'create' | 'restore' | 'keep' | 'stage' | 'trust' | 'distrust' | 'promote' | 'retire';

/** A write of the Secret that is due, with the state after it. Some states need a CA that is made just now. */
export interface DueStep {
  readonly step: CaStep;
  readonly state: CaState | ((made: CertificateAuthority) => CaState);
}

export function initialState(ca: CertificateAuthority): CaState {
  return { ca, next: undefined, previous: [], nextTrustedSince: undefined, promotedAt: undefined, rotate: false };
}

/** Everything that clients are to trust, the signing CA first. */
export function trustedBy({ ca, next, previous }: CaState): readonly TrustRoot[] {
  return [ca, ...(next === undefined ? [] : [next]), ...previous];
}

/** The next write of the Secret; undefined when none is due. */
export function nextStep(situation: CaSituation, now: number, settings: RotationSettings): DueStep | undefined {
  const { secret, state, unkeptRoot, isLeader, isNextTrusted } = situation;
  if (secret !== 'whole') {
    if (state !== undefined) return { step: 'restore', state };
    return { step: secret === 'absent' ? 'create' : 'restore', state: initialState };
  }
  if (state === undefined) return undefined;
  if (unkeptRoot !== undefined) return { step: 'keep', state: retiring(state, unkeptRoot, now) };
  // The leader alone rotates, also when the CA has expired: one replica with a wrong clock must not replace a CA that
  // serves all others.
  return isLeader ? rotationStep(state, isNextTrusted, now, settings) : undefined;
}

/**
 * The next step of a rotation. At no time is a leaf served that a client does not trust: leaves are signed by `ca`
 * only, clients trust `ca`, `next` and `previous`, a CA becomes `ca` after all clients have trusted it for `caOverlap`,
 * and leaves `previous` when all leaves that it signed have expired.
 */
export function rotationStep(
  state: CaState,
  isNextTrusted: boolean | undefined,
  now: number,
  { leafLifetime, caOverlap }: RotationSettings,
): DueStep | undefined {
  const { ca, next, nextTrustedSince, previous, promotedAt } = state;
  // The new CA begins the rotation that the annotation asked for.
  const stage: DueStep = {
    step: 'stage',
    state: (made) => ({ ...state, next: made, nextTrustedSince: undefined, rotate: false }),
  };
  if (next === undefined) {
    if (state.rotate || now >= rotationDue(ca) || isOutOfTime(ca, now)) return stage;
  } else if (isOutOfTime(next, now)) {
    return stage;
  } else if (isOutOfTime(ca, now)) {
    // Clients reject every leaf of an expired CA, so nothing is lost.
    return promote(state, next, now);
  } else if (isNextTrusted !== undefined) {
    if (isNextTrusted && nextTrustedSince === undefined)
      return { step: 'trust', state: { ...state, nextTrustedSince: now } };
    if (!isNextTrusted && nextTrustedSince !== undefined)
      return { step: 'distrust', state: { ...state, nextTrustedSince: undefined } };
    if (nextTrustedSince !== undefined && now - nextTrustedSince >= caOverlap) return promote(state, next, now);
  }
  const isRetiring = previous.length > 0 && promotedAt !== undefined;
  if (!isRetiring || now - promotedAt < leafLifetime + caOverlap) return undefined;
  return { step: 'retire', state: { ...state, previous: [], promotedAt: undefined } };
}

/** When a rotation is due: after two thirds of the CA's life, which begins when it was made, later than notBefore. */
export function rotationDue({ notBefore, notAfter }: CertificateAuthority): number {
  const made = Math.min(notBefore + BACKDATED_MILLISECONDS, notAfter);
  return made + ((notAfter - made) * 2) / 3;
}

function promote(state: CaState, next: CertificateAuthority, now: number): DueStep {
  const promoted = { ...initialState(next), previous: state.previous };
  return { step: 'promote', state: { ...retiring(promoted, state.ca, now), promotedAt: now } };
}

/** The state in which leaves of this CA, too, are trusted for as long as one that was made now can last. */
function retiring(state: CaState, { cert, notAfter }: TrustRoot, now: number): CaState {
  const others = state.previous.filter((other) => other.cert !== cert && other.notAfter > now);
  const previous = notAfter > now && cert !== state.ca.cert ? [{ cert, notAfter }, ...others] : others;
  return { ...state, previous, promotedAt: previous.length > 0 ? now : state.promotedAt };
}

/** True for a CA that has expired, or that begins in the future because a clock was wrong when it was made. */
function isOutOfTime({ notBefore, notAfter }: CertificateAuthority, now: number): boolean {
  return now >= notAfter || now < notBefore;
}

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
 * Whether another leaf is to be served. A leaf of another CA waits until clients trust that CA (`isTrusted`). The
 * served one is not renewed meanwhile, because its CA is dropped once its last leaf has expired.
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
