import { builtInPolicy } from '../../engine/policy/check-policy.ts';
import { policyTier, type PolicyTier } from '../../engine/policy/policy-set.ts';
import { exceptionSource, mergedFacts, NO_FACTS, type Facts } from '../../engine/facts/facts.ts';
import { ByNamespace } from '../../engine/facts/by-namespace.ts';
import { Snapshot } from '../../engine/facts/snapshot.ts';
import { CHECK_CATALOGUE } from '../../engine/checks/catalogue.ts';
import type { ProbeException } from '../../engine/policy/probe-exception.ts';
import type { ProbePolicy } from '../../engine/policy/probe-policy.ts';
import type { PolicySnapshot } from './policy-source.ts';

/** Where policies may come from, the lowest tier first. */
const POLICY_ORIGINS = ['files', 'cluster'] as const;
export type PolicyOrigin = (typeof POLICY_ORIGINS)[number];

/**
 * Holds the snapshot in force. Policies are compiled once per change; a request reads a field. There is none before
 * the first snapshot of every origin: unknown policies must not be taken for no policies.
 */
export class PolicyStore {
  readonly #builtIn = builtInPolicy(CHECK_CATALOGUE);
  /** By origin, the lowest tier first; undefined until the first snapshot. */
  readonly #given: Map<PolicyOrigin, (PolicySnapshot & { readonly tier: PolicyTier }) | undefined>;
  #current: Snapshot | undefined;
  readonly #listeners: (() => void)[] = [];

  constructor(origins: readonly PolicyOrigin[]) {
    const known = POLICY_ORIGINS.filter((origin) => origins.includes(origin));
    this.#given = new Map(known.map((origin) => [origin, undefined]));
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  get current(): Snapshot | undefined {
    return this.#current;
  }

  /** Puts a snapshot in force. With the same array of policies as before, only the facts are new. */
  replace(origin: PolicyOrigin, { policies, facts }: PolicySnapshot): void {
    if (!this.#given.has(origin)) throw new Error(`this store knows no ${origin}`);
    const before = this.#given.get(origin);
    const isSame = before?.policies === policies;
    const tier = isSame ? before.tier : policyTier(policies);
    this.#given.set(origin, { policies, facts, tier });
    const given = [...this.#given.values()].filter((found) => found !== undefined);
    if (given.length < this.#given.size) return;
    // A cluster knows its own namespaces, so labels from files count only without a cluster.
    const known = given.reduce<Facts>(
      (below, { facts: above }) => ({ ...mergedFacts(below, above), namespaceLabels: above.namespaceLabels }),
      NO_FACTS,
    );
    this.#current = (isSame && this.#current?.withFacts(known)) || this.#snapshot(origin, tier, known);
    for (const listener of this.#listeners) listener();
  }

  /** The policies of all origins, with these ones for one of them. */
  #snapshot(replaced: PolicyOrigin, tier: PolicyTier, facts: Facts): Snapshot {
    const tiers = [...this.#given].flatMap(([origin, given]) => (origin === replaced ? tier : (given?.tier ?? [])));
    return new Snapshot(this.#builtIn, tiers, facts);
  }

  /** The snapshot as it would be if a policy of the cluster was applied, or deleted (undefined). */
  preview(source: string, applied: ProbePolicy | undefined): Snapshot | undefined {
    const ofCluster = this.#given.get('cluster');
    if (this.#current === undefined || ofCluster === undefined) return undefined;
    const others = ofCluster.policies.filter((policy) => policy.source !== source);
    const tier = policyTier(applied === undefined ? others : [...others, applied]);
    return this.#snapshot('cluster', tier, this.#current.facts);
  }

  /** The snapshot as it would be if a ProbeException was applied, or deleted (undefined). */
  previewException(namespace: string, source: string, exception: ProbeException | undefined): Snapshot | undefined {
    const current = this.#current;
    if (current === undefined) return undefined;
    const others = current.facts.exceptions.filter((other, { name }) => exceptionSource(other, name) !== source);
    const exceptions =
      exception === undefined ? others : others.with(new ByNamespace(new Map([[namespace, [exception]]])));
    return current.withFacts({ ...current.facts, exceptions });
  }
}
