import { PagedList } from '../../cluster/client/paged-list.ts';
import { rootOf } from '../../cluster/sources/cluster-kinds.ts';
import type { ApiClient } from '../../cluster/client/api-client.ts';
import type { Page } from '../../cluster/client/paged-list.ts';
import type { ClusterKind } from '../../cluster/sources/cluster-kinds.ts';

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
 * The list of one namespace usually fits into one answer, so it is asked of the API server's watch cache first.
 */
export async function forEachWorkloadPage(
  client: Pick<ApiClient, 'measured'>,
  place: ListPlace,
  signal: AbortSignal,
  take: (page: Page) => Promise<void>,
): Promise<void> {
  const { kind, namespace } = place;
  const scope = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  const request = {
    path: `${rootOf(kind.apiVersion)}${scope}/${kind.resource}`,
    dropsStatus: true,
    mostBytes: MOST_PAGE_BYTES,
    signal,
    ...(namespace !== undefined && { query: { resourceVersion: '0' } }),
  };
  const list = new PagedList(client);
  let coming: Promise<Page> | undefined = list.page(request, undefined);
  while (coming !== undefined) {
    const page: Page = await coming;
    coming = page.continue === undefined || signal.aborted ? undefined : list.page(request, page.continue);
    // A failure is reported when its page is due.
    coming?.catch(() => undefined);
    await take(page);
    if (signal.aborted) return;
  }
}
