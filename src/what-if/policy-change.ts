import { mergedFacts } from '../facts/facts.ts';
import { Snapshot } from '../facts/snapshot.ts';
import type { CheckCatalogue } from '../policy/check-catalogue.ts';
import type { ProbePolicy } from '../policy/probe-policy.ts';

/** A change of policies: objects that are applied, and objects that are deleted. */
export interface PolicyChange {
  readonly applied: Snapshot;
  /** Policies as `KIND/NAMESPACE/NAME`, cluster policies as `KIND/NAME`. They are deleted last. */
  readonly removed: readonly string[];
}

/**
 * Returns the snapshot after a change, object by object as `kubectl apply` does: a policy replaces the policy of the
 * same kind, namespace and name. A Namespace replaces the labels of the namespace. Everything else stays.
 *
 * @param catalogue the checks of this build
 */
export function snapshotAfter(catalogue: CheckCatalogue, before: Snapshot, change: PolicyChange): Snapshot {
  const bySource = new Map<string, ProbePolicy>();
  for (const policy of [...before.policies, ...change.applied.policies]) bySource.set(policy.source, policy);
  for (const source of change.removed) bySource.delete(source);
  const facts = mergedFacts(before.facts, change.applied.facts);
  const exceptions = facts.exceptions.without(new Set(change.removed));
  return Snapshot.of(catalogue, [...bySource.values()], { ...facts, exceptions });
}

/** Returns the removals that name no policy: neither of the snapshot nor of the change. */
export function unknownRemovals(before: Snapshot, { applied, removed }: PolicyChange): readonly string[] {
  const known = new Set([...before.policies, ...applied.policies].map(({ source }) => source));
  return removed.filter((source) => !known.has(source));
}
