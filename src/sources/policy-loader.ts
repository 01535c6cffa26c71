import { Backoff } from '../kubernetes/backoff.ts';
import { omittingMetadata } from '../kubernetes/omitted-metadata.ts';
import { PagedList } from '../kubernetes/paged-list.ts';
import { OMITTED_METADATA } from './policy-record.ts';
import { collectionPath, namespacedCollectionPath } from './policy-reference.ts';
import type { ApiClient, ApiRequest } from '../kubernetes/api-client.ts';
import type { PolicyMirror } from './policy-mirror.ts';
import type { PolicyReference } from './policy-reference.ts';
import type { Timer } from '../kubernetes/timer.ts';

/** The pause between two loads: a tenant whose changes move policies in and out of a budget must not cause load. */
const PAUSE_MILLISECONDS = 10;
const RETRY = { minimum: 1000, maximum: 60_000 };

/**
 * Loads policies that a budget has room for again: what is over budget is not kept in memory. Policies are requested as
 * a list with a field selector on the name, which needs no more rights than mirroring.
 */
export class PolicyLoader {
  readonly #pages: PagedList;
  readonly #mirror: PolicyMirror;
  readonly #timer: Timer;
  readonly #backoff: Backoff;
  readonly #stopped = new AbortController();
  #isLoading = false;
  #callOff: (() => void) | undefined;

  constructor(client: ApiClient, mirror: PolicyMirror, timer: Timer, random: () => number) {
    this.#pages = new PagedList(client);
    this.#mirror = mirror;
    this.#timer = timer;
    this.#backoff = new Backoff(RETRY, random);
  }

  /** Call this when policies may have to be loaded. */
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

  /** Loads policies until nothing is left to load or a load fails. Never rejects. */
  async loadAll(): Promise<void> {
    while ((await this.#loadOne()) === 'loaded');
  }

  stop(): void {
    this.#stopped.abort();
    this.#callOff?.();
  }

  async #loadOne(): Promise<'loaded' | 'failed' | 'idle'> {
    const what = this.#mirror.takeIncomplete();
    if (what === undefined) return 'idle';
    this.#isLoading = true;
    try {
      await ('policy' in what ? this.#loadPolicy(what.policy) : this.#loadNamespace(what.namespace));
      this.#backoff.reset();
      return 'loaded';
    } catch {
      this.#mirror.putBack(what);
      return 'failed';
    } finally {
      this.#isLoading = false;
    }
  }

  /** A policy that is gone, or has changed since, is left to the watch. */
  async #loadPolicy(reference: PolicyReference): Promise<void> {
    const { namespace, name } = reference;
    const query = { fieldSelector: `metadata.name=${name}` };
    await this.#pages.forEachPage(this.#request(namespace, query), ({ items }) => {
      const object = items.find(({ metadata }) => metadata.name === name);
      if (object !== undefined && !this.#stopped.signal.aborted) this.#mirror.load(reference, object);
    });
  }

  async #loadNamespace(namespace: string): Promise<void> {
    const listing = this.#mirror.namespaceListing(namespace);
    await this.#pages.forEachPage(this.#request(namespace, {}), ({ items }) => {
      if (!this.#stopped.signal.aborted) listing.page(items);
    });
    listing.end();
  }

  #request(namespace: string | undefined, query: ApiRequest['query']): ApiRequest {
    const kind = this.#mirror.kind;
    const path = namespace === undefined ? collectionPath(kind) : namespacedCollectionPath(kind, namespace);
    const reduce = omittingMetadata('list', OMITTED_METADATA);
    return { method: 'GET', path, ...(query && { query }), reduce, signal: this.#stopped.signal };
  }
}
