/** An episode ends after this time without events, in milliseconds. */
const QUIET_MILLISECONDS = 60_000;
/** The limit on remembered episodes. Above the limit, new episodes are not reported. */
const MOST_EPISODES = 100;

/** Detects the start of an episode, so that an event with 1,000 repeats a second is logged once. */
export class Episodes {
  readonly #monotonic: () => number;
  /** The time of the last event of each episode, oldest first. */
  readonly #last = new Map<string, number>();

  /** @param monotonic a monotonic clock, in milliseconds */
  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** Records an event. True if the event starts an episode: there was no such event for one minute. */
  begins(who: string, what: string): boolean {
    const now = this.#monotonic();
    for (const [episode, last] of this.#last) {
      if (now - last <= QUIET_MILLISECONDS) break;
      this.#last.delete(episode);
    }
    const episode = `${what} ${who}`;
    const isKnown = this.#last.delete(episode);
    if (!isKnown && this.#last.size >= MOST_EPISODES) return false;
    this.#last.set(episode, now);
    return !isKnown;
  }
}
