import { ContainerLayers, mergeLayers } from './container-policy.ts';
import { builtInPolicy, mergeOver, type CheckPolicy, type CheckPolicyByContainer } from './check-policy.ts';
import { selects, type Labels } from './label-selector.ts';
import { remembered } from './layer-cache.ts';
import type { StartFigures } from '../probe/startup-budget.ts';
import type { PortHints } from '../workload/port-protocol.ts';
import type { CheckCatalogue } from './check-catalogue.ts';
import type { PolicyLayer, ProbePolicy } from './probe-policy.ts';

/** The label that every namespace has since Kubernetes 1.21. Policies from files can rely on this label. */
export const NAMESPACE_NAME_LABEL = 'kubernetes.io/metadata.name';

/** The policy in force for one workload: layers, the lowest first, and what is merged of them. */
export interface WorkloadPolicy {
  readonly layers: readonly ProbePolicy[];
  readonly sources: readonly string[];
  readonly annotations: 'Allow' | 'Ignore';
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

/** The policies of one tier, sorted once by code units, as the API server lists them. */
export class PolicyTier {
  readonly policies: readonly ProbePolicy[];
  readonly cluster: readonly ProbePolicy[];
  readonly byNamespace: ReadonlyMap<string, readonly ProbePolicy[]>;
  readonly looksAtNamespaceLabels: boolean;

  constructor(policies: readonly ProbePolicy[]) {
    this.policies = policies;
    this.cluster = policies
      .filter((policy) => policy.kind === 'ClusterProbePolicy')
      .sort((a, b) => a.priority - b.priority || compare(a.name, b.name));
    const selecting = ({ workloadSelector }: ProbePolicy): number => Number(workloadSelector !== undefined);
    const namespaced = policies
      .filter(({ namespace }) => namespace !== undefined)
      .sort((a, b) => selecting(a) - selecting(b) || compare(a.name, b.name));
    this.byNamespace = Map.groupBy(namespaced, ({ namespace = '' }) => namespace);
    this.looksAtNamespaceLabels = this.cluster.some(({ namespaceSelector = [] }) =>
      namespaceSelector.some(({ key }) => key !== NAMESPACE_NAME_LABEL),
    );
  }
}

/**
 * Every policy in force, compiled once for many lookups. Policies come in tiers, lowest first: files, then the
 * cluster's own. All layers of a tier are below those of the next. Within a tier the layers are, lowest first:
 * ClusterProbePolicies whose namespaceSelector matches, by priority then name; the namespace's ProbePolicies without
 * workloadSelector, by name; those whose workloadSelector matches, by name. Two policies of one name in two tiers are
 * two layers.
 */
export class PolicySet {
  readonly policies: readonly ProbePolicy[];
  readonly tiers: readonly PolicyTier[];
  readonly #catalogue: CheckCatalogue;
  readonly #builtIn: CheckPolicy;
  readonly #candidates = new Map<string, Candidates>();
  readonly #byLayers = remembered(REMEMBERED_LISTS, (layers: readonly ProbePolicy[]) => this.#workloadPolicy(layers));
  readonly #checks = remembered(REMEMBERED_LISTS, (layers: readonly PolicyLayer[]) => mergeOver(this.#builtIn, layers));
  readonly #probes = remembered(REMEMBERED_LISTS, mergeLayers);
  #ofCluster: PolicySet | undefined;

  constructor(catalogue: CheckCatalogue, tiers: readonly PolicyTier[]) {
    this.#catalogue = catalogue;
    this.#builtIn = builtInPolicy(catalogue);
    this.policies = tiers.flatMap(({ policies }) => policies);
    this.tiers = tiers;
  }

  /** The ClusterProbePolicies alone, without what namespaces add. */
  get ofCluster(): PolicySet {
    this.#ofCluster ??= new PolicySet(
      this.#catalogue,
      this.tiers.map(({ cluster }) => new PolicyTier(cluster)),
    );
    return this.#ofCluster;
  }

  /** Some policy selects namespaces by a label other than the name: unknown labels may then give wrong policies. */
  get looksAtNamespaceLabels(): boolean {
    return this.tiers.some((tier) => tier.looksAtNamespaceLabels);
  }

  /**
   * The policy for a workload, by its namespace and its Pods' labels.
   *
   * @param namespaceLabels undefined when not known; the name is added. Candidates are remembered by the identity of
   *   the map.
   */
  policyFor(
    namespace: string,
    namespaceLabels: ReadonlyMap<string, string> | undefined,
    podLabels: Labels,
  ): WorkloadPolicy {
    const candidates = this.#candidatesFor(namespace, namespaceLabels);
    return this.#byLayers(candidates.filter(({ workloadSelector = [] }) => selects(workloadSelector, podLabels)));
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
        this.#checks(
          speaking.filter(({ containers }) => typeof containers === 'string' || containers.includes(container)),
        ),
      containerLayers: new ContainerLayers(layers, this.#probes),
    };
  }

  #candidatesFor(namespace: string, namespaceLabels: ReadonlyMap<string, string> | undefined): readonly ProbePolicy[] {
    const known = this.#candidates.get(namespace);
    if (known !== undefined && known.namespaceLabels === namespaceLabels) return known.policies;
    const labels = new Map(namespaceLabels).set(NAMESPACE_NAME_LABEL, namespace);
    const policies = this.tiers.flatMap(({ cluster, byNamespace }) => [
      ...cluster.filter(({ namespaceSelector = [] }) => selects(namespaceSelector, labels)),
      ...(byNamespace.get(namespace) ?? []),
    ]);
    if (this.#candidates.size >= REMEMBERED_NAMESPACES) this.#candidates.clear();
    this.#candidates.set(namespace, { namespaceLabels, policies });
    return policies;
  }
}

interface Candidates {
  readonly namespaceLabels: ReadonlyMap<string, string> | undefined;
  readonly policies: readonly ProbePolicy[];
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
