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
