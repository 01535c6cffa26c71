import type { Timer } from './timer.ts';

/** Callers may invent namespaces; more than this many are not waited for at once. */
const MAX_WAITING = 1000;

interface Waiter {
  readonly arrived: Promise<void>;
  readonly release: () => void;
}

/** Those who wait for namespaces that the watch has yet to bring: one shared wait a name, and none without an end. */
export class NamespaceWaiters {
  readonly #milliseconds: number;
  readonly #timer: Timer;
  readonly #waiters = new Map<string, Waiter>();

  constructor(milliseconds: number, timer: Timer) {
    this.#milliseconds = milliseconds;
    this.#timer = timer;
  }

  /** Resolves when the name is released or the time is over; undefined when too many names are waited for. */
  wait(name: string): Promise<void> | undefined {
    const known = this.#waiters.get(name);
    if (known !== undefined) return known.arrived;
    if (this.#waiters.size >= MAX_WAITING) return undefined;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const release = (): void => {
      callOff();
      this.#waiters.delete(name);
      resolve(undefined);
    };
    const callOff = this.#timer(this.#milliseconds, release);
    this.#waiters.set(name, { arrived: promise, release });
    return promise;
  }

  /** The names that are waited for. */
  names(): readonly string[] {
    return [...this.#waiters.keys()];
  }

  release(name: string): void {
    this.#waiters.get(name)?.release();
  }

  releaseAll(): void {
    for (const { release } of [...this.#waiters.values()]) release();
  }
}
