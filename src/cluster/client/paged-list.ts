import { valueAt, textAt } from '../../base/json/field-path.ts';
import { AnswerTooLarge, MAX_ANSWER_BYTES, type ApiClient, type ApiRequest, type ApiRequests } from './api-client.ts';
import { isKubernetesObject, type KubernetesObject } from './kubernetes-object.ts';

/** Objects a page: the API server's own clients use the same number. Pages of large objects get fewer. */
export const PAGE_SIZE = 500;

export const METADATA_LIST = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';

export interface Page {
  readonly items: readonly KubernetesObject[];
  readonly resourceVersion: string;
  readonly continue: string | undefined;
}

/** An answer of the API server that makes no sense, so that a change may have been missed. */
export class Unusable extends Error {}

export interface ListRequest extends Omit<ApiRequest, 'method'> {
  readonly dropsStatus?: boolean;
  /** `managedFields` are often longer than the object itself, so pages lack them. */
  readonly keepsManagedFields?: boolean;
}

/**
 * The only way to list a collection; the lint forbids other ones. A page that would be longer than MAX_ANSWER_BYTES,
 * or `mostBytes`, is requested again with half as many objects. After short pages, the next ones get more again.
 */
export class PagedList {
  readonly #client: Pick<ApiClient, 'measured'>;
  #size = PAGE_SIZE;

  constructor(client: Pick<ApiClient, 'measured'>) {
    this.#client = client;
  }

  /**
   * Hands over each page, then drops it. Ends when `take` gives false, or resolves with it. Rejects with ApiError 410
   * when a later page has expired.
   */
  async forEachPage(request: ListRequest, take: (page: Page) => unknown): Promise<void> {
    const takePage = async (start: string | undefined): Promise<string | undefined> => {
      const page = await this.page(request, start);
      return (await take(page)) === false ? undefined : page.continue;
    };
    let next: string | undefined;
    // Only that callback holds the page: a generator would hold it until the next page is there.
    do next = await takePage(next);
    while (next !== undefined);
  }

  /**
   * With `resourceVersion: '0'` the API server answers from its watch cache, and ignores the number of objects before
   * Kubernetes 1.34. If that answer is too long, pages are requested without a version. `start` undefined = the first
   * page.
   */
  async page(list: ListRequest, start: string | undefined): Promise<Page> {
    const { keepsManagedFields = false, dropsStatus = false, mostBytes = MAX_ANSWER_BYTES, ...request } = list;
    const { resourceVersion, ...selectors } = request.query ?? {};
    let version = start === undefined ? resourceVersion : undefined;
    for (;;) {
      const from = start === undefined ? version !== undefined && { resourceVersion: version } : { continue: start };
      const query = { ...selectors, limit: String(this.#size), ...from };
      const most = this.#size === 1 ? MAX_ANSWER_BYTES : mostBytes;
      try {
        const { body, bytes } = await this.#client.measured({ ...request, method: 'GET', query, mostBytes: most });
        // A page with twice as many objects is then still far from being too long.
        if (bytes < mostBytes / 4) this.#size = Math.min(this.#size * 2, PAGE_SIZE);
        return readPage(body, keepsManagedFields, dropsStatus);
      } catch (error) {
        if (!(error instanceof AnswerTooLarge) || (this.#size === 1 && version === undefined)) throw error;
        if (version !== undefined) version = undefined;
        else this.#size = Math.floor(this.#size / 2);
      }
    }
  }
}

/** To see whether the API server permits lists. Rejects as ApiClient.request does. */
export async function tryList(client: ApiRequests, path: string): Promise<void> {
  await client.request({ method: 'GET', path, query: { limit: '1' } });
}

function readPage(body: unknown, keepsManagedFields: boolean, dropsStatus: boolean): Page {
  const items = valueAt(body, ['items']) ?? [];
  const resourceVersion = textAt(body, 'metadata', 'resourceVersion');
  if (resourceVersion === undefined || !Array.isArray(items))
    throw new Unusable('the list has no resourceVersion or no items');
  const objects = (items as unknown[]).filter(isKubernetesObject);
  if (dropsStatus) for (const object of objects) Object.assign(object, { status: null });
  return {
    items: keepsManagedFields ? objects : objects.map(withoutManagedFields),
    resourceVersion,
    continue: textAt(body, 'metadata', 'continue') || undefined,
  };
}

/** They are often longer than the object itself. A write without them leaves them unchanged. */
export function withoutManagedFields(object: KubernetesObject): KubernetesObject {
  Reflect.deleteProperty(object.metadata, 'managedFields');
  return object;
}
