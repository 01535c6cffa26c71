import { PAGE_SIZE } from '../../cluster/client/paged-list.ts';
import { LIVE_PODS, OBSERVED_POD, type ObservedKind } from '../observed-workload.ts';
import type { AffectedNamespaces } from './affected-namespaces.ts';
import type { WorkloadRecords } from './verdicts.ts';

interface ListToRead {
  readonly kind: ObservedKind;
  readonly namespace?: string;
  readonly query: Readonly<Record<string, string>>;
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
    if (scope === 'all') return [{ kind, query: {} }];
    const ofKind = byKind.get(kindKey(kind.served)) ?? [];
    const namespaces = [...new Set(ofKind.map(({ workload }) => workload.namespace))];
    if (namespaces.length > pages) return [{ kind, query: {} }];
    return namespaces.map((namespace) => ({ kind, namespace, query: {} }));
  });
  const ofPods = podNamespaces
    .filter((namespace) => scope === 'all' || scope.has(namespace))
    .map((namespace) => ({ kind: OBSERVED_POD, namespace, query: { fieldSelector: LIVE_PODS } }));
  return [...lists, ...ofPods];
}
