import { Backoff } from './backoff.ts';

/** Milliseconds before the next attempt after a failure; doubled with each further failure. */
const RETRY = { minimum: 1_000, maximum: 60_000 };

/**
 * Runs a piece of work again and again, never twice at a time: when asked, at every check, and again after a failure.
 * The checks come at a short interval, because a long timer overflows and stands still while the machine is suspended.
 */
export class RepeatedWork {
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
    this.#interval = setInterval(() => this.ask(), this.#checkMilliseconds);
    this.ask();
  }

  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#interval);
    clearTimeout(this.#retry);
  }

  /** Asks for a round: at once, or after the round in progress. */
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
    this.#retry = setTimeout(() => this.ask(), this.#backoff.next());
  }
}
