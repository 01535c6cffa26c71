import { CurrentProblem } from '../../base/text/current-problem.ts';
import type { CertificateDependencies } from './certificate-dependencies.ts';
import type { CaSecret, SecretAddress, SecretSight } from './ca-secret.ts';
import type { CaState, SecretReading } from './ca-state.ts';
import type { IssuanceTrials } from './issuance-trials.ts';
import type { CertificateAuthority } from './trust-root.ts';

/** The parts of the Secret that can be adopted. */
export interface Adoptable extends SecretReading {
  /** Why the API server would refuse certificates of the CA, although the CA can be read and can sign. */
  readonly refusal: string | undefined;
}

/** The beginning of each problem with a CA whose certificates the API server would refuse. */
export const REFUSED = 'the API server would refuse the certificates that it signs';

/**
 * Adopts the CAs in the Secret, once all of the Secret can be used and the API server would accept what its CAs sign.
 */
export class CaAdoption {
  readonly #secret: CaSecret;
  readonly #address: SecretAddress;
  readonly #trials: IssuanceTrials;
  readonly #dependencies: CertificateDependencies;
  readonly #problem = new CurrentProblem();
  #state: CaState | undefined;

  constructor(secret: CaSecret, address: SecretAddress, trials: IssuanceTrials, dependencies: CertificateDependencies) {
    this.#secret = secret;
    this.#address = address;
    this.#trials = trials;
    this.#dependencies = dependencies;
  }

  /** The last state that was whole. A Secret that is deleted or damaged is restored from this state. */
  get state(): CaState | undefined {
    return this.#state;
  }

  /** Lets the CAs in the Secret sign a certificate on trial, if they have not done so before. */
  async tryAuthorities(): Promise<void> {
    // Adopted without waiting when all CAs were tried before: what the Secret holds now may be gone in a moment.
    this.adopt();
    const { state } = this.#secret.look().reading ?? {};
    if (state !== undefined && !this.#areTried(state)) await this.#trials.run(signers(state), this.#dependencies.now());
  }

  /** Takes over what the Secret holds now, if that can be adopted. Logs why not, once for each reason. */
  adopt(): void {
    const adoptable = this.adoptable(this.#secret.look());
    if (adoptable === undefined) return;
    const problems = adoptable.problems.length === 0 ? undefined : adoptable.problems.join('; ');
    const news = this.#problem.note(problems);
    if (problems === undefined) this.#state = adoptable.state;
    else if (news !== undefined) {
      const { namespace, name } = this.#address;
      this.#dependencies.log.error({ namespace, secret: name, problems }, 'the Secret of the CA cannot be used');
    }
  }

  /**
   * Undefined without a Secret, and when the Secret has changed during this round: the next round will have tried the
   * CAs in it.
   */
  adoptable({ reading }: SecretSight): Adoptable | undefined {
    if (reading?.state === undefined) return reading && { ...reading, refusal: undefined };
    const { state, problems } = reading;
    if (!this.#areTried(state)) return undefined;
    const refusal = this.#trials.problem(state.ca);
    if (refusal !== undefined)
      return { state: undefined, problems: [...problems, `ca.crt: ${REFUSED}: ${refusal}`], refusal };
    const next = state.next && this.#trials.problem(state.next);
    if (next === undefined) return { ...reading, refusal };
    const kept = { ...state, next: undefined, nextTrustedSince: undefined };
    return { state: kept, problems: [...problems, `next.crt: ${REFUSED}: ${next}`], refusal };
  }

  #areTried(state: CaState): boolean {
    return signers(state).every((signer) => this.#trials.has(signer));
  }
}

/** The CAs that sign, now or next. */
function signers({ ca, next }: CaState): readonly CertificateAuthority[] {
  return next === undefined ? [ca] : [ca, next];
}
