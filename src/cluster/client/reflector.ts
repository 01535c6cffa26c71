import { setTimeout as sleep } from 'node:timers/promises';
import { cut } from '../../base/text/cut.ts';
import { AnswerTooLarge, ApiError, hasCode, type ApiClient, type ApiRequest } from './api-client.ts';
import { Backoff, type BackoffLimits } from './timing.ts';
import { isKubernetesObject, isRecord, type KubernetesObject } from './kubernetes-object.ts';
import { PagedList, Unusable, withoutManagedFields } from './paged-list.ts';
import { CurrentProblem, messageOf } from '../../base/text/error-message.ts';
import type { ClockAndRandom } from './timing.ts';

/** The kind and the part of its objects to mirror. */
export interface Reflected {
  /** The collection, for example `/api/v1/namespaces`. */
  readonly path: string;
  /** Only the object of this name. RBAC rules with resourceNames allow list and watch in this form only. */
  readonly name?: string;
  /** Only objects that this field selector selects. Not together with `name`. */
  readonly fieldSelector?: string;
  /** Only objects with these labels. */
  readonly labelSelector?: string;
  /** Ask for metadata alone (PartialObjectMetadata): a fraction of the bytes. */
  readonly metadataOnly?: boolean;
}

/**
 * Takes a list of the whole collection, page by page. A list that breaks off has no end; the next list starts at the
 * first page.
 */
export interface Listing {
  /** Some of the objects. The reflector does not keep them. */
  readonly page: (objects: readonly KubernetesObject[]) => void;
  /** The list is complete: an object that was on none of the pages is gone. */
  readonly end: () => void;
}

/** The reports of a reflector. Nothing is reported after stop. */
export interface ReflectorListener {
  /** A list of the whole collection begins. */
  readonly listing: () => Listing;
  readonly applied: (object: KubernetesObject) => void;
  readonly deleted: (object: KubernetesObject) => void;
  /** Contact is lost, or back (undefined). Reported once, not at every attempt. */
  readonly troubled: (problem: string | undefined) => void;
}

/** Settings of a reflector, in milliseconds. */
export interface ReflectorOptions {
  /** How long a watch lasts, up to a fifth less or more. Default WATCH_RENEWAL_MILLISECONDS. */
  readonly renewalMilliseconds?: number | undefined;
  /** How long a watch may outlast its time before the reflector gives it up. Default 15 s. */
  readonly marginMilliseconds?: number;
  /** The pauses after failures. */
  readonly retry?: BackoffLimits;
}

/** How a reflector is doing. */
export interface ReflectorStatus {
  /** True once the collection has been read whole. */
  readonly synced: boolean;
  /** When the API server last sent anything, in milliseconds since the epoch: the mirror was right then. */
  readonly lastContact: number | undefined;
  /** Why there is no contact now; undefined while there is. */
  readonly problem: string | undefined;
  /** True while a watch is open. Between two watches the mirror may lack recent changes. */
  readonly watching: boolean;
}

/** As client-go's informers, which use 5 to 10 minutes. A renewed watch may reach another API server. */
const WATCH_RENEWAL_MILLISECONDS = 300_000;
/** A watch lasts up to this share less or more, so that watches are not all renewed at once. */
const WATCH_SPREAD = 0.2;
/** A server that ends a watch later than this is taken to be gone. */
const WATCH_MARGIN_MILLISECONDS = 15_000;
/** After a shorter watch there is a pause, so that a server that ends each watch at once is not asked in a loop. */
const BRIEF_WATCH_MILLISECONDS = 500;
/**
 * HTTP codes that say nothing about the requested resourceVersion. 504 does: the version may not exist after a restored
 * backup.
 */
const REFUSALS: readonly number[] = [401, 403, 429, 500, 502, 503];
/** A page is parsed in one turn of the event loop: a megabyte of small members takes 150 ms. */
const MOST_PAGE_BYTES = 1024 * 1024;
/** The longest Retry-After that is obeyed, in milliseconds. */
const MAX_RETRY_AFTER = 30_000;
/** The pauses after failures. They are short, so that a watch is back within 10 s after its server. */
const RETRY = { minimum: 250, maximum: 5_000 };

/**
 * Keeps a mirror of a collection up to date: lists, then watches from the list's version, until it is stopped. After a
 * watch ends, the next watch continues from the last version. After 410 Gone, an answer that makes no sense or an event
 * that is not JSON, a change may have been missed, so the collection is listed again. client-node's informer stops for
 * good on most of these errors.
 */
export class Reflector {
  readonly #client: ApiClient;
  readonly #what: Reflected;
  readonly #listener: ReflectorListener;
  readonly #clock: ClockAndRandom;
  readonly #renewalMilliseconds: number;
  readonly #marginMilliseconds: number;
  readonly #stopped = new AbortController();
  readonly #backoff: Backoff;
  readonly #pages: PagedList;
  #resourceVersion: string | undefined;
  /** Whether the watch that was requested last has been opened. */
  #wasWatchOpened = false;
  #isWatchOpen = false;
  #synced = false;
  #lastContact: number | undefined;
  readonly #problem = new CurrentProblem();
  /** How many answers of 410 there have been since the last whole list. */
  #expired = 0;
  #firstSync: () => void = () => undefined;
  #isListWanted = false;
  #abandonWatch: () => void = () => undefined;

  constructor(
    client: ApiClient,
    what: Reflected,
    listener: ReflectorListener,
    clock: ClockAndRandom,
    options: ReflectorOptions = {},
  ) {
    this.#client = client;
    this.#pages = new PagedList(client);
    this.#what = what;
    this.#listener = listener;
    this.#clock = clock;
    this.#renewalMilliseconds = options.renewalMilliseconds ?? WATCH_RENEWAL_MILLISECONDS;
    this.#marginMilliseconds = options.marginMilliseconds ?? WATCH_MARGIN_MILLISECONDS;
    this.#backoff = new Backoff(options.retry ?? RETRY, clock.random);
  }

  /** Starts mirroring. Resolves once the first list is complete, however long that takes; also on stop. */
  start(): Promise<void> {
    const synced = new Promise<void>((resolve) => {
      this.#firstSync = resolve;
    });
    void this.#run();
    return synced;
  }

  stop(): void {
    this.#stopped.abort();
    this.#firstSync();
  }

  /** Ends the watch and lists the collection again. */
  listAgain(): void {
    this.#isListWanted = true;
    this.#abandonWatch();
  }

  status(): ReflectorStatus {
    const watching = this.#isWatchOpen;
    return { synced: this.#synced, lastContact: this.#lastContact, problem: this.#problem.text, watching };
  }

  #mustList(): boolean {
    return this.#isListWanted;
  }

  #isStopped(): boolean {
    return this.#stopped.signal.aborted;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopped;
    while (!this.#isStopped()) {
      this.#wasWatchOpened = false;
      try {
        if (this.#isListWanted) this.#resourceVersion = undefined;
        this.#isListWanted = false;
        this.#resourceVersion ??= await this.#list();
        await this.#watch();
      } catch (error) {
        if (this.#isStopped()) return;
        this.#fail(error);
        await sleep(this.#pauseAfter(error), undefined, { signal }).catch(() => undefined);
      }
    }
  }

  /** Lists the collection and hands it over page by page. Returns the resourceVersion that a watch starts from. */
  async #list(): Promise<string> {
    const list: { listing?: Listing; version: string } = { version: '' };
    await this.#pages.forEachPage(this.#request({}), ({ items, resourceVersion }) => {
      list.version = resourceVersion;
      if (!this.#isStopped()) list.listing ??= this.#listener.listing();
      if (!this.#isStopped()) list.listing?.page(items);
    });
    if (this.#isStopped()) return list.version;
    this.#contact();
    list.listing?.end();
    this.#synced = true;
    this.#expired = 0;
    this.#firstSync();
    return list.version;
  }

  /**
   * Watches until the watch ends, and pauses after a brief watch. Rejects when the watch cannot be opened, or when a
   * change may have been missed.
   */
  async #watch(): Promise<void> {
    const share = 1 - WATCH_SPREAD + 2 * WATCH_SPREAD * this.#clock.random();
    const seconds = Math.max(1, Math.floor((this.#renewalMilliseconds * share) / 1000));
    const query = {
      watch: 'true',
      allowWatchBookmarks: 'true',
      resourceVersion: this.#resourceVersion ?? '',
      timeoutSeconds: String(seconds),
    };
    if (this.#mustList()) return;
    // Ends this watch alone: an event that makes no sense, a watch that outlasts its time, or a list that is wanted.
    const abandoned = new AbortController();
    this.#abandonWatch = () => abandoned.abort();
    const signal = AbortSignal.any([this.#stopped.signal, abandoned.signal]);
    let failure: unknown;
    const line = (text: string): void => {
      if (signal.aborted) return;
      try {
        this.#event(text);
        this.#contact();
      } catch (error) {
        failure = error;
        abandoned.abort();
      }
    };
    const timers: NodeJS.Timeout[] = [];
    let isBrief = true as boolean;
    const opened = (): void => {
      this.#watchOpened();
      const endure = (): void => {
        isBrief = false;
        this.#backoff.reset();
      };
      timers.push(setTimeout(endure, BRIEF_WATCH_MILLISECONDS));
      timers.push(setTimeout(() => abandoned.abort(), seconds * 1000 + this.#marginMilliseconds));
    };
    try {
      await this.#client.lines({ ...this.#request(query), signal }, { line, opened });
    } catch (error) {
      // When the connection of an open watch ends, the next watch continues. That is a failure only when the next watch
      // cannot be opened.
      if (!this.#wasWatchOpened || !isConnectionError(error)) failure ??= error;
    } finally {
      this.#isWatchOpen = false;
      for (const timer of timers) clearTimeout(timer);
    }
    if (this.#mustList()) return;
    if (failure !== undefined) throw failure as Error;
    if (isBrief) await sleep(this.#backoff.next(), undefined, { signal: this.#stopped.signal }).catch(() => undefined);
  }

  /** One line of a watch. Throws when the line makes no sense, or is an ERROR event. */
  #event(text: string): void {
    const event = readEvent(text);
    if (event.type === 'ERROR') throw ApiError.fromStatus(event.status, `WATCH ${this.#what.path}`);
    const { type, object } = event;
    if (type === 'DELETED') this.#listener.deleted(object);
    else if (type !== 'BOOKMARK') this.#listener.applied(object);
    this.#resourceVersion = object.metadata.resourceVersion ?? this.#resourceVersion;
  }

  #watchOpened(): void {
    this.#wasWatchOpened = true;
    this.#isWatchOpen = true;
    this.#contact();
  }

  /** An overloaded API server says in Retry-After how long to wait. */
  #pauseAfter(error: unknown): number {
    const asked = error instanceof ApiError ? error.retryAfterMilliseconds : 0;
    return Math.max(this.#backoff.next(), Math.min(asked, MAX_RETRY_AFTER));
  }

  #contact(): void {
    this.#lastContact = this.#clock.now();
    if (this.#problem.note(undefined) === 'ended' && !this.#isStopped()) this.#listener.troubled(undefined);
  }

  #fail(error: unknown): void {
    // After a broken connection or a refusal, the next watch continues from the same version: a new list would only add
    // load. After any other failure, an event may have been missed.
    const isRefusal = !this.#wasWatchOpened && error instanceof ApiError && REFUSALS.includes(error.code);
    if (!isConnectionError(error) && !isRefusal) this.#resourceVersion = undefined;
    // One 410 is normal: a version has become too old. A second 410 means that the list fails, too.
    if (hasCode(error, 410) && ++this.#expired === 1) return;
    const problem = messageOf(error);
    if (this.#problem.note(problem) === 'began') this.#listener.troubled(problem);
  }

  #request(query: Readonly<Record<string, string>>): ApiRequest {
    const { path, name, fieldSelector, labelSelector, metadataOnly = false } = this.#what;
    const selector = name === undefined ? fieldSelector : `metadata.name=${name}`;
    const given = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''));
    const isWatch = query['watch'] === 'true';
    return {
      method: 'GET',
      path,
      query: {
        ...given,
        ...(selector !== undefined && { fieldSelector: selector }),
        ...(labelSelector !== undefined && { labelSelector }),
      },
      accept: metadataOnly
        ? `application/json;as=PartialObjectMetadata${isWatch ? '' : 'List'};v=v1;g=meta.k8s.io`
        : 'application/json',
      signal: this.#stopped.signal,
      mostBytes: MOST_PAGE_BYTES,
    };
  }
}

/** True for errors of Node's sockets, false for errors that the API server answered with. */
function isConnectionError(error: unknown): boolean {
  return (
    [ApiError, AnswerTooLarge, Unusable].every((answered) => !(error instanceof answered)) && error instanceof Error
  );
}

type WatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'; readonly object: KubernetesObject }
  | { readonly type: 'ERROR'; readonly status: Record<string, unknown> };

function readEvent(text: string): WatchEvent {
  let event: unknown;
  try {
    event = JSON.parse(text);
  } catch (error) {
    throw new Unusable(`a watch event is not JSON: ${cut(text, 80)}`, { cause: error });
  }
  const type = isRecord(event) ? event['type'] : undefined;
  const object = isRecord(event) ? event['object'] : undefined;
  if (type === 'ERROR' && isRecord(object)) return { type, status: object };
  // A bookmark holds only a resourceVersion.
  if (type === 'BOOKMARK' && isRecord(object) && isRecord(object['metadata']))
    return { type, object: object as unknown as KubernetesObject };
  if ((type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED') && isKubernetesObject(object))
    return { type, object: withoutManagedFields(object) };
  throw new Unusable(`a watch event is none: ${cut(text, 80)}`);
}
