/** How long to wait before another attempt: doubled with each, from `minimum` up to `maximum`, in milliseconds. */
export interface BackoffLimits {
  readonly minimum: number;
  readonly maximum: number;
}

/**
 * Waiting times that grow with every failure, and differ between replicas so that they do not come back all at once.
 */
export class Backoff {
  readonly #limits: BackoffLimits;
  readonly #random: () => number;
  #next: number;

  /** @param random a number from 0 to 1, as Math.random gives */
  constructor(limits: BackoffLimits, random: () => number) {
    this.#limits = limits;
    this.#random = random;
    this.#next = limits.minimum;
  }

  /** The next waiting time: between half and all of the pause for this number of failures. */
  next(): number {
    const whole = this.#next;
    this.#next = Math.min(whole * 2, this.#limits.maximum);
    return whole / 2 + (whole / 2) * this.#random();
  }

  /** To be called after a success. */
  reset(): void {
    this.#next = this.#limits.minimum;
  }
}
