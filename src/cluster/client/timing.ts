import { setTimeout as sleep } from 'node:timers/promises';

/** Ends after a while, or at the signal. True when the time has passed. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<boolean> {
  return sleep(milliseconds, true, { signal }).catch(() => false);
}

/** Calls a function again and again, with a pause before each call, until the signal. The function must not reject. */
export async function repeat(
  milliseconds: number | (() => number),
  signal: AbortSignal,
  call: () => unknown,
): Promise<void> {
  const next = (): number => (typeof milliseconds === 'number' ? milliseconds : milliseconds());
  while (await pause(next(), signal)) await call();
}

export interface ClockAndRandom {
  /** The wall clock, in milliseconds since the epoch. */
  readonly now: () => number;
  readonly random: () => number;
}

/** Calls back after so many milliseconds. The function that it returns cancels the call. */
export type Timer = (milliseconds: number, callback: () => void) => () => void;

/** The real timer. A pending call does not keep the process alive. */
export const realTimer: Timer = (milliseconds, callback) => {
  const timeout = setTimeout(callback, milliseconds).unref();
  return () => clearTimeout(timeout);
};

/** How long to wait before another attempt: doubled with each, from `minimum` up to `maximum`, in milliseconds. */
export interface BackoffLimits {
  readonly minimum: number;
  readonly maximum: number;
}

/** Waiting times that grow with every failure, and differ between replicas, so that they do not come back together. */
export class Backoff {
  readonly #limits: BackoffLimits;
  readonly #random: () => number;
  #next: number;

  constructor(limits: BackoffLimits, random: () => number) {
    this.#limits = limits;
    this.#random = random;
    this.#next = limits.minimum;
  }

  next(): number {
    const whole = this.#next;
    this.#next = Math.min(whole * 2, this.#limits.maximum);
    return whole / 2 + (whole / 2) * this.#random();
  }

  reset(): void {
    this.#next = this.#limits.minimum;
  }
}

const RETRY = { minimum: 1_000, maximum: 60_000 };

/** Runs work when asked, at each check and after a failure, once at a time. Long timers stand still on suspend. */
export class RepeatedWork {
  readonly #work: () => Promise<boolean>;
  readonly #checkMilliseconds: number;
  readonly #backoff: Backoff;
  #next: NodeJS.Timeout | undefined;
  #isRunning = false;
  #isAskedFor = false;
  #isStopped = false;

  /** @param work gives false when it has failed; must not reject */
  constructor(work: () => Promise<boolean>, checkMilliseconds: number, random: () => number) {
    this.#work = work;
    this.#checkMilliseconds = checkMilliseconds;
    this.#backoff = new Backoff(RETRY, random);
  }

  start(): void {
    this.ask();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#next);
  }

  /** Asks for a round: at once, or after the round in progress. */
  ask(): void {
    this.#isAskedFor = true;
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    let wait = 0;
    while (this.#isAskedFor && !this.#isStopped) {
      this.#isAskedFor = false;
      clearTimeout(this.#next);
      const isDone = await this.#work();
      if (isDone) this.#backoff.reset();
      wait = isDone ? this.#checkMilliseconds : Math.min(this.#backoff.next(), this.#checkMilliseconds);
    }
    this.#isRunning = false;
    if (!this.#isStopped) this.#next = setTimeout(() => this.ask(), wait).unref();
  }
}

/** No rotation or repair needs this many writes of one object in this time. */
const MAX_WRITES = 10;
const WINDOW_MILLISECONDS = 30_000;

/** Ends write loops: when another controller overwrites the same field, each repair causes the next write there. */
export class WriteLimit {
  #writes: readonly number[] = [];

  /** Counts a write. False, and nothing is counted, when there were too many. */
  take(now: number): boolean {
    const recent = this.#writes.filter((at) => Math.abs(now - at) < WINDOW_MILLISECONDS);
    const hasRoom = recent.length < MAX_WRITES;
    this.#writes = hasRoom ? [...recent, now] : recent;
    return hasRoom;
  }
}

/** Calls a function for each item, at most `most` at once. Resolves with the results in the order of the items. */
export async function inParallel<T, R>(
  items: readonly T[],
  most: number,
  call: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  const left = items.entries();
  const work = async (): Promise<void> => {
    for (const [index, item] of left) results[index] = await call(item);
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, work));
  return results;
}
