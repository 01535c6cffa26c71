import { CurrentProblems } from './current-problems.ts';
import { PendingStart } from './pending-start.ts';
import { RepeatedWork } from '../../cluster/client/repeated-work.ts';
import { messageOf } from '../../base/text/error-message.ts';
import type { CertificateListener } from './certificate-source.ts';
import type { CertificateDependencies } from './certificate-dependencies.ts';
import type { MirrorListener } from '../../cluster/client/mirrored-object.ts';
import type { ServingPair } from './serving-pair.ts';

/**
 * Something that an upkeep watches. Both are started and stopped together; a change asks for a round through the
 * listener.
 */
interface Watched {
  start(): unknown;
  stop(): void;
}

const CHECK_MILLISECONDS = 60_000;

/**
 * Keeps a serving certificate up to date in a cluster. It runs a round of work at each change and each check, knows
 * what is wrong now by part, holds the start until there is a first pair, and knows whether this replica leads.
 */
export class CertificateUpkeep<Part extends string> {
  readonly #rounds: RepeatedWork;
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
    dependencies: CertificateDependencies,
  ) {
    this.#rounds = new RepeatedWork(round, checkMilliseconds ?? CHECK_MILLISECONDS, dependencies.random);
  }

  /** A listener for a watched object: each change asks for a round, and so does contact that is lost or restored. */
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

  /** Says whether this replica leads. Can be called at any time, also before start. */
  lead(isLeader: boolean): void {
    this.#isLeader = isLeader;
    if (this.#pending !== undefined) this.#rounds.ask();
  }

  /** Reports a pair to serve from now on. */
  found(pair: ServingPair): void {
    this.#pending?.found(pair);
  }

  /** The present problem, in one line; undefined when there is none. */
  problem(): string | undefined {
    return this.#problems.text();
  }

  /** Notes what is wrong with a part; undefined when nothing is. */
  note(part: Part, problem: string | undefined): void {
    this.#problems.set(part, problem);
  }

  /**
   * Does the work of one part and notes its failure, so that the other parts are still done. False when the work
   * failed.
   */
  async attempt(part: Part, work: () => Promise<void>): Promise<boolean> {
    if (this.#isStopped) return true;
    try {
      await work();
      this.note(part, undefined);
      return true;
    } catch (error) {
      this.note(part, messageOf(error));
      return false;
    }
  }
}
