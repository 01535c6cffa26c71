import { messageOf } from '../../base/text/error-message.ts';
import type { ApiClient } from '../../cluster/client/api-client.ts';
import { PAGE_SIZE, PagedList } from '../../cluster/client/paged-list.ts';
import { LIVE_PODS, OBSERVED_POD, collectionOf, type ObservedKind } from '../observed-workload.ts';
import type { KubernetesObject } from '../../cluster/client/kubernetes-object.ts';
import type { RateLimiter } from '../../cluster/client/rate-limiter.ts';
import type { AffectedNamespaces } from './affected-namespaces.ts';
import type { WorkloadRecords } from './verdicts.ts';

export interface ListToRead {
  readonly kind: ObservedKind;
  readonly namespace: string | undefined;
  readonly fieldSelector?: string;
}

/** A kind as one text, for sets: `apps/Deployment`. */
export function kindKey({ group, kind }: { readonly group: string; readonly kind: string }): string {
  return `${group}/${kind}`;
}

/**
 * The lists that show the workloads of a scope. A kind is listed in each namespace that has workloads of the kind, or
 * in the whole cluster if that needs fewer requests. Pods are listed only in namespaces that have Pods without a
 * controller.
 */
export function listsFor(
  scope: AffectedNamespaces,
  kinds: readonly ObservedKind[],
  podNamespaces: readonly string[],
  records: WorkloadRecords,
): readonly ListToRead[] {
  const inScope = scope === 'all' ? [] : [...scope].flatMap((namespace) => [...records.values(namespace)]);
  const byKind = Map.groupBy(inScope, ({ workload }) => kindKey(workload));
  const pages = Math.ceil(records.size / PAGE_SIZE);
  const lists = kinds.flatMap((kind): ListToRead[] => {
    if (scope === 'all') return [{ kind, namespace: undefined }];
    const ofKind = byKind.get(kindKey(kind.served)) ?? [];
    const namespaces = [...new Set(ofKind.map(({ workload }) => workload.namespace))];
    if (namespaces.length > pages) return [{ kind, namespace: undefined }];
    return namespaces.map((namespace) => ({ kind, namespace }));
  });
  const ofPods = podNamespaces
    .filter((namespace) => scope === 'all' || scope.has(namespace))
    .map((namespace) => ({ kind: OBSERVED_POD, namespace, fieldSelector: LIVE_PODS }));
  return [...lists, ...ofPods];
}

/** Hands over each object of a list. Resolves with the problem if the list could not be read whole. */
type ReadList = (list: ListToRead, take: (object: KubernetesObject) => void) => Promise<string | undefined>;

/** Lists workloads page by page, at a limited pace. Each page is dropped after use. */
export function listReader(client: ApiClient, limiter: RateLimiter, signal: AbortSignal): ReadList {
  const paced: Pick<ApiClient, 'measured'> = {
    measured: async (request) => {
      await limiter.turn(signal);
      return await client.measured(request);
    },
  };
  return async ({ kind, namespace, fieldSelector }, take) => {
    const query = fieldSelector === undefined ? {} : { fieldSelector };
    const request = { path: collectionOf(kind, namespace), query, dropsStatus: true, signal };
    try {
      await new PagedList(paced).forEachPage(request, ({ items }) => {
        for (const item of items) if (!signal.aborted) take(item);
      });
      return undefined;
    } catch (error) {
      return messageOf(error);
    }
  };
}
