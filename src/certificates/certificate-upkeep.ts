import { CurrentProblems } from './current-problems.ts';
import { PendingStart } from './pending-start.ts';
import { Rounds } from './rounds.ts';
import type { CertificateListener } from './certificate-source.ts';
import type { CertificateSurroundings } from './certificate-surroundings.ts';
import type { MirrorListener } from './mirrored-object.ts';
import type { ServingPair } from './serving-pair.ts';

/** What an upkeep goes by: it is started and stopped with it, and asks for a round by the listener that it was given. */
interface Watched {
  start(): unknown;
  stop(): void;
}

const CHECK_MILLISECONDS = 60_000;

/**
 * How a serving certificate is looked after in a cluster, whatever there is to do: rounds of work, at each change and check; what is wrong now,
 * by the part that it concerns; the start that waits for the first pair; and whether this replica leads.
 */
export class CertificateUpkeep<Part extends string> {
  readonly #rounds: Rounds;
  readonly #problems = new CurrentProblems<Part>((problem) => this.#pending?.failed(problem));
  #watched: readonly Watched[] = [];
  #pending: PendingStart | undefined;
  #isLeader = false;
  #isStopped = false;

  /**
   * @param round gives false when it has failed and is to be tried again; must not reject
   * @param checkMilliseconds how often the wall clock is looked at, default one minute
   */
  constructor(
    round: () => Promise<boolean>,
    checkMilliseconds: number | undefined,
    surroundings: CertificateSurroundings,
  ) {
    this.#rounds = new Rounds(round, checkMilliseconds ?? CHECK_MILLISECONDS, surroundings.random);
  }

  /** For what is watched: every change, and contact lost or back, asks for a round. */
  listener(part: Part): MirrorListener {
    return {
      changed: () => this.#rounds.ask(),
      troubled: (problem) => {
        this.#problems.set(part, problem);
        this.#rounds.ask();
      },
    };
  }

  /** Resolves with the first pair that is found. Rejects on stop only. */
  start(listener: CertificateListener, watched: readonly Watched[]): Promise<ServingPair> {
    this.#pending = new PendingStart(listener);
    if (this.#isStopped) this.#pending.stop();
    else {
      this.#watched = watched;
      for (const each of watched) void each.start();
      this.#rounds.start();
    }
    return this.#pending.firstPair;
  }

  stop(): void {
    this.#isStopped = true;
    this.#rounds.stop();
    for (const each of this.#watched) each.stop();
    this.#pending?.stop();
  }

  get isLeader(): boolean {
    return this.#isLeader;
  }

  /** Tells whether this replica leads. Can be called at any time, before start too. */
  lead(isLeader: boolean): void {
    this.#isLeader = isLeader;
    if (this.#pending !== undefined) this.#rounds.ask();
  }

  /** A pair to be served from now on. */
  found(pair: ServingPair): void {
    this.#pending?.found(pair);
  }

  /** What is wrong now, in one line; undefined when nothing is. */
  problem(): string | undefined {
    return this.#problems.text();
  }

  /** Notes what is wrong with a part, or that nothing is. */
  note(part: Part, problem: string | undefined): void {
    this.#problems.set(part, problem);
  }

  /** Does the work of one part and notes how it went; one part's failure does not keep the others from being done. False when it failed. */
  async attempt(part: Part, work: () => Promise<void>): Promise<boolean> {
    if (this.#isStopped) return true;
    try {
      await work();
      this.note(part, undefined);
      return true;
    } catch (error) {
      this.note(part, error instanceof Error ? error.message : String(error));
      return false;
    }
  }
}
