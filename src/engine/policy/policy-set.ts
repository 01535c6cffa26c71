import { CheckPolicies } from './check-policy.ts';
import { selects } from './label-selector.ts';
import { LayerNumbers } from './layer-numbers.ts';
import { RecentPolicies } from './recent-policies.ts';
import { RememberedContainerLayers } from './remembered-container-layers.ts';
import type { StartFigures } from '../probe/learned-budget.ts';
import type { CheckCatalogue } from './check-catalogue.ts';
import type { CheckPolicyByContainer } from './check-policy.ts';
import type { PortHints } from '../workload/port-protocol.ts';
import type { ContainerLayers } from './container-layers.ts';
import type { Labels } from './label-selector.ts';
import type { ProbePolicy } from './probe-policy.ts';

/** The label that every namespace has since Kubernetes 1.21. Policies from files can rely on this label. */
export const NAMESPACE_NAME_LABEL = 'kubernetes.io/metadata.name';

/**
 * The policy in force for one workload: layers from the lowest to the highest, and whether the workload's annotations
 * count.
 */
export interface WorkloadPolicy {
  /** The merged settings of the checks for a container, by the container's name. */
  readonly checkPolicy: CheckPolicyByContainer;
  /** Returns what the layers give to each container. Workloads with the same layers share the answer. */
  readonly containerLayers: () => ContainerLayers;
  readonly layers: readonly ProbePolicy[];
  readonly annotations: 'Allow' | 'Ignore';
  /** The known past starts of the workload's containers, by name. Absent when there are none. */
  readonly starts?: (container: string) => StartFigures | undefined;
  /** What the Services that select the workload's Pods say about their ports. Absent when no Service is known. */
  readonly portHints?: PortHints;
}

/** The number of namespaces in the cache. The cache has a limit because callers can invent namespace names. */
const REMEMBERED_NAMESPACES = 5000;

/**
 * The policies of one tier, sorted once. Lowest first: ClusterProbePolicies by priority then name; a namespace's
 * ProbePolicies without workloadSelector, by name; those with one, by name. Names are compared by code unit, as the API
 * server lists them.
 */
export class PolicyTier {
  readonly policies: readonly ProbePolicy[];
  readonly cluster: readonly ProbePolicy[];
  readonly byNamespace: ReadonlyMap<string, readonly ProbePolicy[]>;
  /** Some policy selects namespaces by a label other than the name. */
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
 * Every policy in force, compiled once for many lookups. Policies come in tiers, lowest first: files, then the
 * cluster's own. All layers of a tier are below those of the next, so that a cluster's ClusterProbePolicy is above a
 * ProbePolicy from a file. Within a tier the layers are, lowest first: ClusterProbePolicies whose namespaceSelector
 * matches, by priority then name; the namespace's ProbePolicies without workloadSelector, by name; those whose
 * workloadSelector matches, by name. Two policies of one name in two tiers are two layers.
 */
export class PolicySet {
  readonly policies: readonly ProbePolicy[];
  readonly #tiers: readonly PolicyTier[];
  readonly #candidates = new Map<string, Candidates>();
  readonly #catalogue: CheckCatalogue;
  readonly #checkPolicies: CheckPolicies;
  readonly #containerLayers: RememberedContainerLayers;
  readonly #recent = new RecentPolicies<WorkloadPolicy>();
  #ofCluster: PolicySet | undefined;

  /**
   * @param catalogue the checks that there are
   * @param tiers the same policies, tier by tier; one tier when left out
   */
  constructor(
    catalogue: CheckCatalogue,
    policies: readonly ProbePolicy[],
    tiers: readonly PolicyTier[] = [new PolicyTier(policies)],
  ) {
    this.#catalogue = catalogue;
    const numbers = new LayerNumbers();
    this.#checkPolicies = new CheckPolicies(catalogue, numbers);
    this.#containerLayers = new RememberedContainerLayers(numbers);
    this.policies = policies;
    this.#tiers = tiers;
  }

  /** The set of these tiers, the lowest first. */
  static ofTiers(catalogue: CheckCatalogue, tiers: readonly PolicyTier[]): PolicySet {
    return new PolicySet(
      catalogue,
      tiers.flatMap((tier) => tier.policies),
      tiers,
    );
  }

  /** The tiers, the lowest first. */
  get tiers(): readonly PolicyTier[] {
    return this.#tiers;
  }

  /** The ClusterProbePolicies alone, without what namespaces add. */
  get ofCluster(): PolicySet {
    this.#ofCluster ??= PolicySet.ofTiers(
      this.#catalogue,
      this.#tiers.map(({ cluster }) => new PolicyTier(cluster)),
    );
    return this.#ofCluster;
  }

  /**
   * Some policy selects namespaces by a label other than the name. A namespace with unknown labels may then get the
   * wrong policies.
   */
  get looksAtNamespaceLabels(): boolean {
    return this.#tiers.some((tier) => tier.looksAtNamespaceLabels);
  }

  /**
   * The policy for a workload, by its namespace and its Pods' labels.
   *
   * @param namespaceLabels undefined when they are not known; the label of the name is added. The same labels are to be
   *   the same map, as candidates are remembered for it.
   */
  policyFor(
    namespace: string,
    namespaceLabels: ReadonlyMap<string, string> | undefined,
    podLabels: Labels,
  ): WorkloadPolicy {
    const candidates = this.#candidatesFor(namespace, namespaceLabels);
    if (!candidates.dependOnWorkload) return candidates.all;
    const layers = candidates.policies.filter(
      (policy) => policy.workloadSelector === undefined || selects(policy.workloadSelector, podLabels),
    );
    return this.#recent.ofLayers(layers, (list) => this.#workloadPolicy(list));
  }

  /** The highest policy with the field `annotations` decides, as with every other field. */
  #workloadPolicy(layers: readonly ProbePolicy[]): WorkloadPolicy {
    const annotations = layers.findLast((policy) => policy.annotations !== undefined)?.annotations ?? 'Allow';
    let known: CheckPolicyByContainer | undefined;
    const checkPolicy: CheckPolicyByContainer = (container) =>
      (known ??= this.#checkPolicies.forLayers(layers))(container);
    return { layers, annotations, checkPolicy, containerLayers: () => this.#containerLayers.forLayers(layers) };
  }

  #candidatesFor(namespace: string, namespaceLabels: ReadonlyMap<string, string> | undefined): Candidates {
    const known = this.#candidates.get(namespace);
    if (known !== undefined && known.namespaceLabels === namespaceLabels) return known;
    const labels = new Map(namespaceLabels).set(NAMESPACE_NAME_LABEL, namespace);
    const policies = this.#tiers.flatMap(({ cluster, byNamespace }) => [
      ...cluster.filter(
        (policy) => policy.namespaceSelector === undefined || selects(policy.namespaceSelector, labels),
      ),
      ...(byNamespace.get(namespace) ?? []),
    ]);
    const dependOnWorkload = policies.some((policy) => policy.workloadSelector !== undefined);
    const candidates = { namespaceLabels, policies, dependOnWorkload, all: this.#workloadPolicy(policies) };
    if (this.#candidates.size >= REMEMBERED_NAMESPACES) this.#candidates.clear();
    this.#candidates.set(namespace, candidates);
    return candidates;
  }
}

/**
 * The policies that can apply in a namespace, in order. `all` is the answer when none of them has a workload selector.
 */
interface Candidates {
  /** The labels by which the policies were selected. */
  readonly namespaceLabels: ReadonlyMap<string, string> | undefined;
  readonly policies: readonly ProbePolicy[];
  readonly dependOnWorkload: boolean;
  readonly all: WorkloadPolicy;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
