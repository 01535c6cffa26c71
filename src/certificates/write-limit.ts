/** So many writes of one object in so much time are more than any rotation or repair needs. */
const MAX_WRITES = 10;
const WINDOW_MILLISECONDS = 30_000;

/**
 * Keeps us from fighting: when somebody else writes the same field over and over, each of our repairs brings the next of theirs, as fast as
 * the API server answers. By the wall clock, in milliseconds since the epoch.
 */
export class WriteLimit {
  #writes: readonly number[] = [];

  /** Whether another write is too many now. */
  isReached(now: number): boolean {
    this.#writes = this.#writes.filter((at) => Math.abs(now - at) < WINDOW_MILLISECONDS);
    return this.#writes.length >= MAX_WRITES;
  }

  /** To be called for each write. */
  note(now: number): void {
    this.#writes = [...this.#writes, now];
  }
}
