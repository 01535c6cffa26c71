import { AnswerTooLarge, MAX_ANSWER_BYTES } from './api-client.ts';
import { isKubernetesObject, isRecord } from './kubernetes-object.ts';
import type { ApiClient, ApiRequest } from './api-client.ts';
import type { KubernetesObject } from './kubernetes-object.ts';

/** Objects a page: the API server's own clients use the same number. Pages of large objects get fewer. */
const PAGE_SIZE = 500;

/** Some of the objects of a collection. */
export interface Page {
  readonly items: readonly KubernetesObject[];
  /** The version of the collection that the whole list shows. */
  readonly resourceVersion: string;
  /** Where the next page begins; undefined on the last one. */
  readonly continue: string | undefined;
}

/** What comes from an API server and makes no sense: something may have been missed. */
export class Unusable extends Error {}

/**
 * Lists a collection page by page, so that no more than one page of at most MAX_ANSWER_BYTES is ever held. When a page would be longer, it is
 * asked for again with half as many objects; when pages are short, they get more again.
 */
export class PagedList {
  readonly #client: ApiClient;
  #size = PAGE_SIZE;

  constructor(client: ApiClient) {
    this.#client = client;
  }

  /** Rejects as ApiClient.request does, with ApiError 410 when a later page has expired: the list has to begin again then. */
  async *pages(request: ApiRequest): AsyncGenerator<Page, void, undefined> {
    let next: string | undefined;
    do {
      const page = await this.#page(request, next);
      yield page;
      next = page.continue;
    } while (next !== undefined);
  }

  async #page(request: ApiRequest, next: string | undefined): Promise<Page> {
    for (;;) {
      try {
        const query = { ...request.query, limit: String(this.#size), ...(next !== undefined && { continue: next }) };
        const { body, bytes } = await this.#client.measured({ ...request, query });
        // A page that is twice as large is then still far from being too long.
        if (bytes < MAX_ANSWER_BYTES / 4) this.#size = Math.min(this.#size * 2, PAGE_SIZE);
        return readPage(body);
      } catch (error) {
        if (!(error instanceof AnswerTooLarge) || this.#size === 1) throw error;
        this.#size = Math.floor(this.#size / 2);
      }
    }
  }
}

function readPage(body: unknown): Page {
  const metadata = isRecord(body) ? body['metadata'] : undefined;
  const items = isRecord(body) ? (body['items'] ?? []) : undefined;
  if (!isRecord(metadata) || typeof metadata['resourceVersion'] !== 'string' || !Array.isArray(items))
    throw new Unusable('the list has no resourceVersion or no items');
  const next = metadata['continue'];
  return {
    items: (items as unknown[]).filter(isKubernetesObject).map(withoutManagedFields),
    resourceVersion: metadata['resourceVersion'],
    continue: typeof next === 'string' && next !== '' ? next : undefined,
  };
}

/** Who set which field is often longer than the object itself, and nobody here asks for it. Absent, a write leaves it as it is. */
export function withoutManagedFields(object: KubernetesObject): KubernetesObject {
  Reflect.deleteProperty(object.metadata, 'managedFields');
  return object;
}
