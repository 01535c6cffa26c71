import { POD_KIND } from '../../engine/workload/kinds.ts';
import type { ObservedKind } from '../observed-workload.ts';
import type { AffectedNamespaces } from './affected-namespaces.ts';
import type { ListToRead } from './scan-lists.ts';
import type { WorkloadRecords } from './workload-records.ts';

/** Pods. The watch of Pods finds those without a controller. */
export const POD_KIND_OBSERVED: ObservedKind = {
  served: { group: '', apiVersion: 'v1', kind: 'Pod', resource: 'pods' },
  templates: POD_KIND,
};

/** Pods that have ended have no verdict. */
const LIVE_PODS = 'status.phase!=Succeeded,status.phase!=Failed';

/** Workloads in a page. */
const PAGE = 500;

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
  const isIn = (namespace: string): boolean => scope === 'all' || scope.has(namespace);
  const places = scope === 'all' ? undefined : placesOf(scope, records);
  const lists = kinds.flatMap((kind): ListToRead[] => {
    const key = `${kind.served.group}/${kind.served.kind}`;
    const namespaces = places?.get(key);
    if (places === undefined) return [{ kind, namespace: undefined }];
    if (namespaces === undefined) return [];
    const pages = Math.ceil(records.size / PAGE);
    if (namespaces.size > pages) return [{ kind, namespace: undefined }];
    return [...namespaces].map((namespace) => ({ kind, namespace }));
  });
  const ofPods = podNamespaces
    .filter(isIn)
    .map((namespace) => ({ kind: POD_KIND_OBSERVED, namespace, fieldSelector: LIVE_PODS }));
  return [...lists, ...ofPods];
}

/** The namespaces of the scope that have workloads of a kind, by group and kind. */
function placesOf(scope: ReadonlySet<string>, records: WorkloadRecords): ReadonlyMap<string, ReadonlySet<string>> {
  const places = new Map<string, Set<string>>();
  for (const namespace of scope) {
    records.forEach(({ group, kind }) => {
      const key = `${group}/${kind}`;
      const namespaces = places.get(key);
      if (namespaces === undefined) places.set(key, new Set([namespace]));
      else namespaces.add(namespace);
    }, namespace);
  }
  return places;
}
