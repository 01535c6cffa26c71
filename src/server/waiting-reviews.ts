/** Without its body: the request, its headers and the answer that is to come. */
const REQUEST_BYTES = 32 * 1024;

/** Keeps the memory of reviews that wait for something else within a limit. */
export class WaitingReviews {
  readonly #most: number;
  #held = 0;

  /** @param most bytes that all that wait may take */
  constructor(most: number) {
    this.#most = most;
  }

  /**
   * Starts to wait, until the promise is settled. Undefined when there is no room. One alone does not get more than a quarter of it: others are to
   * be able to wait, too.
   *
   * @param bytes what the review takes, parsed
   */
  until<T>(settled: () => Promise<T>, bytes: number): Promise<T> | undefined {
    const all = bytes + REQUEST_BYTES;
    if (all > this.#most / 4 || this.#held + all > this.#most) return undefined;
    this.#held += all;
    return settled().finally(() => {
      this.#held -= all;
    });
  }
}
