import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Spaces requests, so that at most so many begin in a second. Each turn waits for the turn before it.
 */
export class Pace {
  readonly #intervalMilliseconds: number;
  readonly #monotonic: () => number;
  #next = 0;

  /** @param monotonic a clock that never goes back, in milliseconds */
  constructor(perSecond: number, monotonic: () => number) {
    this.#intervalMilliseconds = 1000 / perSecond;
    this.#monotonic = monotonic;
  }

  /** Resolves when the next request may begin. Rejects when the signal is aborted. */
  async turn(signal: AbortSignal): Promise<void> {
    const now = this.#monotonic();
    const at = Math.max(now, this.#next);
    this.#next = at + this.#intervalMilliseconds;
    if (at > now) await sleep(at - now, undefined, { signal });
    signal.throwIfAborted();
  }
}
