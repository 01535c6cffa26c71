import { PolicySet, PolicyTier } from '../policy/policy-set.ts';
import type { PolicySnapshot } from './policy-source.ts';

/** Where policies may come from, the lowest tier first. */
export const POLICY_ORIGINS = ['files', 'cluster'] as const;
export type PolicyOrigin = (typeof POLICY_ORIGINS)[number];

/**
 * Holds the policies in force. Compiled once per change, and only what changed; a request reads a field. Undefined until every origin has
 * given its first snapshot: "not yet known" must not be mistaken for "no policy".
 */
export class PolicyStore {
  readonly #origins: readonly PolicyOrigin[];
  readonly #given = new Map<PolicyOrigin, PolicySnapshot & { readonly tier: PolicyTier }>();
  #current: PolicySet | undefined;

  /** @param origins those that there are, in any order */
  constructor(origins: readonly PolicyOrigin[]) {
    this.#origins = POLICY_ORIGINS.filter((origin) => origins.includes(origin));
  }

  /** The policies in force, or undefined before the first snapshot of every origin. */
  get current(): PolicySet | undefined {
    return this.#current;
  }

  /**
   * Puts a snapshot in force, for every request that is decided from now on. One with the very array of policies of the snapshot before
   * brings new labels of namespaces only.
   */
  replace(origin: PolicyOrigin, { policies, namespaceLabels }: PolicySnapshot): void {
    if (!this.#origins.includes(origin)) throw new Error(`this store knows no ${origin}`);
    const before = this.#given.get(origin);
    const tier = before?.policies === policies ? before.tier : new PolicyTier(policies);
    this.#given.set(origin, { policies, namespaceLabels, tier });
    const given = this.#origins.map((known) => this.#given.get(known)).filter((found) => found !== undefined);
    if (given.length < this.#origins.length) return;
    // The highest origin knows namespaces best: a cluster its own, files what they say only where there is no cluster.
    const labels = given.at(-1)?.namespaceLabels;
    this.#current =
      this.#current !== undefined && tier === before?.tier
        ? this.#current.withNamespaceLabels(labels ?? new Map())
        : PolicySet.ofTiers(
            given.map((snapshot) => snapshot.tier),
            labels,
          );
  }
}
