import { CheckPolicies } from './check-policy.ts';
import { selects } from './label-selector.ts';
import type { CheckPolicyByContainer } from './check-policy.ts';
import type { Labels } from './label-selector.ts';
import type { ProbePolicy } from './probe-policy.ts';

/** Labels of namespaces, by namespace name. */
export type NamespaceLabels = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** The label that every namespace carries since Kubernetes 1.21, and that a file-based set can count on. */
export const NAMESPACE_NAME_LABEL = 'kubernetes.io/metadata.name';

/** What is in force for one workload: layers from the lowest to the highest, and whether its annotations count. */
export interface WorkloadPolicy {
  /** What the layers say about the checks of a container, by its name. */
  readonly checkPolicy: CheckPolicyByContainer;
  readonly layers: readonly ProbePolicy[];
  readonly annotations: 'Allow' | 'Ignore';
}

/** How many namespaces' candidates are kept ready; a caller that invents namespace names must not grow the memory. */
const REMEMBERED_NAMESPACES = 5000;

/**
 * The policies of one tier, sorted once. Lowest first: ClusterProbePolicies by priority then name; a namespace's ProbePolicies without
 * workloadSelector, by name; those with one, by name. Names are compared by code unit, as the API server lists them.
 */
export class PolicyTier {
  readonly policies: readonly ProbePolicy[];
  readonly cluster: readonly ProbePolicy[];
  readonly byNamespace: ReadonlyMap<string, readonly ProbePolicy[]>;
  /** Some policy looks at a label of namespaces other than their name. */
  readonly looksAtNamespaceLabels: boolean;

  constructor(policies: readonly ProbePolicy[]) {
    this.policies = policies;
    this.cluster = policies
      .filter((policy) => policy.kind === 'ClusterProbePolicy')
      .sort((a, b) => a.priority - b.priority || compare(a.name, b.name));
    const byNamespace = new Map<string, ProbePolicy[]>();
    for (const policy of policies) {
      if (policy.namespace === undefined) continue;
      const list = byNamespace.get(policy.namespace);
      if (list === undefined) byNamespace.set(policy.namespace, [policy]);
      else list.push(policy);
    }
    for (const list of byNamespace.values()) {
      list.sort(
        (a, b) =>
          Number(a.workloadSelector !== undefined) - Number(b.workloadSelector !== undefined) ||
          compare(a.name, b.name),
      );
    }
    this.byNamespace = byNamespace;
    this.looksAtNamespaceLabels = this.cluster.some(({ namespaceSelector = [] }) =>
      namespaceSelector.some(({ key }) => key !== NAMESPACE_NAME_LABEL),
    );
  }
}

/**
 * Every policy in force, compiled once for many lookups. Policies come in tiers, lowest first: files, then the cluster's own. All layers
 * of a tier are below those of the next, so that a cluster's ClusterProbePolicy is above a ProbePolicy from a file. Within a tier the
 * layers are, lowest first: ClusterProbePolicies whose namespaceSelector matches, by priority then name; the namespace's ProbePolicies
 * without workloadSelector, by name; those whose workloadSelector matches, by name. Two policies of one name in two tiers are two layers.
 */
export class PolicySet {
  readonly policies: readonly ProbePolicy[];
  readonly #tiers: readonly PolicyTier[];
  readonly #namespaceLabels: NamespaceLabels;
  readonly #candidates = new Map<string, Candidates>();
  readonly #checkPolicies = new CheckPolicies();
  #ofCluster: PolicySet | undefined;

  /** @param tiers the same policies, tier by tier; one tier when left out */
  constructor(
    policies: readonly ProbePolicy[],
    namespaceLabels: NamespaceLabels = new Map(),
    tiers: readonly PolicyTier[] = [new PolicyTier(policies)],
  ) {
    this.policies = policies;
    this.#namespaceLabels = namespaceLabels;
    this.#tiers = tiers;
  }

  /** The set of these tiers, the lowest first. */
  static ofTiers(tiers: readonly PolicyTier[], namespaceLabels: NamespaceLabels = new Map()): PolicySet {
    return new PolicySet(
      tiers.flatMap((tier) => tier.policies),
      namespaceLabels,
      tiers,
    );
  }

  /** The same policies for namespaces that are labelled otherwise. Nothing is sorted again. */
  withNamespaceLabels(namespaceLabels: NamespaceLabels): PolicySet {
    return new PolicySet(this.policies, namespaceLabels, this.#tiers);
  }

  /** The ClusterProbePolicies alone: what the platform says, whatever namespaces add. */
  get ofCluster(): PolicySet {
    this.#ofCluster ??= PolicySet.ofTiers(
      this.#tiers.map(({ cluster }) => new PolicyTier(cluster)),
      this.#namespaceLabels,
    );
    return this.#ofCluster;
  }

  /** Some policy looks at a label of namespaces other than their name: a namespace whose labels are unknown may get the wrong ones. */
  get looksAtNamespaceLabels(): boolean {
    return this.#tiers.some((tier) => tier.looksAtNamespaceLabels);
  }

  /** The policy for a workload, by its namespace and its Pods' labels. */
  policyFor(namespace: string, podLabels: Labels): WorkloadPolicy {
    const candidates = this.#candidatesFor(namespace);
    if (!candidates.dependOnWorkload) return candidates.all;
    return this.#workloadPolicy(
      candidates.policies.filter(
        (policy) => policy.workloadSelector === undefined || selects(policy.workloadSelector, podLabels),
      ),
    );
  }

  /** The highest policy that speaks of annotations decides on them, as with every other field. */
  #workloadPolicy(layers: readonly ProbePolicy[]): WorkloadPolicy {
    const annotations = layers.findLast((policy) => policy.annotations !== undefined)?.annotations ?? 'Allow';
    let known: CheckPolicyByContainer | undefined;
    const checkPolicy: CheckPolicyByContainer = (container) =>
      (known ??= this.#checkPolicies.forLayers(layers))(container);
    return { layers, annotations, checkPolicy };
  }

  #candidatesFor(namespace: string): Candidates {
    const known = this.#candidates.get(namespace);
    if (known !== undefined) return known;
    const labels = new Map(this.#namespaceLabels.get(namespace)).set(NAMESPACE_NAME_LABEL, namespace);
    const policies = this.#tiers.flatMap(({ cluster, byNamespace }) => [
      ...cluster.filter(
        (policy) => policy.namespaceSelector === undefined || selects(policy.namespaceSelector, labels),
      ),
      ...(byNamespace.get(namespace) ?? []),
    ]);
    const dependOnWorkload = policies.some((policy) => policy.workloadSelector !== undefined);
    const candidates = { policies, dependOnWorkload, all: this.#workloadPolicy(policies) };
    if (this.#candidates.size >= REMEMBERED_NAMESPACES) this.#candidates.clear();
    this.#candidates.set(namespace, candidates);
    return candidates;
  }
}

/** The policies that can matter in a namespace, in order; `all` answers at once when no workload selector is among them. */
interface Candidates {
  readonly policies: readonly ProbePolicy[];
  readonly dependOnWorkload: boolean;
  readonly all: WorkloadPolicy;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
