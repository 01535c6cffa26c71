import { Backoff } from '../client/backoff.ts';
import { omittingMetadata } from '../client/omitted-metadata.ts';
import { PagedList } from '../client/paged-list.ts';
import { CurrentProblem } from '../../base/text/current-problem.ts';
import { messageOf } from '../../base/text/error-message.ts';
import type { ApiClient } from '../client/api-client.ts';
import type { Listing } from '../client/reflector.ts';
import type { Timer } from '../client/timer.ts';

/** The pause between two loads: a tenant whose changes move objects in and out of a budget must not cause load. */
const PAUSE_MILLISECONDS = 10;
const RETRY = { minimum: 1000, maximum: 60_000 };

/** How to load one object, or all objects of a namespace. */
export interface Loading {
  /** The path of the collection. */
  readonly path: string;
  /** Only the object of this name. */
  readonly name?: string;
  /** Takes what was loaded, page by page. */
  readonly listing: Listing;
}

/** A store that drops objects which are over a budget, and needs them again when the budget has room. */
export interface StoreToLoad<What> {
  /** Members of the objects' metadata that the store does not need. */
  readonly omit: readonly string[];
  /** The objects to load. An object is returned again only after a change, or after it was put back. */
  takeIncomplete(): What | undefined;
  loading(what: What): Loading;
  /** Puts back the taken objects that could not be loaded. */
  putBack(what: What): void;
}

/**
 * Loads objects that a budget has room for again. Objects over budget are not kept in memory. One object is requested
 * as a list with a field selector on the name. Such a request needs no more rights than mirroring.
 */
export class ObjectLoader<What> {
  readonly #pages: PagedList;
  readonly #store: StoreToLoad<What>;
  readonly #timer: Timer;
  readonly #backoff: Backoff;
  readonly #troubled: (problem: string | undefined) => void;
  readonly #problem = new CurrentProblem();
  readonly #stopped = new AbortController();
  #isLoading = false;
  #callOff: (() => void) | undefined;

  /** @param troubled called when loads begin to fail. Called with undefined once a load succeeds or nothing is left */
  constructor(
    client: ApiClient,
    store: StoreToLoad<What>,
    timer: Timer,
    random: () => number,
    troubled: (problem: string | undefined) => void,
  ) {
    this.#troubled = troubled;
    this.#pages = new PagedList(client);
    this.#store = store;
    this.#timer = timer;
    this.#backoff = new Backoff(RETRY, random);
  }

  /** Call this when objects may have to be loaded. */
  wake(): void {
    if (this.#isLoading || this.#callOff !== undefined || this.#stopped.signal.aborted) return;
    void this.#loadOne().then((outcome) => {
      if (outcome === 'idle' || this.#stopped.signal.aborted) return;
      const pause = outcome === 'failed' ? this.#backoff.next() : PAUSE_MILLISECONDS;
      this.#callOff = this.#timer(pause, () => {
        this.#callOff = undefined;
        this.wake();
      });
    });
  }

  /** Loads objects until nothing is left to load or a load fails. Never rejects. */
  async loadAll(): Promise<void> {
    while ((await this.#loadOne()) === 'loaded');
  }

  stop(): void {
    this.#stopped.abort();
    this.#callOff?.();
  }

  async #loadOne(): Promise<'loaded' | 'failed' | 'idle'> {
    const what = this.#store.takeIncomplete();
    if (what === undefined) {
      // The object whose load failed may be gone, or over its budget again.
      this.#note(undefined);
      return 'idle';
    }
    this.#isLoading = true;
    try {
      await this.#load(this.#store.loading(what));
      this.#backoff.reset();
      this.#note(undefined);
      return 'loaded';
    } catch (error) {
      this.#store.putBack(what);
      this.#note(messageOf(error));
      return 'failed';
    } finally {
      this.#isLoading = false;
    }
  }

  #note(problem: string | undefined): void {
    if (this.#stopped.signal.aborted) return;
    const news = this.#problem.note(problem);
    if (news === 'began' || news === 'ended') this.#troubled(problem);
  }

  async #load({ path, name, listing }: Loading): Promise<void> {
    const query = name === undefined ? {} : { fieldSelector: `metadata.name=${name}` };
    const { signal } = this.#stopped;
    const reduce = omittingMetadata('list', this.#store.omit);
    await this.#pages.forEachPage({ path, query, reduce, signal }, ({ items }) => {
      const asked = name === undefined ? items : items.filter(({ metadata }) => metadata.name === name);
      if (!signal.aborted) listing.page(asked);
    });
    if (!signal.aborted) listing.end();
  }
}
