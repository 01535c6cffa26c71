import { builtInPolicy, mergeOver, type CheckPolicy, type CheckPolicyByContainer } from './check-policy.ts';
import { selects, type Labels } from './label-selector.ts';
import type { StartFigures } from '../probe/startup-budget.ts';
import type { PortHints } from '../workload/port-protocol.ts';
import type { CheckCatalogue } from './check-catalogue.ts';
import type { ProbePolicy } from './probe-policy.ts';

/** The label that every namespace has since Kubernetes 1.21. Policies from files can rely on this label. */
export const NAMESPACE_NAME_LABEL = 'kubernetes.io/metadata.name';

/** The policy in force for one workload: layers, the lowest first, and what is merged of them. */
export interface WorkloadPolicy {
  readonly layers: readonly ProbePolicy[];
  readonly sources: readonly string[];
  readonly annotations: 'Allow' | 'Ignore';
  /** The merged settings of the checks for a container, by the container's name. */
  readonly checkPolicy: CheckPolicyByContainer;
  /** The known past starts of the workload's containers, by name. Absent when there are none. */
  readonly starts?: (container: string) => StartFigures | undefined;
  /** What the Services that select the workload's Pods say about their ports. Absent when no Service is known. */
  readonly portHints?: PortHints;
}

/** The policies of one tier, sorted once by code units, as the API server lists them. */
export class PolicyTier {
  readonly policies: readonly ProbePolicy[];
  readonly cluster: readonly ProbePolicy[];
  readonly byNamespace: ReadonlyMap<string, readonly ProbePolicy[]>;

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
  /** Some policy selects namespaces by a label other than the name: unknown labels may then give wrong policies. */
  readonly looksAtNamespaceLabels: boolean;
  #ofCluster: PolicySet | undefined;

  constructor(catalogue: CheckCatalogue, tiers: readonly PolicyTier[]) {
    this.#catalogue = catalogue;
    this.#builtIn = builtInPolicy(catalogue);
    this.policies = tiers.flatMap(({ policies }) => policies);
    this.tiers = tiers;
    this.looksAtNamespaceLabels = this.policies.some(({ namespaceSelector = [] }) =>
      namespaceSelector.some(({ key }) => key !== NAMESPACE_NAME_LABEL),
    );
  }

  /** The ClusterProbePolicies alone, made once: updates of a floored object ask for it. */
  get ofCluster(): PolicySet {
    const tiers = (): PolicyTier[] => this.tiers.map(({ cluster }) => new PolicyTier(cluster));
    return (this.#ofCluster ??= new PolicySet(this.#catalogue, tiers()));
  }

  /**
   * The policy for a workload, by its namespace and its Pods' labels.
   *
   * @param namespaceLabels undefined when not known; the name is added
   */
  policyFor(
    namespace: string,
    namespaceLabels: ReadonlyMap<string, string> | undefined,
    podLabels: Labels,
  ): WorkloadPolicy {
    const labels = new Map(namespaceLabels).set(NAMESPACE_NAME_LABEL, namespace);
    const layers = this.tiers
      .flatMap(({ cluster, byNamespace }) => [
        ...cluster.filter(({ namespaceSelector = [] }) => selects(namespaceSelector, labels)),
        ...(byNamespace.get(namespace) ?? []),
      ])
      .filter(({ workloadSelector = [] }) => selects(workloadSelector, podLabels));
    return {
      layers,
      sources: [...new Set(layers.map(({ source }) => source))],
      // The highest policy with the field decides, as with every other field.
      annotations: layers.findLast(({ annotations }) => annotations !== undefined)?.annotations ?? 'Allow',
      checkPolicy: this.#checkPolicy(layers.filter(({ checks }) => checks.size > 0)),
    };
  }

  /** Containers that no layer names share one merged policy: a Pod may have hundreds. */
  #checkPolicy(layers: readonly ProbePolicy[]): CheckPolicyByContainer {
    const named = new Set(layers.flatMap(({ containers }) => (typeof containers === 'string' ? [] : containers)));
    const merged = new Map<string, CheckPolicy>();
    return (container) => {
      const key = named.has(container) ? container : '';
      const policy =
        merged.get(key) ??
        mergeOver(
          this.#builtIn,
          layers.filter(({ containers }) => typeof containers === 'string' || containers.includes(container)),
        );
      merged.set(key, policy);
      return policy;
    };
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
