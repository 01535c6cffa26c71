import { Backoff } from '../kubernetes/backoff.ts';

/** After a failure the next attempt comes after this, then after twice as long, and so on. */
const RETRY = { minimum: 1_000, maximum: 60_000 };

/**
 * Runs a piece of work over and over, never twice at a time: whenever it is asked for, at every check, and again after a failure. The
 * check is a short interval, so that the work can go by the wall clock: a long timer overflows, and does not run in suspension.
 */
export class Rounds {
  readonly #work: () => Promise<boolean>;
  readonly #checkMilliseconds: number;
  readonly #backoff: Backoff;
  #interval: NodeJS.Timeout | undefined;
  #retry: NodeJS.Timeout | undefined;
  #isRunning = false;
  #isAskedFor = false;
  #isStopped = false;

  /**
   * @param work gives false when it has failed; must not reject
   * @param random a number from 0 to 1
   */
  constructor(work: () => Promise<boolean>, checkMilliseconds: number, random: () => number) {
    this.#work = work;
    this.#checkMilliseconds = checkMilliseconds;
    this.#backoff = new Backoff(RETRY, random);
  }

  start(): void {
    this.#interval = setInterval(() => {
      this.ask();
    }, this.#checkMilliseconds);
    this.ask();
  }

  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#interval);
    clearTimeout(this.#retry);
  }

  /** Asks for a round: soon, and after the one that is under way. */
  ask(): void {
    this.#isAskedFor = true;
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#isAskedFor && !this.#isStopped) {
      this.#isAskedFor = false;
      clearTimeout(this.#retry);
      if (await this.#work()) this.#backoff.reset();
      else this.#retryLater();
    }
    this.#isRunning = false;
  }

  #retryLater(): void {
    if (this.#isStopped) return;
    this.#retry = setTimeout(() => {
      this.ask();
    }, this.#backoff.next());
  }
}
