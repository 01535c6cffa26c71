import type { Timer } from './timer.ts';

/** Callers may invent namespaces; more than this many are not waited for at once. */
const MAX_WAITING = 1000;

/**
 * Why a namespace is not known. `no-room`: too many are waited for. `timeout`: it has not come in time. `no-contact`: nor could it, as no watch
 * of namespaces was open.
 */
export type MissedNamespace = 'no-room' | 'timeout' | 'no-contact';

interface Waiter {
  readonly over: Promise<MissedNamespace | undefined>;
  readonly end: (missed: MissedNamespace | undefined) => void;
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

  /**
   * Resolves with undefined when the name has come, else with why it has not. `no-room` at once when too many names are waited for.
   *
   * @param missed asked when the time is over: why it has not come
   */
  wait(name: string, missed: () => MissedNamespace): Promise<MissedNamespace | undefined> | 'no-room' {
    const known = this.#waiters.get(name);
    if (known !== undefined) return known.over;
    if (this.#waiters.size >= MAX_WAITING) return 'no-room';
    const { promise, resolve } = Promise.withResolvers<MissedNamespace | undefined>();
    const end = (why: MissedNamespace | undefined): void => {
      callOff();
      this.#waiters.delete(name);
      resolve(why);
    };
    const callOff = this.#timer(this.#milliseconds, () => end(missed()));
    this.#waiters.set(name, { over: promise, end });
    return promise;
  }

  /** The names that are waited for. */
  names(): readonly string[] {
    return [...this.#waiters.keys()];
  }

  /** The name has come. */
  arrived(name: string): void {
    this.#waiters.get(name)?.end(undefined);
  }

  /** No name will come any more. */
  giveUp(): void {
    for (const { end } of [...this.#waiters.values()]) end('no-contact');
  }
}
