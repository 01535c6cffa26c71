import type { Timer } from '../client/timing.ts';

/**
 * Why a decision lacked the labels of a new namespace: too many requests waited already, the labels came too late, or
 * there was no contact with the API server.
 */
export const MISSED_NAMESPACES = ['no-room', 'timeout', 'no-contact'] as const;
export type MissedNamespace = (typeof MISSED_NAMESPACES)[number];

/** The most namespaces that are waited for at once, because callers may invent names. */
const MAX_WAITING = 1000;

/** The most names of one client, so that other clients can wait, too. */
const MAX_WAITING_OF_CLIENT = MAX_WAITING / 2;

const NAMESPACE_MILLISECONDS = 500;

interface Waiter {
  readonly client: string;
  readonly over: Promise<MissedNamespace | undefined>;
  readonly end: (missed: MissedNamespace | undefined) => void;
}

/** Requests that wait for a namespace that the watch has not reported yet. Those for one name share a wait. */
export class NamespaceWaiters {
  readonly #timer: Timer;
  readonly #waiters = new Map<string, Waiter>();

  constructor(timer: Timer) {
    this.#timer = timer;
  }

  /** Resolves with the reason why the namespace has not arrived in time, which `missed` says at the time limit. */
  wait(name: string, client: string, missed: () => MissedNamespace): Promise<MissedNamespace | undefined> | 'no-room' {
    const known = this.#waiters.get(name);
    if (known !== undefined) return known.over;
    const ofClient = [...this.#waiters.values()].filter((waiter) => waiter.client === client);
    if (this.#waiters.size >= MAX_WAITING || ofClient.length >= MAX_WAITING_OF_CLIENT) return 'no-room';
    const { promise: over, resolve } = Promise.withResolvers<MissedNamespace | undefined>();
    const end = (why: MissedNamespace | undefined): void => {
      callOff();
      this.#waiters.delete(name);
      resolve(why);
    };
    const callOff = this.#timer(NAMESPACE_MILLISECONDS, () => end(missed()));
    this.#waiters.set(name, { client, over, end });
    return over;
  }

  names(): readonly string[] {
    return [...this.#waiters.keys()];
  }

  arrived(name: string): void {
    this.#waiters.get(name)?.end(undefined);
  }

  giveUp(): void {
    for (const { end } of [...this.#waiters.values()]) end('no-contact');
  }
}
