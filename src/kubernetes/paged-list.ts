import { AnswerTooLarge, MAX_ANSWER_BYTES } from './api-client.ts';
import { isKubernetesObject, isRecord } from './kubernetes-object.ts';
import type { ApiClient, ApiRequest } from './api-client.ts';
import type { KubernetesObject } from './kubernetes-object.ts';

/** Objects a page: the API server's own clients use the same number. Pages of large objects get fewer. */
export const PAGE_SIZE = 500;

/** Some of the objects of a collection. */
export interface Page {
  readonly items: readonly KubernetesObject[];
  /** The version of the collection that the whole list shows. */
  readonly resourceVersion: string;
  /** Where the next page begins; undefined on the last one. */
  readonly continue: string | undefined;
  /** The number of objects after this page, if the API server knows. */
  readonly remaining: number | undefined;
}

/** An answer of the API server that makes no sense, so that a change may have been missed. */
export class Unusable extends Error {}

/**
 * Lists a collection page by page, so that no more than one page of at most MAX_ANSWER_BYTES is held. A page that would
 * be longer is requested again with half as many objects. After short pages, the next pages get more objects again.
 */
export class PagedList {
  readonly #client: Pick<ApiClient, 'measured'>;
  #size = PAGE_SIZE;

  constructor(client: Pick<ApiClient, 'measured'>) {
    this.#client = client;
  }

  /**
   * Hands over each page, then drops it and requests the next one. Rejects as ApiClient.request does, with ApiError 410
   * when a later page has expired: then the list has to begin again.
   */
  async forEachPage(request: ApiRequest, take: (page: Page) => void): Promise<void> {
    let next: string | undefined;
    do next = await this.#takePage(request, next, take);
    while (next !== undefined);
  }

  /**
   * Resolves with where the next page begins. Only this call holds the page: a generator would hold it until the next
   * page is there.
   */
  async #takePage(
    request: ApiRequest,
    next: string | undefined,
    take: (page: Page) => void,
  ): Promise<string | undefined> {
    for (;;) {
      try {
        const query = { ...request.query, limit: String(this.#size), ...(next !== undefined && { continue: next }) };
        const { body, bytes } = await this.#client.measured({ ...request, query });
        // A page with twice as many objects is then still far from being too long.
        if (bytes < MAX_ANSWER_BYTES / 4) this.#size = Math.min(this.#size * 2, PAGE_SIZE);
        const page = readPage(body);
        take(page);
        return page.continue;
      } catch (error) {
        if (!(error instanceof AnswerTooLarge) || this.#size === 1) throw error;
        this.#size = Math.floor(this.#size / 2);
      }
    }
  }
}

/** Reads the answer to a list. Throws Unusable if the answer is no list. */
export function readPage(body: unknown): Page {
  const metadata = isRecord(body) ? body['metadata'] : undefined;
  const items = isRecord(body) ? (body['items'] ?? []) : undefined;
  if (!isRecord(metadata) || typeof metadata['resourceVersion'] !== 'string' || !Array.isArray(items))
    throw new Unusable('the list has no resourceVersion or no items');
  const { continue: next, remainingItemCount: remaining } = metadata;
  return {
    items: (items as unknown[]).filter(isKubernetesObject).map(withoutManagedFields),
    resourceVersion: metadata['resourceVersion'],
    continue: typeof next === 'string' && next !== '' ? next : undefined,
    remaining: typeof remaining === 'number' ? remaining : undefined,
  };
}

/**
 * managedFields are often longer than the object itself, and not used here. A write without them leaves them unchanged.
 */
export function withoutManagedFields(object: KubernetesObject): KubernetesObject {
  Reflect.deleteProperty(object.metadata, 'managedFields');
  return object;
}
