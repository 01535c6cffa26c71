/** In milliseconds. Many windows are left out on a busy host, so a window is short. */
const WINDOW = 50;
/** A turn of the load's loop takes less than this, in milliseconds, unless the load lacked its own core. */
const LONGEST_TURN = 4;

/**
 * The windows of a run of requests in which the latencies say nothing about the server: the host took the server's core,
 * or the load itself was late. Linux shows a loss of the core in hundredths of a second and afterwards only. So a window
 * beside a disturbed window is disturbed, too.
 */
export class DisturbedWindows {
  readonly #start: number;
  /** A count of what the host has taken so far. */
  readonly #stolen: () => number;
  readonly #disturbed = new Set<number>();
  #stolenBefore: number;
  #lastTurn: number;

  /** @param start the beginning of the first window, in milliseconds of the clock of all other instants */
  constructor(start: number, stolen: () => number) {
    this.#start = start;
    this.#lastTurn = start;
    this.#stolen = stolen;
    this.#stolenBefore = stolen();
  }

  /** Call this in each turn of the load's loop. */
  turn(now: number): void {
    const last = this.#lastTurn;
    this.#lastTurn = now;
    const isLate = now - last > LONGEST_TURN;
    const [from, to] = [this.#window(last), this.#window(now)];
    if (!isLate && from === to) return;
    const hasLost = this.#hasLost();
    if (isLate || hasLost) this.#disturb(from, to);
  }

  /** Call this after the last turn. */
  end(): void {
    const window = this.#window(this.#lastTurn);
    if (this.#hasLost()) this.#disturb(window, window);
  }

  /** Whether the latency of a request that was due at this instant is to be left out. */
  has(instant: number): boolean {
    return this.#disturbed.has(this.#window(instant));
  }

  /** Whether the host has taken anything since the last look. */
  #hasLost(): boolean {
    const before = this.#stolenBefore;
    this.#stolenBefore = this.#stolen();
    return this.#stolenBefore > before;
  }

  #disturb(from: number, to: number): void {
    for (let window = from - 1; window <= to + 1; window++) this.#disturbed.add(window);
  }

  #window(instant: number): number {
    return Math.floor((instant - this.#start) / WINDOW);
  }
}
