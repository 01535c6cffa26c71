/** What waits. Clients of one address, and below them namespaces, take turns. */
export interface Waiting {
  readonly address: string;
  readonly namespace: string;
  /** Takes what the turn needs, such as memory. Returns false, and takes nothing, when there is too little. */
  readonly take?: () => boolean;
  /** The longest wait. */
  readonly milliseconds: number;
  /** The work takes more than some milliseconds. */
  readonly isLong?: boolean;
}

/** What is done in a turn; or without one, after the longest wait or in a flood. It rejects, and never throws. */
export type Work<T> = (hasTurn: boolean) => Promise<T>;

interface Entry extends Waiting {
  readonly since: number;
  /** Does the work, and tells whether the turn has come. */
  readonly end: (hasTurn: boolean) => void;
}

/** A namespace of which so many wait, and the first of them for so long, floods the server. */
const MOST_WAITING = 30;
const FLOOD_MILLISECONDS = 1000;
/** Half of the longest timeout of a webhook, which is 30 s. */
const LONGEST_MILLISECONDS = 15_000;

/**
 * A queue in which a flood delays its own namespace: addresses take turns, then the namespaces of an address, then
 * what came first (fair queuing: J. Nagle, RFC 970).
 */
export class Turns {
  readonly #addresses = new Map<string, Map<string, Entry[]>>();
  readonly #monotonic: () => number;

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** Does the work when the turn comes. Does it without a turn after the longest wait, or at once in a flood. */
  wait<T>(waiting: Waiting, work: Work<T>): Promise<T> {
    const { address, namespace, milliseconds } = waiting;
    const since = this.#monotonic();
    const entries = this.#addresses.get(address)?.get(namespace) ?? [];
    const first = entries[0];
    if (first !== undefined && entries.length >= MOST_WAITING && since - first.since >= FLOOD_MILLISECONDS)
      return work(false);
    return new Promise((resolve) => {
      const end = (hasTurn: boolean): void => {
        clearTimeout(limit);
        this.#remove(entry);
        resolve(work(hasTurn));
      };
      const entry: Entry = { ...waiting, since, end };
      const limit = setTimeout(end, Math.min(Math.max(milliseconds, 0), LONGEST_MILLISECONDS), false);
      const namespaces = this.#addresses.get(address) ?? new Map<string, Entry[]>();
      this.#addresses.set(address, namespaces.set(namespace, [...entries, entry]));
    });
  }

  get isNextLong(): boolean {
    const [namespaces] = this.#addresses.values();
    const [[first] = []] = namespaces?.values() ?? [];
    return first?.isLong === true;
  }

  /** Gives one turn. Returns false if nobody waits, or nobody who is next can take what the turn needs. */
  next(): boolean {
    for (const [address, namespaces] of this.#addresses) {
      const [[namespace, [first]] = ['', []]] = namespaces;
      if (first === undefined || first.take?.() === false) continue;
      first.end(true);
      // Behind the others, if any of their own still wait.
      toEnd(namespaces, namespace);
      toEnd(this.#addresses, address);
      return true;
    }
    return false;
  }

  #remove(entry: Entry): void {
    const namespaces = this.#addresses.get(entry.address);
    const left = namespaces?.get(entry.namespace)?.filter((other) => other !== entry) ?? [];
    if (left.length > 0) namespaces?.set(entry.namespace, left);
    else namespaces?.delete(entry.namespace);
    if (namespaces?.size === 0) this.#addresses.delete(entry.address);
  }
}

function toEnd<V>(map: Map<string, V>, key: string): void {
  const value = map.get(key);
  if (value === undefined) return;
  map.delete(key);
  map.set(key, value);
}

/** Milliseconds of work in one turn of the event loop, and as many for the queue. A usual decision takes 0.3 ms. */
const TURN_MILLISECONDS = 10;

/**
 * Work that blocks the event loop, done in turns: it takes so much of each turn of the loop, and ends what it began, so
 * that what arrives meanwhile takes its turn, too. Most work finds nobody before it and time left: it is done at once,
 * and who waits is worked out for the others only.
 */
export function timedTurns(monotonic: () => number): <T>(who: () => Waiting, work: Work<T>) => Promise<T> {
  const turns = new Turns(monotonic);
  let ends = 0;
  let isBusy = false;
  let isQueued = false;
  const begin = (): void => {
    isBusy = true;
    ends = monotonic() + TURN_MILLISECONDS;
  };
  const turn = (): void => {
    begin();
    // Answers are sent by promises, after this function: long work must not keep them back.
    do isQueued = turns.next();
    while (isQueued && !turns.isNextLong && monotonic() < ends);
    if (isQueued) setImmediate(turn);
    else isBusy = false;
  };
  return (who, work) => {
    if (!isBusy) {
      begin();
      setImmediate(turn);
    }
    if (!isQueued && monotonic() < ends) return work(true);
    isQueued = true;
    return turns.wait(who(), work);
  };
}
