import type { MissedNamespace } from '../../engine/facts/facts.ts';
import type { Timer } from '../client/timing.ts';

/** The most namespaces that are waited for at once, because callers may invent names. */
const MAX_WAITING = 1000;

/** The most names of one client, so that other clients can wait, too. */
const MAX_WAITING_OF_CLIENT = MAX_WAITING / 2;

interface Waiter {
  /** The first client that asked. */
  readonly client: string;
  readonly over: Promise<MissedNamespace | undefined>;
  readonly end: (missed: MissedNamespace | undefined) => void;
}

/**
 * Requests that wait for a namespace that the watch has not reported yet. Requests for one name share a wait, and each
 * wait has a time limit.
 */
export class NamespaceWaiters {
  readonly #milliseconds: number;
  readonly #timer: Timer;
  readonly #waiters = new Map<string, Waiter>();

  constructor(milliseconds: number, timer: Timer) {
    this.#milliseconds = milliseconds;
    this.#timer = timer;
  }

  /**
   * Resolves with undefined when the namespace has arrived, else with the reason why not. Returns `no-room` when too
   * many names are waited for, in all or for this client.
   *
   * @param client the caller's remote address: callers share the room to wait
   * @param missed called at the time limit: the reason why the namespace has not arrived
   */
  wait(name: string, client: string, missed: () => MissedNamespace): Promise<MissedNamespace | undefined> | 'no-room' {
    const known = this.#waiters.get(name);
    if (known !== undefined) return known.over;
    const ofClient = [...this.#waiters.values()].filter((waiter) => waiter.client === client);
    if (this.#waiters.size >= MAX_WAITING || ofClient.length >= MAX_WAITING_OF_CLIENT) return 'no-room';
    const { promise, resolve } = Promise.withResolvers<MissedNamespace | undefined>();
    const end = (why: MissedNamespace | undefined): void => {
      callOff();
      this.#waiters.delete(name);
      resolve(why);
    };
    const callOff = this.#timer(this.#milliseconds, () => end(missed()));
    this.#waiters.set(name, { client, over: promise, end });
    return promise;
  }

  /** The names that are waited for. */
  names(): readonly string[] {
    return [...this.#waiters.keys()];
  }

  /** The namespace has arrived. */
  arrived(name: string): void {
    this.#waiters.get(name)?.end(undefined);
  }

  /** No more namespaces will arrive. */
  giveUp(): void {
    for (const { end } of [...this.#waiters.values()]) end('no-contact');
  }
}
