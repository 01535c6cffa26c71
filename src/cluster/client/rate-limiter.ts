import { pause } from './timing.ts';

/** Spaces requests, so that at most so many begin in a second. Turns come in the order in which they are taken. */
export class RateLimiter {
  readonly #intervalMilliseconds: number;
  readonly #monotonic: () => number;
  #next = -Infinity;

  /** @param monotonic a clock that never goes back, in milliseconds */
  constructor(perSecond: number, monotonic: () => number) {
    this.#intervalMilliseconds = 1000 / perSecond;
    this.#monotonic = monotonic;
  }

  /** Takes the next free turn. Gives the milliseconds until then: 0 = now. */
  take(): number {
    const now = this.#monotonic();
    const at = Math.max(now, this.#next);
    this.#next = at + this.#intervalMilliseconds;
    return at - now;
  }

  /** Takes the next free turn, and waits for it. Rejects at the signal. */
  async turn(signal: AbortSignal): Promise<void> {
    const wait = this.take();
    if (wait > 0) await pause(wait, signal);
    signal.throwIfAborted();
  }
}
