import type { Address } from './addresses.ts';

/** Without its body: the request, its headers and the answer that is to come. */
const REQUEST_BYTES = 32 * 1024;

/** Keeps the memory of reviews that wait for something else within a limit. */
export class WaitingReviews {
  readonly #most: number;
  readonly #heldOf = new Map<Address, number>();
  #held = 0;

  /** @param most bytes that all that wait may take */
  constructor(most: number) {
    this.#most = most;
  }

  /**
   * Starts to wait, until the promise is settled. Undefined when there is no room. One alone does not get more than a quarter of it, and those of one
   * address not more than half: others are to be able to wait, too.
   *
   * @param address who asks
   * @param bytes what the review takes, parsed
   */
  until<T>(address: Address, settled: () => Promise<T>, bytes: number): Promise<T> | undefined {
    const all = bytes + REQUEST_BYTES;
    const ofAddress = (this.#heldOf.get(address) ?? 0) + all;
    if (all > this.#most / 4 || ofAddress > this.#most / 2 || this.#held + all > this.#most) return undefined;
    this.#count(address, all);
    return settled().finally(() => {
      this.#count(address, -all);
    });
  }

  #count(address: Address, bytes: number): void {
    this.#held += bytes;
    const ofAddress = (this.#heldOf.get(address) ?? 0) + bytes;
    if (ofAddress === 0) this.#heldOf.delete(address);
    else this.#heldOf.set(address, ofAddress);
  }
}
