import { PATIENCE_MILLISECONDS } from '../../process/patience.ts';
import type { Socket } from 'node:net';
import type { Address } from '../../process/addresses.ts';

/** The limit on what the server holds for clients, and the report about closed connections. */
export interface BufferLimit {
  readonly most: number;
  /** Called when a connection is closed to keep to the limit. */
  readonly dropped: (address: Address) => void;
  /** A monotonic clock, in milliseconds. */
  readonly monotonic: () => number;
}

/** A request or response, which has a connection. */
interface Holder {
  readonly socket: Socket | null;
  /** Whether the whole request has been received. A complete request is not slow. */
  readonly complete?: boolean;
}

interface Held {
  readonly address: Address;
  amount: number;
  /** The time of the first held amount, by the clock. */
  since: number | undefined;
}

/**
 * The amounts that the server holds for clients, in order of their start. Above the limit, the server closes the
 * connection of the first slow holder of any address. Without a slow holder, the server closes the connection of the
 * first holder of the heaviest address.
 */
export class BufferBudget<H extends Holder> {
  readonly #limit: BufferLimit;
  readonly #held = new Map<H, Held>();
  readonly #byAddress = new Map<Address, number>();
  #total = 0;

  constructor(limit: BufferLimit) {
    this.#limit = limit;
  }

  begin(holder: H, address: Address): void {
    this.#held.set(holder, { address, amount: 0, since: undefined });
  }

  /** Adds an amount for a holder that has begun. Has no effect for a holder that was dropped. */
  add(holder: H, amount: number): void {
    const held = this.#held.get(holder);
    if (held === undefined) return;
    held.since ??= this.#limit.monotonic();
    held.amount += amount;
    this.#count(held.address, amount);
    while (this.#total > this.#limit.most) this.#dropOne();
  }

  /** The amount held for one holder. */
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
