import { distrusted, nextStep, promoted, retired, retiring, staged, trusted } from './ca-rotation.ts';
import { initialState } from './ca-state.ts';
import { createAuthority } from './certificate-authority.ts';
import type { Adoptable } from './ca-adoption.ts';
import type { RotationSettings, RotationStep } from './ca-rotation.ts';
import type { CaState } from './ca-state.ts';
import type { CertificateAuthority } from './trust-root.ts';

/**
 * Why the Secret is written. Beside the steps of a rotation: `create`: there was no Secret; `restore`: the Secret was
 * deleted, or what it holds cannot be used; `keep`: the Secret holds another CA than before, and the CA whose leaf is
 * still served is added to it.
 */
export type SecretWriteStep = RotationStep | 'create' | 'restore' | 'keep';

/** A write to the Secret that is due. */
export interface DueSecretWrite {
  readonly step: SecretWriteStep;
  /** The content that the Secret is to have. */
  readonly state: CaState;
}

/** The facts on which a write of the Secret is decided. */
export interface SecretWriteSituation {
  /** The content of the Secret; undefined when there is no Secret. */
  readonly found: Adoptable | undefined;
  /** The CAs in memory; undefined when there are none yet. */
  readonly state: CaState | undefined;
  /** The CA whose leaf is served although `state` does not know that CA. */
  readonly unkeptRoot: CertificateAuthority | undefined;
  readonly isLeader: boolean;
  /** Whether every webhook configuration trusts `state.next`; undefined when that is not known now. */
  readonly isNextTrusted: boolean | undefined;
}

/**
 * The write that is due, if any.
 *
 * @param now the wall clock, in milliseconds since the epoch
 */
export async function dueSecretWrite(
  situation: SecretWriteSituation,
  now: number,
  settings: RotationSettings,
): Promise<DueSecretWrite | undefined> {
  const { found, state, unkeptRoot, isLeader, isNextTrusted } = situation;
  if (found === undefined) {
    if (state !== undefined) return { step: 'restore', state };
    return { step: 'create', state: initialState(await newAuthority(now, settings)) };
  }
  if (found.problems.length > 0) {
    const good = state ?? found.state ?? initialState(await newAuthority(now, settings));
    return { step: 'restore', state: good };
  }
  if (state === undefined) return undefined;
  if (unkeptRoot !== undefined) return { step: 'keep', state: retiring(state, unkeptRoot, now) };
  // The leader alone rotates, also when the CA has expired: one replica with a wrong clock must not replace a CA that
  // serves all others.
  return isLeader ? rotation(state, isNextTrusted, now, settings) : undefined;
}

async function rotation(
  state: CaState,
  isNextTrusted: boolean | undefined,
  now: number,
  settings: RotationSettings,
): Promise<DueSecretWrite | undefined> {
  const { next } = state;
  const step = nextStep(state, isNextTrusted, now, settings);
  switch (step) {
    case 'stage':
      return { step, state: staged(state, await newAuthority(now, settings)) };
    case 'trust':
      return { step, state: trusted(state, now) };
    case 'distrust':
      return { step, state: distrusted(state) };
    case 'promote':
      return next && { step, state: promoted(state, next, now) };
    case 'retire':
      return { step, state: retired(state) };
    case undefined:
      return undefined;
  }
}

function newAuthority(now: number, { caLifetime }: RotationSettings): Promise<CertificateAuthority> {
  const made = new Date(now).toISOString().replace(/\.\d+Z$/, 'Z');
  return createAuthority(`probewright CA ${made}`, now, caLifetime);
}
