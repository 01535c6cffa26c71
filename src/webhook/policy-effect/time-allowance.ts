/** How much time a key may use, in milliseconds. */
export interface Allowance {
  /** The time that a key may use at once. */
  readonly most: number;
  /** The time that a key gets back in a millisecond. */
  readonly refill: number;
}

interface Used {
  milliseconds: number;
  at: number;
}

/** Limits the time that is spent for each key. A key whose use has been refilled is forgotten. */
export class TimeAllowance {
  readonly #allowance: Allowance;
  readonly #used = new Map<string, Used>();

  constructor(allowance: Allowance) {
    this.#allowance = allowance;
  }

  /** True while the key has time left. */
  has(key: string, now: number): boolean {
    return this.#usedBy(key, now) < this.#allowance.most;
  }

  /** Counts time that was spent for a key. */
  charge(key: string, milliseconds: number, now: number): void {
    this.#used.set(key, { milliseconds: this.#usedBy(key, now) + milliseconds, at: now });
    for (const other of this.#used.keys()) if (this.#usedBy(other, now) === 0) this.#used.delete(other);
  }

  #usedBy(key: string, now: number): number {
    const used = this.#used.get(key);
    return used === undefined ? 0 : Math.max(0, used.milliseconds - (now - used.at) * this.#allowance.refill);
  }
}
