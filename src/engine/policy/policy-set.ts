import { ContainerLayers, mergeLayers, type ContainerPolicy } from './container-policy.ts';
import { builtInPolicy, mergeOver, type CheckPolicy, type CheckPolicyByContainer } from './check-policy.ts';
import { selects, type Labels } from './label-selector.ts';
import { LayerCache } from './layer-cache.ts';
import type { StartFigures } from '../probe/startup-budget.ts';
import type { PortHints } from '../workload/port-protocol.ts';
import type { CheckCatalogue } from './check-catalogue.ts';
import type { PolicyLayer, ProbePolicy } from './probe-policy.ts';

/** The label that every namespace has since Kubernetes 1.21. Policies from files can rely on this label. */
export const NAMESPACE_NAME_LABEL = 'kubernetes.io/metadata.name';

/**
 * The policy in force for one workload: layers from the lowest to the highest, and whether the workload's annotations
 * count.
 */
export interface WorkloadPolicy {
  readonly layers: readonly ProbePolicy[];
  /** The sources of the layers without repetitions, lowest first. */
  readonly sources: readonly string[];
  readonly annotations: 'Allow' | 'Ignore';
  /** Some layer sets the floor Deny for a check. */
  readonly hasDenyFloor: boolean;
  /** The merged settings of the checks for a container, by the container's name. */
  readonly checkPolicy: CheckPolicyByContainer;
  readonly containerLayers: ContainerLayers;
  /** The known past starts of the workload's containers, by name. Absent when there are none. */
  readonly starts?: (container: string) => StartFigures | undefined;
  /** What the Services that select the workload's Pods say about their ports. Absent when no Service is known. */
  readonly portHints?: PortHints;
}

/** Limits of the caches: lists of layers, each with what is made of it. A merged policy takes some 10 KiB. */
const REMEMBERED_LISTS = 400;
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
    const namespaced = policies
      .filter(({ namespace }) => namespace !== undefined)
      .sort(
        (a, b) =>
          Number(a.workloadSelector !== undefined) - Number(b.workloadSelector !== undefined) ||
          compare(a.name, b.name),
      );
    this.byNamespace = Map.groupBy(namespaced, ({ namespace = '' }) => namespace);
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
  /** The lowest first. */
  readonly tiers: readonly PolicyTier[];
  readonly #catalogue: CheckCatalogue;
  readonly #builtIn: CheckPolicy;
  readonly #candidates = new Map<string, Candidates>();
  readonly #byLayers = new LayerCache(REMEMBERED_LISTS, (layers: readonly ProbePolicy[]) =>
    this.#workloadPolicy(layers),
  );
  readonly #checks = new LayerCache(REMEMBERED_LISTS, (layers: readonly PolicyLayer[]): CheckPolicy =>
    mergeOver(this.#builtIn, layers),
  );
  readonly #probes = new LayerCache<PolicyLayer, ContainerPolicy>(REMEMBERED_LISTS, mergeLayers);
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
    this.#builtIn = builtInPolicy(catalogue);
    this.policies = policies;
    this.tiers = tiers;
  }

  static ofTiers(catalogue: CheckCatalogue, tiers: readonly PolicyTier[]): PolicySet {
    return new PolicySet(
      catalogue,
      tiers.flatMap((tier) => tier.policies),
      tiers,
    );
  }

  /** The ClusterProbePolicies alone, without what namespaces add. */
  get ofCluster(): PolicySet {
    this.#ofCluster ??= PolicySet.ofTiers(
      this.#catalogue,
      this.tiers.map(({ cluster }) => new PolicyTier(cluster)),
    );
    return this.#ofCluster;
  }

  /**
   * Some policy selects namespaces by a label other than the name. A namespace with unknown labels may then get the
   * wrong policies.
   */
  get looksAtNamespaceLabels(): boolean {
    return this.tiers.some((tier) => tier.looksAtNamespaceLabels);
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
    const layers = candidates.filter(
      ({ workloadSelector }) => workloadSelector === undefined || selects(workloadSelector, podLabels),
    );
    return this.#byLayers.of(layers);
  }

  /** The highest policy with the field `annotations` decides, as with every other field. */
  #workloadPolicy(layers: readonly ProbePolicy[]): WorkloadPolicy {
    const speaking = layers.filter(({ checks }) => checks.size > 0);
    return {
      layers,
      sources: [...new Set(layers.map(({ source }) => source))],
      annotations: layers.findLast(({ annotations }) => annotations !== undefined)?.annotations ?? 'Allow',
      hasDenyFloor: speaking.some(({ checks }) => [...checks.values()].some(({ floor }) => floor === 'Deny')),
      checkPolicy: (container) =>
        this.#checks.of(
          speaking.filter(({ containers }) => typeof containers === 'string' || containers.includes(container)),
        ),
      containerLayers: new ContainerLayers(layers, (list) => this.#probes.of(list)),
    };
  }

  #candidatesFor(namespace: string, namespaceLabels: ReadonlyMap<string, string> | undefined): readonly ProbePolicy[] {
    const known = this.#candidates.get(namespace);
    if (known !== undefined && known.namespaceLabels === namespaceLabels) return known.policies;
    const labels = new Map(namespaceLabels).set(NAMESPACE_NAME_LABEL, namespace);
    const policies = this.tiers.flatMap(({ cluster, byNamespace }) => [
      ...cluster.filter(
        (policy) => policy.namespaceSelector === undefined || selects(policy.namespaceSelector, labels),
      ),
      ...(byNamespace.get(namespace) ?? []),
    ]);
    if (this.#candidates.size >= REMEMBERED_NAMESPACES) this.#candidates.clear();
    this.#candidates.set(namespace, { namespaceLabels, policies });
    return policies;
  }
}

interface Candidates {
  /** The labels by which the policies were selected. */
  readonly namespaceLabels: ReadonlyMap<string, string> | undefined;
  readonly policies: readonly ProbePolicy[];
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
