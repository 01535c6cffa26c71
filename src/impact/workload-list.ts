import { AnswerTooLarge } from '../kubernetes/api-client.ts';
import { PAGE_SIZE, readPage } from '../kubernetes/paged-list.ts';
import { rootOf } from '../sources/cluster-kinds.ts';
import { reduceList } from '../sources/workload-lists.ts';
import type { ApiRequests } from '../kubernetes/api-client.ts';
import type { Page } from '../kubernetes/paged-list.ts';
import type { ClusterKind } from '../sources/cluster-kinds.ts';

/** The most bytes of a page: Node parses a page in one go, in about 20 ms. */
const MOST_PAGE_BYTES = 2 * 1024 * 1024;

/** Where workloads are listed. */
export interface ListPlace {
  readonly kind: ClusterKind;
  /** Undefined = all namespaces. */
  readonly namespace: string | undefined;
}

/**
 * Hands over the workloads of one kind, page by page. The next page is requested while `take` works, so two pages are
 * held at most. Rejects as ApiClient.request does, and with ApiError 410 when a later page has expired.
 *
 * With resourceVersion 0, the API server answers from its watch cache, and ignores the page size before Kubernetes
 * 1.34. The list of one namespace usually fits into one answer. For all namespaces, and for a namespace that does not
 * fit, pages are requested without a version.
 */
export async function forEachWorkloadPage(
  client: ApiRequests,
  place: ListPlace,
  signal: AbortSignal,
  take: (page: Page) => Promise<void>,
): Promise<void> {
  const list = new WorkloadPages(client, place, signal);
  let coming: Promise<Page> | undefined = list.page(undefined);
  while (coming !== undefined) {
    const page: Page = await coming;
    coming = page.continue === undefined || signal.aborted ? undefined : list.page(page.continue);
    // A failure is reported when its page is due.
    coming?.catch(() => undefined);
    await take(page);
    if (signal.aborted) return;
  }
}

class WorkloadPages {
  readonly #client: ApiRequests;
  readonly #path: string;
  readonly #signal: AbortSignal;
  #isFromCache: boolean;
  #size = PAGE_SIZE;

  constructor(client: ApiRequests, { kind, namespace }: ListPlace, signal: AbortSignal) {
    const scope = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
    this.#client = client;
    this.#path = `${rootOf(kind.apiVersion)}${scope}/${kind.resource}`;
    this.#signal = signal;
    this.#isFromCache = namespace !== undefined;
  }

  /** Requests a page. A page that would be too long is requested again with half as many objects. */
  async page(start: string | undefined): Promise<Page> {
    for (;;) {
      const from = start === undefined ? this.#isFromCache && { resourceVersion: '0' } : { continue: start };
      const query = { limit: String(this.#size), ...from };
      try {
        const more = { reduce: reduceList, mostBytes: MOST_PAGE_BYTES, signal: this.#signal };
        return readPage(await this.#client.request({ method: 'GET', path: this.#path, query, ...more }));
      } catch (error) {
        if (!(error instanceof AnswerTooLarge) || this.#size === 1) throw error;
        if (this.#isFromCache) this.#isFromCache = false;
        else this.#size = Math.floor(this.#size / 2);
      }
    }
  }
}
