import type { MissedNamespace } from '../missed-namespace.ts';
import type { Timer } from './timer.ts';

/** Callers may invent namespaces; more than this many are not waited for at once. */
const MAX_WAITING = 1000;

/** Names of one client: others are to be able to wait, too. */
const MAX_WAITING_OF_CLIENT = MAX_WAITING / 2;

interface Waiter {
  readonly over: Promise<MissedNamespace | undefined>;
  readonly end: (missed: MissedNamespace | undefined) => void;
}

/** Those who wait for namespaces that the watch has yet to bring: one shared wait a name, and none without an end. */
export class NamespaceWaiters {
  readonly #milliseconds: number;
  readonly #timer: Timer;
  readonly #waiters = new Map<string, Waiter>();
  /** How many names are waited for, by the client that was the first to ask. */
  readonly #countOf = new Map<string, number>();

  constructor(milliseconds: number, timer: Timer) {
    this.#milliseconds = milliseconds;
    this.#timer = timer;
  }

  /**
   * Resolves with undefined when the name has come, else with why it has not. `no-room` at once when too many names are waited for,
   * or too many of the client's.
   *
   * @param client who asks: clients share the room
   * @param missed asked when the time is over: why it has not come
   */
  wait(name: string, client: string, missed: () => MissedNamespace): Promise<MissedNamespace | undefined> | 'no-room' {
    const known = this.#waiters.get(name);
    if (known !== undefined) return known.over;
    const count = this.#countOf.get(client) ?? 0;
    if (this.#waiters.size >= MAX_WAITING || count >= MAX_WAITING_OF_CLIENT) return 'no-room';
    this.#countOf.set(client, count + 1);
    const { promise, resolve } = Promise.withResolvers<MissedNamespace | undefined>();
    const end = (why: MissedNamespace | undefined): void => {
      callOff();
      this.#waiters.delete(name);
      this.#countDown(client);
      resolve(why);
    };
    const callOff = this.#timer(this.#milliseconds, () => end(missed()));
    this.#waiters.set(name, { over: promise, end });
    return promise;
  }

  #countDown(client: string): void {
    const count = (this.#countOf.get(client) ?? 0) - 1;
    if (count > 0) this.#countOf.set(client, count);
    else this.#countOf.delete(client);
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
