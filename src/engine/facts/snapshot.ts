import { PolicySet, PolicyTier, type WorkloadPolicy } from '../policy/policy-set.ts';
import { NO_FACTS, type Facts } from './facts.ts';
import { startsOfContainer, startsOfWorkload } from './startup-profile.ts';
import { portHintsOf } from './services.ts';
import type { WorkloadName } from '../workload/workload-of-pod.ts';
import type { CheckCatalogue } from '../policy/check-catalogue.ts';
import type { Labels } from '../policy/label-selector.ts';
import type { ProbePolicy } from '../policy/probe-policy.ts';

/** The policies in force and the facts, at one moment. A decision depends on the snapshot and the request only. */
export class Snapshot {
  readonly set: PolicySet;
  readonly facts: Facts;

  constructor(set: PolicySet, facts: Facts = NO_FACTS) {
    this.set = set;
    this.facts = facts;
  }

  /** The snapshot of policies of one tier. */
  static of(catalogue: CheckCatalogue, policies: readonly ProbePolicy[], facts: Facts = NO_FACTS): Snapshot {
    return new Snapshot(new PolicySet(catalogue, [new PolicyTier(policies)]), facts);
  }

  /** Returns the same policies with other facts. No policy is compiled again. */
  withFacts(facts: Facts): Snapshot {
    return new Snapshot(this.set, facts);
  }

  get ofCluster(): Snapshot {
    return new Snapshot(this.set.ofCluster, this.facts);
  }

  /**
   * The policy for a workload.
   *
   * @param workload the workload whose start times count; undefined when it is not known which workload a Pod has
   */
  policyFor(namespace: string, podLabels: Labels, workload?: WorkloadName): WorkloadPolicy {
    const policy = this.set.policyFor(namespace, this.facts.namespaceLabels.get(namespace), podLabels);
    const known = workload && startsOfWorkload(this.facts.starts, namespace, workload);
    const services = this.facts.services?.ofNamespace(namespace) ?? [];
    if (known === undefined && services.length === 0) return policy;
    return {
      ...policy,
      ...(known && { starts: (container) => startsOfContainer(known, container) }),
      ...(services.length > 0 && { portHints: portHintsOf(services, podLabels) }),
    };
  }
}
