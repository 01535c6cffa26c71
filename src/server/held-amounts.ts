import { PATIENCE_MILLISECONDS } from './patience.ts';
import type { Socket } from 'node:net';
import type { Address } from './addresses.ts';

/** How much may be held for clients at a time, and who is told of those for whom it was too much. */
export interface HoldLimit {
  readonly most: number;
  /** A connection is closed to keep to the limit. */
  readonly dropped: (address: Address) => void;
  /** A clock that never goes back, in milliseconds. */
  readonly monotonic: () => number;
}

/** A request or response, which has a connection. */
interface Holder {
  readonly socket: Socket | null;
  /** Whether all of a request has been received: it is not slow any more. */
  readonly complete?: boolean;
}

interface Held {
  readonly address: Address;
  amount: number;
  /** When something was held first, by the clock. */
  since: number | undefined;
}

/**
 * What is held for clients, in the order in which it began. When it is too much, the connection of the first slow one of any address is closed. When none
 * is slow, the connection of the first is closed of the address for which most is held.
 */
export class HeldAmounts<H extends Holder> {
  readonly #limit: HoldLimit;
  readonly #held = new Map<H, Held>();
  readonly #byAddress = new Map<Address, number>();
  #total = 0;

  constructor(limit: HoldLimit) {
    this.#limit = limit;
  }

  begin(holder: H, address: Address): void {
    this.#held.set(holder, { address, amount: 0, since: undefined });
  }

  /** More for a holder that has begun; nothing for one that has been dropped meanwhile. */
  add(holder: H, amount: number): void {
    const held = this.#held.get(holder);
    if (held === undefined) return;
    held.since ??= this.#limit.monotonic();
    held.amount += amount;
    this.#count(held.address, amount);
    while (this.#total > this.#limit.most) this.#dropOne();
  }

  /** What is held for one holder. */
  of(holder: H): number {
    return this.#held.get(holder)?.amount ?? 0;
  }

  forget(holder: H): void {
    const held = this.#held.get(holder);
    if (held === undefined) return;
    this.#held.delete(holder);
    this.#count(held.address, -held.amount);
  }

  #count(address: Address, amount: number): void {
    this.#total += amount;
    const sum = (this.#byAddress.get(address) ?? 0) + amount;
    if (sum === 0) this.#byAddress.delete(address);
    else this.#byAddress.set(address, sum);
  }

  #dropOne(): void {
    const first = this.#firstSlow() ?? this.#firstOfHeaviest();
    if (first === undefined) return;
    const [holder, { address }] = first;
    this.forget(holder);
    holder.socket?.destroy();
    this.#limit.dropped(address);
  }

  #firstSlow(): [H, Held] | undefined {
    const now = this.#limit.monotonic();
    for (const [holder, held] of this.#held)
      if (holder.complete !== true && now - (held.since ?? now) > PATIENCE_MILLISECONDS) return [holder, held];
    return undefined;
  }

  #firstOfHeaviest(): [H, Held] | undefined {
    const heaviest = this.#heaviest();
    for (const [holder, held] of this.#held) if (held.address === heaviest && held.amount > 0) return [holder, held];
    return undefined;
  }

  #heaviest(): Address | undefined {
    let heaviest: Address | undefined;
    let most = 0;
    for (const [address, amount] of this.#byAddress)
      if (amount > most) {
        heaviest = address;
        most = amount;
      }
    return heaviest;
  }
}
