import { setTimeout as sleep } from 'node:timers/promises';

/** Spaces requests, so that at most so many begin in a second. Each turn waits for the turn before it. */
export class RateLimiter {
  readonly #intervalMilliseconds: number;
  readonly #monotonic: () => number;
  #next = 0;

  constructor(perSecond: number, monotonic: () => number) {
    this.#intervalMilliseconds = 1000 / perSecond;
    this.#monotonic = monotonic;
  }

  async turn(signal: AbortSignal): Promise<void> {
    const now = this.#monotonic();
    const at = Math.max(now, this.#next);
    this.#next = at + this.#intervalMilliseconds;
    if (at > now) await sleep(at - now, undefined, { signal });
    signal.throwIfAborted();
  }
}

/** No rotation or repair needs this many writes of one object in this time. */
const MAX_WRITES = 10;
const WINDOW_MILLISECONDS = 30_000;

/** Ends write loops: when another controller overwrites the same field, each repair causes the next write there. */
export class WriteLimit {
  #writes: readonly number[] = [];

  /** Counts a write. False, and nothing is counted, when there were too many. */
  take(now: number): boolean {
    const recent = this.#writes.filter((at) => Math.abs(now - at) < WINDOW_MILLISECONDS);
    const hasRoom = recent.length < MAX_WRITES;
    this.#writes = hasRoom ? [...recent, now] : recent;
    return hasRoom;
  }
}

/** Calls a function for each item, at most `most` at once. Resolves with the results in the order of the items. */
export async function inParallel<T, R>(
  items: readonly T[],
  most: number,
  call: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  const left = items.entries();
  const work = async (): Promise<void> => {
    for (const [index, item] of left) results[index] = await call(item);
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, work));
  return results;
}
