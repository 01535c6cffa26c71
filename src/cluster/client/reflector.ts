import { isJsonObject } from '../../base/json/json-value.ts';
import { cut } from '../../base/text/cut.ts';
import { AnswerTooLarge, ApiError, hasCode, type ApiClient, type ApiRequest } from './api-client.ts';
import { Backoff, pause, type BackoffLimits, type ClockAndRandom } from './timing.ts';
import { isKubernetesObject, type KubernetesObject } from './kubernetes-object.ts';
import { PagedList, Unusable, withoutManagedFields } from './paged-list.ts';
import { CurrentProblem, messageOf } from '../../base/text/error-message.ts';

export interface Reflected {
  /** The collection, for example `/api/v1/namespaces`. */
  readonly path: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
  /** Ask for metadata alone (PartialObjectMetadata): a fraction of the bytes. */
  readonly metadataOnly?: boolean;
}

/** The reports of a reflector. Nothing is reported after stop. */
export interface ReflectorListener {
  /** A list of the whole collection begins. A list that breaks off has no end; the next list starts anew. */
  listing?(): void;
  /** The objects of a page of a list, or one object that is new or has changed. */
  seen(objects: readonly KubernetesObject[]): void;
  gone?(object: KubernetesObject): void;
  /** The list is complete: an object with none of these UIDs is gone. */
  listed?(uids: ReadonlySet<string>): void;
  /** Contact is lost, or back (undefined). Reported once, not at every attempt. */
  troubled(problem: string | undefined): void;
}

/** What the reflectors of a process share. */
export interface ReflectorContext extends ClockAndRandom {
  readonly client: ApiClient;
  /** How long a watch lasts, up to a fifth less or more, in milliseconds. Default 5 minutes. */
  readonly watchRenewal?: number | undefined;
  /** How long a watch may outlast its time before the reflector gives it up, in milliseconds. Default 15 s. */
  readonly watchMargin?: number;
  /** The pauses after failures. Default 250 ms to 4 s. */
  readonly retry?: BackoffLimits;
}

export interface ReflectorStatus {
  /** When the API server last sent anything, in milliseconds since the epoch: the mirror was right then. */
  readonly lastContact: number | undefined;
  readonly problem: string | undefined;
  readonly synced: boolean;
  /** True while a watch is open. Between two watches the mirror may lack recent changes. */
  readonly watching: boolean;
}

/** In milliseconds. client-go renews its watches after 5 to 10 minutes. A renewed one may reach another API server. */
const WATCH_RENEWAL = 300_000;
/** A watch lasts up to this share less or more, so that watches are not all renewed at once. */
const WATCH_SPREAD = 0.2;
/** A server that ends a watch so many milliseconds later is taken to be gone. */
const WATCH_MARGIN = 15_000;
/** After a shorter watch there is a pause, so that a server that ends each watch at once is not asked in a loop. */
const BRIEF_WATCH_MILLISECONDS = 500;
/** They say nothing about the resourceVersion. 504 does: after a restored backup the version may not exist. */
const REFUSALS: readonly number[] = [401, 403, 429, 500, 502, 503];
/** A page is parsed in one turn of the event loop: a megabyte of small members takes 150 ms. */
const MOST_PAGE_BYTES = 1024 * 1024;
const MAX_RETRY_AFTER = 30_000;
/** The pauses after failures: two fit into the 10 s in which a watch is to be back after its server. */
const RETRY = { minimum: 250, maximum: 4_000 };
const SILENT: ReflectorListener = { seen: () => undefined, troubled: () => undefined };

/**
 * Keeps a mirror of a collection up to date by list and watch. After a watch ends, the next one continues from the
 * last version. After 410 Gone, or an answer or event that makes no sense, a change may have been missed, so the
 * collection is listed again. client-node's informer stops for good on most of these errors.
 */
export class Reflector {
  readonly #context: ReflectorContext;
  readonly #what: Reflected;
  #listener: ReflectorListener;
  readonly #stopped = new AbortController();
  readonly #backoff: Backoff;
  readonly #pages: PagedList;
  readonly #problem = new CurrentProblem();
  readonly #firstSync = Promise.withResolvers<undefined>();
  #status = { synced: false, watching: false, lastContact: undefined as number | undefined };
  #resourceVersion: string | undefined;
  #wasWatchOpened = false;
  /** Since the last watch that was open for a while, a version has been too old. */
  #hasExpired = false;
  #isListWanted = false;
  /** Ends the watch under way, or the next one: an event that makes no sense, or a list that is wanted. */
  #abandoned = new AbortController();

  constructor(context: ReflectorContext, what: Reflected, listener: ReflectorListener) {
    this.#context = context;
    this.#pages = new PagedList(context.client);
    this.#what = what;
    this.#listener = listener;
    this.#backoff = new Backoff(context.retry ?? RETRY, context.random);
  }

  /** Starts mirroring. Resolves once the first list is complete, however long that takes; also on stop. */
  async start(): Promise<void> {
    void this.#run();
    await this.#firstSync.promise;
  }

  stop(): void {
    this.#stopped.abort();
    this.#listener = SILENT;
    this.#firstSync.resolve(undefined);
  }

  listAgain(): void {
    this.#isListWanted = true;
    this.#abandoned.abort();
  }

  status(): ReflectorStatus {
    return { ...this.#status, problem: this.#problem.text };
  }

  #isStopped(): boolean {
    return this.#stopped.signal.aborted;
  }

  async #run(): Promise<void> {
    while (!this.#isStopped()) {
      this.#wasWatchOpened = false;
      this.#abandoned = new AbortController();
      try {
        if (this.#isListWanted) this.#resourceVersion = undefined;
        this.#isListWanted = false;
        this.#resourceVersion ??= await this.#list();
        await this.#watch();
      } catch (error) {
        if (this.#isStopped()) return;
        // Versions become too old while the API server is away, and the list must not wait for that outage's pause. A
        // second 410 says that a list is of no use.
        if (hasCode(error, 410) && !this.#hasExpired) {
          this.#hasExpired = true;
          this.#resourceVersion = undefined;
          continue;
        }
        this.#fail(error);
        // An overloaded API server says in Retry-After how long to wait.
        const asked = error instanceof ApiError ? error.retryAfterMilliseconds : 0;
        await pause(Math.max(this.#backoff.next(), Math.min(asked, MAX_RETRY_AFTER)), this.#stopped.signal);
      }
    }
  }

  async #list(): Promise<string> {
    let version: string | undefined;
    const uids = new Set<string>();
    await this.#pages.forEachPage(this.#request({}), ({ items, resourceVersion }) => {
      if (version === undefined) this.#listener.listing?.();
      version = resourceVersion;
      for (const { metadata } of items) if (metadata.uid !== undefined) uids.add(metadata.uid);
      this.#listener.seen(items);
    });
    this.#contact();
    this.#listener.listed?.(uids);
    this.#status.synced = true;
    this.#firstSync.resolve(undefined);
    return version ?? '';
  }

  /** Rejects when the watch cannot be opened, or when a change may have been missed. */
  async #watch(): Promise<void> {
    const { client, random, watchRenewal = WATCH_RENEWAL, watchMargin = WATCH_MARGIN } = this.#context;
    const share = 1 - WATCH_SPREAD + 2 * WATCH_SPREAD * random();
    const seconds = Math.max(1, Math.floor((watchRenewal * share) / 1000));
    const version = this.#resourceVersion ?? '';
    const query = {
      watch: 'true',
      allowWatchBookmarks: 'true',
      ...(version !== '' && { resourceVersion: version }),
      timeoutSeconds: String(seconds),
    };
    const abandoned = this.#abandoned;
    const tooLate = AbortSignal.timeout(seconds * 1000 + watchMargin);
    const signal = AbortSignal.any([this.#stopped.signal, abandoned.signal, tooLate]);
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
    let openedAt = Infinity;
    const opened = (): void => {
      this.#wasWatchOpened = true;
      this.#status.watching = true;
      openedAt = performance.now();
      this.#contact();
    };
    try {
      await client.lines({ ...this.#request(query), signal }, { line, opened });
    } catch (error) {
      // When the connection of an open watch ends, the next watch continues: no failure unless it cannot be opened.
      if (!this.#wasWatchOpened || !isConnectionError(error)) failure ??= error;
    }
    this.#status.watching = false;
    const isBrief = performance.now() - openedAt < BRIEF_WATCH_MILLISECONDS;
    if (!isBrief) {
      this.#backoff.reset();
      this.#hasExpired = false;
    }
    if (this.#isListWanted) return;
    if (failure !== undefined) throw failure as Error;
    if (isBrief) await pause(this.#backoff.next(), this.#stopped.signal);
  }

  #event(text: string): void {
    const event = readEvent(text);
    if (event.type === 'ERROR') throw ApiError.fromStatus(event.status, `WATCH ${this.#what.path}`);
    const { type, object } = event;
    if (type === 'DELETED') this.#listener.gone?.(object);
    else if (type !== 'BOOKMARK') this.#listener.seen([object]);
    this.#resourceVersion = object.metadata.resourceVersion ?? this.#resourceVersion;
  }

  #contact(): void {
    this.#status.lastContact = this.#context.now();
    if (this.#problem.note(undefined) === 'ended') this.#listener.troubled(undefined);
  }

  #fail(error: unknown): void {
    // After a broken connection or a refusal, the next watch continues from the same version: a list would add load.
    const isRefusal = !this.#wasWatchOpened && error instanceof ApiError && REFUSALS.includes(error.code);
    if (!isConnectionError(error) && !isRefusal) this.#resourceVersion = undefined;
    const problem = messageOf(error);
    if (this.#problem.note(problem) === 'began') this.#listener.troubled(problem);
  }

  #request(query: Readonly<Record<string, string>>): ApiRequest {
    const { path, fieldSelector, labelSelector, metadataOnly = false } = this.#what;
    const list = query['watch'] === 'true' ? '' : 'List';
    return {
      method: 'GET',
      path,
      query: {
        ...query,
        ...(fieldSelector !== undefined && { fieldSelector }),
        ...(labelSelector !== undefined && { labelSelector }),
      },
      accept: `application/json${metadataOnly ? `;as=PartialObjectMetadata${list};v=v1;g=meta.k8s.io` : ''}`,
      signal: this.#stopped.signal,
      mostBytes: MOST_PAGE_BYTES,
    };
  }
}

/** True for errors of Node's sockets, false for errors that the API server answered with. */
function isConnectionError(error: unknown): boolean {
  const isAnswered = [ApiError, AnswerTooLarge, Unusable].some((answered) => error instanceof answered);
  return error instanceof Error && !isAnswered;
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
  const { type, object } = isJsonObject(event) ? event : {};
  if (type === 'ERROR' && isJsonObject(object)) return { type, status: object };
  // A bookmark holds only a resourceVersion.
  if (type === 'BOOKMARK' && isJsonObject(object) && isJsonObject(object['metadata']))
    return { type, object: object as unknown as KubernetesObject };
  if ((type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED') && isKubernetesObject(object))
    return { type, object: withoutManagedFields(object) };
  throw new Unusable(`a watch event is none: ${cut(text, 80)}`);
}
