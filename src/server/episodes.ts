/** An episode is over when nothing has happened for so long, in milliseconds. */
const QUIET_MILLISECONDS = 60_000;
/** Episodes that are remembered. While there are more, further ones are not told of. */
const MOST_EPISODES = 100;

/** Tells the beginnings of episodes, so that what happens a thousand times a second is logged once. */
export class Episodes {
  readonly #monotonic: () => number;
  /** When something last happened, the oldest first. */
  readonly #last = new Map<string, number>();

  /** @param monotonic a clock that never goes back, in milliseconds */
  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** Notes an event. True when the event begins an episode: there was none like it for a minute. */
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
