/** Measures the processor time between one look and the next. */
export class ProcessorMeter {
  readonly #busy: () => number;
  #last: number;

  /** @param busy a clock, in milliseconds, that stands still while the event loop waits */
  constructor(busy: () => number) {
    this.#busy = busy;
    this.#last = busy();
  }

  /** Milliseconds of work since the last look. */
  lap(): number {
    const now = this.#busy();
    const spent = now - this.#last;
    this.#last = now;
    return spent;
  }
}
