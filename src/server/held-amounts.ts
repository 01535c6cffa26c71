import type { Socket } from 'node:net';

/** How much may be held for callers at a time, and who is told of those for whom it was too much. */
export interface HoldLimit {
  readonly most: number;
  /** A connection is closed to keep to the limit. */
  readonly dropped: () => void;
}

/** A request or response, which has a connection. */
interface Holder {
  readonly socket: Socket | null;
}

/** What is held for callers, in the order in which it began: when it is too much, the connection of the first is closed. */
export class HeldAmounts<H extends Holder> {
  readonly #limit: HoldLimit;
  readonly #held = new Map<H, number>();
  #total = 0;

  constructor(limit: HoldLimit) {
    this.#limit = limit;
  }

  begin(holder: H): void {
    this.#held.set(holder, 0);
  }

  /** More for a holder that has begun; nothing for one that has been dropped meanwhile. */
  add(holder: H, amount: number): void {
    const before = this.#held.get(holder);
    if (before === undefined) return;
    this.#held.set(holder, before + amount);
    this.#total += amount;
    while (this.#total > this.#limit.most) this.#dropFirst();
  }

  forget(holder: H): void {
    this.#total -= this.#held.get(holder) ?? 0;
    this.#held.delete(holder);
  }

  #dropFirst(): void {
    const [first] = this.#held.keys();
    if (first === undefined) return;
    this.forget(first);
    first.socket?.destroy();
    this.#limit.dropped();
  }
}
