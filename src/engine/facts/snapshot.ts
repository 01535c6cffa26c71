import {
  builtInPolicy,
  checksByContainer,
  type CheckPolicy,
  type CheckPolicyByContainer,
} from '../policy/check-policy.ts';
import { oncePerLayers } from '../policy/container-policy.ts';
import { selects, type Labels } from '../policy/label-selector.ts';
import { NAMESPACE_NAME_LABEL, policyTier, type PolicyTier, type WorkloadPolicy } from '../policy/policy-set.ts';
import { NO_FACTS, type Facts } from './facts.ts';
import { startsOfContainer, startsOfImage, startsOfWorkload } from './startup-profile.ts';
import { servicesOfPod } from './services.ts';
import type { WorkloadName } from '../workload/workload-of-pod.ts';
import type { CheckCatalogue } from '../policy/check-parameters.ts';
import type { ProbePolicy } from '../policy/probe-policy.ts';

/**
 * The policies in force and the facts, at one moment. A decision depends on the snapshot and the request only. Policies
 * come in tiers, lowest first: files, then the cluster's own. All layers of a tier are below those of the next. Two
 * policies of one name in two tiers are two layers.
 */
export class Snapshot {
  readonly tiers: readonly PolicyTier[];
  readonly facts: Facts;
  readonly #builtIn: CheckPolicy;
  #leftOut: ((snapshot: Snapshot, namespace: string) => WorkloadPolicy['leftOut']) | undefined;
  readonly #checksOf: (layers: readonly ProbePolicy[]) => CheckPolicyByContainer;

  /**
   * @param builtIn the settings of the checks below all policies
   * @param isOfOneReview merges the same layers once. For longer than a review, that would keep all merged settings
   */
  constructor(builtIn: CheckPolicy, tiers: readonly PolicyTier[], facts: Facts = NO_FACTS, isOfOneReview = false) {
    this.#builtIn = builtIn;
    this.tiers = tiers;
    this.facts = facts;
    const checksOf = (layers: readonly ProbePolicy[]) => checksByContainer(builtIn, layers);
    this.#checksOf = isOfOneReview ? oncePerLayers(checksOf) : checksOf;
  }

  get policies(): readonly ProbePolicy[] {
    return this.tiers.flatMap(({ policies }) => policies);
  }

  /** Some policy selects namespaces by a label other than the name: unknown labels may then give wrong policies. */
  get looksAtNamespaceLabels(): boolean {
    return this.tiers.some(({ cluster }) =>
      cluster.some(({ namespaceSelector = [] }) => namespaceSelector.some(({ key }) => key !== NAMESPACE_NAME_LABEL)),
    );
  }

  /** The snapshot of policies of one tier. */
  static of(catalogue: CheckCatalogue, policies: readonly ProbePolicy[], facts?: Facts): Snapshot {
    return new Snapshot(builtInPolicy(catalogue), [policyTier(policies)], facts);
  }

  withFacts(facts: Facts): Snapshot {
    return this.with(this.tiers, facts);
  }

  /** @param leftOut what the tier that injects leaves out in a namespace */
  with(tiers: readonly PolicyTier[], facts: Facts, leftOut = this.#leftOut): Snapshot {
    const made = new Snapshot(this.#builtIn, tiers, facts);
    made.#leftOut = leftOut;
    return made;
  }

  forOneReview(): Snapshot {
    return new Snapshot(this.#builtIn, this.tiers, this.facts, true);
  }

  /** The ClusterProbePolicies alone. */
  get ofCluster(): Snapshot {
    const tiers = this.tiers.map(({ cluster }) => ({ policies: cluster, cluster, byNamespace: new Map() }));
    return this.with(tiers, this.facts);
  }

  /**
   * The policy for a workload: the ClusterProbePolicies that select the namespace's labels, then the namespace's
   * ProbePolicies, tier by tier.
   *
   * @param workload the workload whose start times count; undefined when it is not known which workload a Pod has
   */
  policyFor(namespace: string, podLabels: Labels, workload?: WorkloadName): WorkloadPolicy {
    const labels = new Map(this.facts.namespaceLabels.get(namespace)).set(NAMESPACE_NAME_LABEL, namespace);
    const layers = this.tiers
      .flatMap(({ cluster, byNamespace }) => [
        ...cluster.filter(({ namespaceSelector = [] }) => selects(namespaceSelector, labels)),
        ...(byNamespace.get(namespace) ?? []),
      ])
      .filter(({ workloadSelector = [] }) => selects(workloadSelector, podLabels));
    const known = workload && startsOfWorkload(this.facts.starts, namespace, workload);
    return {
      layers,
      sources: [...new Set(layers.map(({ source }) => source))],
      // The highest policy with the field decides, as with every other field.
      annotations: layers.findLast(({ annotations }) => annotations !== undefined)?.annotations ?? 'Allow',
      checkPolicy: this.#checksOf(layers),
      ...(known && {
        starts: (name, image) => {
          const container = startsOfContainer(known, name);
          return container && startsOfImage(container, image);
        },
      }),
      services: servicesOfPod(this.facts.services?.ofNamespace(namespace) ?? [], podLabels),
      leftOut: this.#leftOut?.(this, namespace),
    };
  }
}
