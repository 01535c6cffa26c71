/** Measures the processor time between two calls. */
export class ProcessorMeter {
  readonly #busy: () => number;
  #last: number;

  /** @param busy a clock, in milliseconds, that stops while the event loop waits */
  constructor(busy: () => number) {
    this.#busy = busy;
    this.#last = busy();
  }

  /** Milliseconds of work since the last call. */
  lap(): number {
    const now = this.#busy();
    const spent = now - this.#last;
    this.#last = now;
    return spent;
  }
}
