/** No rotation or repair needs this many writes of one object in this time. */
const MAX_WRITES = 10;
const WINDOW_MILLISECONDS = 30_000;

/**
 * Ends write loops: when another controller overwrites the same field, each repair here causes the next write there, as
 * fast as the API server answers. Times are of the wall clock, in milliseconds since the epoch.
 */
export class WriteLimit {
  #writes: readonly number[] = [];

  /** True when no further write is allowed now. */
  isReached(now: number): boolean {
    this.#writes = this.#writes.filter((at) => Math.abs(now - at) < WINDOW_MILLISECONDS);
    return this.#writes.length >= MAX_WRITES;
  }

  /** To be called for each write. */
  note(now: number): void {
    this.#writes = [...this.#writes, now];
  }
}
