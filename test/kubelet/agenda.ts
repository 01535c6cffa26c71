/** Things to do at given times, in their order. Things of the same time are done in the order in which they were added. */
export class Agenda {
  now: number;
  readonly #entries: { readonly at: number; readonly order: number; readonly run: () => void }[] = [];
  #added = 0;

  constructor(now: number) {
    this.now = now;
  }

  /** A time that has passed means at once. */
  at(time: number, run: () => void): void {
    const at = Math.max(time, this.now);
    const order = (this.#added += 1);
    let index = this.#entries.length;
    // Sorted from the last to the first, so that the next one is popped.
    while (index > 0 && isBefore(this.#entries[index - 1], at, order)) index -= 1;
    this.#entries.splice(index, 0, { at, order, run });
  }

  after(milliseconds: number, run: () => void): void {
    this.at(this.now + milliseconds, run);
  }

  /** Does everything up to and including this time. */
  runUntil(time: number): void {
    for (let next = this.#entries.at(-1); next !== undefined && next.at <= time; next = this.#entries.at(-1)) {
      this.#entries.pop();
      this.now = next.at;
      next.run();
    }
    this.now = time;
  }
}

function isBefore(entry: { at: number; order: number } | undefined, at: number, order: number): boolean {
  return entry !== undefined && (entry.at < at || (entry.at === at && entry.order < order));
}
