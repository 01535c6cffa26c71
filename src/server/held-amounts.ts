import type { Socket } from 'node:net';
import type { Address } from './addresses.ts';

/** How much may be held for clients at a time, and who is told of those for whom it was too much. */
export interface HoldLimit {
  readonly most: number;
  /** A connection is closed to keep to the limit. */
  readonly dropped: (address: Address) => void;
}

/** A request or response, which has a connection. */
interface Holder {
  readonly socket: Socket | null;
}

interface Held {
  readonly address: Address;
  amount: number;
}

/**
 * What is held for clients, in the order in which it began. When it is too much, the connection of the first is closed of the address for which most
 * is held.
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
    this.#held.set(holder, { address, amount: 0 });
  }

  /** More for a holder that has begun; nothing for one that has been dropped meanwhile. */
  add(holder: H, amount: number): void {
    const held = this.#held.get(holder);
    if (held === undefined) return;
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
    const heaviest = this.#heaviest();
    for (const [holder, { address, amount }] of this.#held) {
      if (address !== heaviest || amount === 0) continue;
      this.forget(holder);
      holder.socket?.destroy();
      this.#limit.dropped(address);
      return;
    }
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
