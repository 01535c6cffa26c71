import type { Address } from '../../process/addresses.ts';

/** The memory of a waiting review without its body: the request, its headers and the later answer. */
const REQUEST_BYTES = 32 * 1024;

/** Limits the memory of reviews that wait. */
export class WaitingReviews {
  readonly #most: number;
  readonly #heldOf = new Map<Address, number>();
  #held = 0;

  /** @param most the limit for all waiting reviews together, in bytes */
  constructor(most: number) {
    this.#most = most;
  }

  /**
   * Waits until the promise is settled. Returns undefined if there is no room. One review gets at most a quarter of the
   * room. The reviews of one address get at most half, so that other addresses can wait too.
   *
   * @param address the address of the client
   * @param bytes the memory of the parsed review
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
