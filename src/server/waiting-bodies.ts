/** Keeps what waits for something else within a limit: a parsed body may take twenty times its bytes for as long as it waits. */
export class WaitingBodies {
  readonly #most: number;
  #bytes = 0;

  /** @param most bytes of all bodies that wait at a time */
  constructor(most: number) {
    this.#most = most;
  }

  /** True while a body of so many bytes may wait. */
  hasRoomFor(bytes: number): boolean {
    return this.#bytes + bytes <= this.#most;
  }

  /** Counts a body for as long as the promise is not settled. */
  async until(settled: Promise<void>, bytes: number): Promise<void> {
    this.#bytes += bytes;
    try {
      await settled;
    } finally {
      this.#bytes -= bytes;
    }
  }
}
