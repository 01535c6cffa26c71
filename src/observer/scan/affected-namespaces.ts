import type { Snapshot } from '../../engine/facts/snapshot.ts';
import type { ProbeException } from '../../engine/policy/probe-exception.ts';

export type AffectedNamespaces = 'all' | ReadonlySet<string>;

/**
 * Compares two snapshots. A changed ClusterProbePolicy affects all namespaces, a changed policy or fact of a namespace
 * affects that namespace. Labels of a namespace count only while a policy looks at them.
 *
 * @param namespaces the namespaces with workloads
 */
export function affectedNamespaces(
  before: Snapshot,
  after: Snapshot,
  namespaces: readonly string[],
): AffectedNamespaces {
  const affected = new Set<string>();
  if (before.tiers !== after.tiers) {
    const old = new Set(before.policies);
    const changed = [...after.policies.filter((policy) => !old.delete(policy)), ...old];
    for (const { namespace } of changed) {
      if (namespace === undefined) return 'all';
      affected.add(namespace);
    }
  }
  const looksAtLabels = before.looksAtNamespaceLabels || after.looksAtNamespaceLabels;
  const [old, now] = [before.facts, after.facts];
  for (const namespace of namespaces) {
    const isSame =
      (!looksAtLabels || old.namespaceLabels.get(namespace) === now.namespaceLabels.get(namespace)) &&
      isSameList(old.exceptions.ofNamespace(namespace), now.exceptions.ofNamespace(namespace)) &&
      isSameList(old.starts.ofNamespace(namespace), now.starts.ofNamespace(namespace)) &&
      isSameList(old.services?.ofNamespace(namespace), now.services?.ofNamespace(namespace));
    if (!isSame) affected.add(namespace);
  }
  return affected;
}

/** The elements of unchanged objects are the same in both snapshots. */
function isSameList(one: readonly unknown[] | undefined, other: readonly unknown[] | undefined): boolean {
  if (one === other) return true;
  return one?.length === other?.length && one?.every((element, index) => element === other?.[index]) === true;
}

export function union(one: AffectedNamespaces, other: AffectedNamespaces): AffectedNamespaces {
  return one === 'all' || other === 'all' ? 'all' : new Set([...one, ...other]);
}

const DAY = 24 * 60 * 60 * 1000;

/** The namespaces with an exception that ends after one instant, up to another. */
export function exceptionEnds(snapshot: Snapshot | undefined, after: number, until: number): ReadonlySet<string> {
  const ended = new Set<string>();
  for (const [namespace, exceptions] of snapshot?.facts.exceptions.lists ?? [])
    if (exceptions.some((exception) => endsWithin(exception, after, until))) ended.add(namespace);
  return ended;
}

/** An exception ends at its own end, and at a whole number of days after its creation if a policy limits it so. */
function endsWithin({ expires, created }: ProbeException, after: number, until: number): boolean {
  if (expires > after && expires <= until) return true;
  if (created === undefined || until <= created) return false;
  return Math.floor((until - created) / DAY) > Math.floor((after - created) / DAY);
}
