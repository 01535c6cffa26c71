import { exceptionSource, mergedFacts } from '../../facts/facts.ts';
import type { Snapshot } from '../../facts/snapshot.ts';
import { policyTier } from '../../policy/policy-set.ts';

export interface PolicyChange {
  readonly applied: Snapshot;
  /** Policies and exceptions as `KIND/NAMESPACE/NAME`, cluster policies as `KIND/NAME`. They are deleted last. */
  readonly removed: readonly string[];
}

/**
 * The snapshot after a change, object by object as `kubectl apply` does: an object replaces the one of the same kind,
 * namespace and name, and a Namespace replaces its labels. Everything else stays.
 */
export function snapshotAfter(before: Snapshot, change: PolicyChange): Snapshot {
  // An object of a cluster is in the highest tier. The tiers below hold files, and a file is not applied over.
  const highest = new Map((before.tiers.at(-1)?.policies ?? []).map((policy) => [policy.source, policy]));
  const removed = new Set(change.removed.filter((source) => !highest.has(source)));
  for (const policy of change.applied.policies) highest.set(policy.source, policy);
  for (const source of change.removed) highest.delete(source);
  const lower = before.tiers
    .slice(0, -1)
    .map(({ policies }) => policyTier(policies.filter(({ source }) => !removed.has(source))));
  const facts = mergedFacts(before.facts, change.applied.facts);
  return before.with([...lower, policyTier([...highest.values()])], {
    ...facts,
    exceptions: facts.exceptions.filter(
      (namespace, { name }) => !change.removed.includes(exceptionSource(namespace, name)),
    ),
  });
}

export function knownSources(...snapshots: readonly Snapshot[]): readonly string[] {
  return snapshots.flatMap(({ policies, facts }) => [
    ...policies.map(({ source }) => source),
    ...[...facts.exceptions.lists].flatMap(([namespace, exceptions]) =>
      exceptions.map(({ name }) => exceptionSource(namespace, name)),
    ),
  ]);
}

/** Returns the removals that name neither a policy nor an exception of the snapshot and the change. */
export function unknownRemovals(before: Snapshot, { applied, removed }: PolicyChange): readonly string[] {
  const known = new Set(knownSources(before, applied));
  return removed.filter((source) => !known.has(source));
}
