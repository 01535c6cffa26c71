import { setTimeout as sleep } from 'node:timers/promises';
import { cut } from '../text/cut.ts';
import { AnswerTooLarge } from './api-client.ts';
import { ApiError, hasCode } from './api-error.ts';
import { Backoff } from './backoff.ts';
import { isKubernetesObject, isRecord } from './kubernetes-object.ts';
import { omittingMetadata } from './omitted-metadata.ts';
import { PagedList, Unusable, withoutManagedFields } from './paged-list.ts';
import type { ApiClient } from './api-client.ts';
import type { BackoffLimits } from './backoff.ts';
import type { KubernetesObject } from './kubernetes-object.ts';

/** What to mirror. */
export interface Reflected {
  /** The collection, for example `/api/v1/namespaces`. */
  readonly path: string;
  /** Only the object of this name. RBAC rules with resourceNames allow list and watch in this form only. */
  readonly name?: string;
  /** Ask for metadata alone (PartialObjectMetadata): a fraction of the bytes. */
  readonly metadataOnly?: boolean;
  /** Members of the objects' metadata that are not needed: they are null, if they are there. managedFields never are. */
  readonly omit?: readonly string[];
}

/** Takes a list of the whole collection, page by page. A list that breaks off gets no end; the next one begins from the first page. */
export interface Listing {
  /** Some of the objects. Whoever keeps them whole keeps the whole collection. */
  readonly page: (objects: readonly KubernetesObject[]) => void;
  /** The list is complete: an object that was on none of its pages is gone. */
  readonly end: () => void;
}

/** What a reflector tells. Nothing is told after stop. */
export interface ReflectorListener {
  /** A list of the whole collection begins. */
  readonly listing: () => Listing;
  /** An object is new or has changed. */
  readonly applied: (object: KubernetesObject) => void;
  readonly deleted: (object: KubernetesObject) => void;
  /** Contact is lost, or back (undefined). Told once, not at every attempt. */
  readonly troubled: (problem: string | undefined) => void;
}

/** The rim that a reflector works with. */
export interface ReflectorSurroundings {
  /** The wall clock, in milliseconds since the epoch. */
  readonly now: () => number;
  /** A number from 0 to 1. */
  readonly random: () => number;
}

/** How a reflector is set, in milliseconds. */
export interface ReflectorOptions {
  /** How long a watch lasts, up to a fifth less or more. Default WATCH_RENEWAL_MILLISECONDS. */
  readonly renewalMilliseconds?: number | undefined;
  /** How long after its time a watch that the server has not ended is given up. Default 15 s. */
  readonly marginMilliseconds?: number;
  /** The pauses after failures. */
  readonly retry?: BackoffLimits;
}

/** How a reflector is doing. */
export interface ReflectorStatus {
  /** True once the collection has been read whole. */
  readonly synced: boolean;
  /** When the API server was last heard of, in milliseconds since the epoch: what is remembered was true then. */
  readonly lastContact: number | undefined;
  /** Why there is no contact now. */
  readonly problem: string | undefined;
  /** True while a watch is open. Between two watches the mirror may lack what has happened since. */
  readonly watching: boolean;
}

/** client-go's informers use 5 to 10 minutes. Watches that end move to other API servers, and show that the one before was alive. */
export const WATCH_RENEWAL_MILLISECONDS = 300_000;
/** The share of it that a watch may last less or more, so that not all are renewed at once. */
const WATCH_SPREAD = 0.2;
/** A server that is this late to end a watch is gone. */
const WATCH_MARGIN_MILLISECONDS = 15_000;
/** A watch that ends earlier is followed by a pause: a server that ends watches as soon as they are open must not be asked in a loop. */
const BRIEF_WATCH_MILLISECONDS = 500;
/** Answers that say nothing about the version from which a watch was asked for. 504 does: it may be from before a restored backup. */
const REFUSALS: readonly number[] = [401, 403, 429, 500, 502, 503];
/** A Retry-After is obeyed up to this. */
const MAX_RETRY_AFTER = 30_000;
/** Short enough that a watch is back within 10 s of its server. */
const RETRY = { minimum: 250, maximum: 5_000 };

/**
 * Keeps a mirror of a collection up to date: list, then watch from there, until it is stopped. Whatever happens to the watch, the mirror
 * ends up right: an ended watch goes on where it was; 410 Gone, an answer that is not understood, or an event that is no JSON mean that something
 * may have been missed, and the collection is read whole again. client-node's informer stops for good on most of these.
 */
export class Reflector {
  readonly #client: ApiClient;
  readonly #what: Reflected;
  readonly #listener: ReflectorListener;
  readonly #surroundings: ReflectorSurroundings;
  readonly #renewalMilliseconds: number;
  readonly #marginMilliseconds: number;
  readonly #stopped = new AbortController();
  readonly #backoff: Backoff;
  readonly #pages: PagedList;
  #resourceVersion: string | undefined;
  /** Whether the watch that was asked for last has been opened. */
  #wasWatchOpened = false;
  #isWatchOpen = false;
  #synced = false;
  #lastContact: number | undefined;
  #problem: string | undefined;
  /** How many answers of 410 there have been since the last whole list. */
  #expired = 0;
  #firstSync: () => void = () => undefined;

  constructor(
    client: ApiClient,
    what: Reflected,
    listener: ReflectorListener,
    surroundings: ReflectorSurroundings,
    options: ReflectorOptions = {},
  ) {
    this.#client = client;
    this.#pages = new PagedList(client);
    this.#what = what;
    this.#listener = listener;
    this.#surroundings = surroundings;
    this.#renewalMilliseconds = options.renewalMilliseconds ?? WATCH_RENEWAL_MILLISECONDS;
    this.#marginMilliseconds = options.marginMilliseconds ?? WATCH_MARGIN_MILLISECONDS;
    this.#backoff = new Backoff(options.retry ?? RETRY, surroundings.random);
  }

  /** Starts mirroring. Resolves once the collection has been read for the first time, however long that takes; also on stop. */
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

  status(): ReflectorStatus {
    const watching = this.#isWatchOpen;
    return { synced: this.#synced, lastContact: this.#lastContact, problem: this.#problem, watching };
  }

  #isStopped(): boolean {
    return this.#stopped.signal.aborted;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopped;
    while (!this.#isStopped()) {
      this.#wasWatchOpened = false;
      try {
        this.#resourceVersion ??= await this.#list();
        await this.#watch();
      } catch (error) {
        if (this.#isStopped()) return;
        this.#fail(error);
        await sleep(this.#pauseAfter(error), undefined, { signal }).catch(() => undefined);
      }
    }
  }

  /** Reads the collection and hands it over page by page. Gives the version that a watch is to start from. */
  async #list(): Promise<string> {
    let listing: Listing | undefined;
    let version = '';
    for await (const page of this.#pages.pages(this.#request({}))) {
      version = page.resourceVersion;
      if (this.#isStopped()) return version;
      listing ??= this.#listener.listing();
      if (this.#isStopped()) return version;
      listing.page(page.items);
    }
    if (this.#isStopped()) return version;
    this.#contact();
    listing?.end();
    this.#synced = true;
    this.#expired = 0;
    this.#firstSync();
    return version;
  }

  /** Watches until the watch ends; waits then, should it have been brief. Rejects when the watch cannot be opened, or says that something was missed. */
  async #watch(): Promise<void> {
    const share = 1 - WATCH_SPREAD + 2 * WATCH_SPREAD * this.#surroundings.random();
    const seconds = Math.max(1, Math.floor((this.#renewalMilliseconds * share) / 1000));
    const query = {
      watch: 'true',
      allowWatchBookmarks: 'true',
      resourceVersion: this.#resourceVersion ?? '',
      timeoutSeconds: String(seconds),
    };
    // An event that cannot be used, or the end of its time, ends this watch only.
    const abandoned = new AbortController();
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
      // An open watch whose connection ends is over, however it ended: nothing is wrong unless the next one cannot be opened.
      if (!this.#wasWatchOpened || !isConnectionError(error)) failure ??= error;
    } finally {
      this.#isWatchOpen = false;
      for (const timer of timers) clearTimeout(timer);
    }
    if (failure !== undefined) throw failure as Error;
    if (isBrief) await sleep(this.#backoff.next(), undefined, { signal: this.#stopped.signal }).catch(() => undefined);
  }

  /** One line of a watch. Throws when it cannot be used, or says that the watch is over. */
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

  /** An API server that has too much to do says for how long it wants to be left alone. */
  #pauseAfter(error: unknown): number {
    const asked = error instanceof ApiError ? error.retryAfterMilliseconds : 0;
    return Math.max(this.#backoff.next(), Math.min(asked, MAX_RETRY_AFTER));
  }

  #contact(): void {
    this.#lastContact = this.#surroundings.now();
    if (this.#problem === undefined) return;
    this.#problem = undefined;
    if (!this.#isStopped()) this.#listener.troubled(undefined);
  }

  #fail(error: unknown): void {
    // A connection that broke can be taken up where it was, and so can a watch that was not opened because the API server had too much to do:
    // to list everything is the last thing that it needs then. After any other failure, an event may have been missed.
    const isRefusal = !this.#wasWatchOpened && error instanceof ApiError && REFUSALS.includes(error.code);
    if (!isConnectionError(error) && !isRefusal) this.#resourceVersion = undefined;
    // One 410 is normal: the version of a watch or of a page has become too old. A second one means that the list fails too.
    if (hasCode(error, 410) && ++this.#expired === 1) return;
    const problem = error instanceof Error ? error.message : String(error);
    const isNews = this.#problem === undefined;
    this.#problem = problem;
    if (isNews) this.#listener.troubled(problem);
  }

  #request(query: Readonly<Record<string, string>>): {
    method: 'GET';
    path: string;
    query: Record<string, string>;
    accept: string;
    signal: AbortSignal;
    reduce: (json: Buffer) => Buffer;
  } {
    const { path, name, metadataOnly = false, omit = [] } = this.#what;
    const given = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''));
    const isWatch = query['watch'] === 'true';
    return {
      method: 'GET',
      path,
      query: { ...given, ...(name !== undefined && { fieldSelector: `metadata.name=${name}` }) },
      accept: metadataOnly
        ? `application/json;as=PartialObjectMetadata${isWatch ? '' : 'List'};v=v1;g=meta.k8s.io`
        : 'application/json',
      signal: this.#stopped.signal,
      reduce: omittingMetadata(isWatch ? 'watch' : 'list', omit),
    };
  }
}

/** Errors that Node's sockets give, as against answers that the API server gave. */
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
  // A bookmark carries nothing but its resourceVersion.
  if (type === 'BOOKMARK' && isRecord(object) && isRecord(object['metadata']))
    return { type, object: object as unknown as KubernetesObject };
  if ((type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED') && isKubernetesObject(object))
    return { type, object: withoutManagedFields(object) };
  throw new Unusable(`a watch event is none: ${cut(text, 80)}`);
}
