import { CHECK_CATALOGUE } from '../../engine/checks/catalogue.ts';
import { planOutput } from '../../cli/plan/formats.ts';
import { workloadsOf } from '../../cli/plan/workloads.ts';
import { planOf } from '../../engine/verdict/compare/plan.ts';
import { snapshotAfter, unknownRemovals } from '../../engine/verdict/compare/policy-change.ts';
import { engineInputs } from './engine-inputs.ts';
import { InvalidInputError } from './engine-options.ts';
import type { PlanOutput } from '../../cli/output/json-outputs.ts';
import type { EngineOptions, KubernetesObject, KubernetesObjects } from './engine-options.ts';

export interface PlanOptions extends EngineOptions {
  /** Policies and facts that are to be applied over `policies`, object by object, as `kubectl apply` does. */
  readonly apply?: readonly KubernetesObject[];
  /** Removals: `ProbePolicy/NAMESPACE/NAME`, `ProbeException/NAMESPACE/NAME` or `ClusterProbePolicy/NAME`. */
  readonly remove?: readonly string[];
}

/**
 * Computes what a change of policies does to workloads.
 *
 * @throws InvalidInputError when an argument cannot be used
 */
export function plan(objects: KubernetesObjects, options: PlanOptions = {}): PlanOutput {
  const { apply = [], remove = [], ...others } = options;
  const inputs = engineInputs(objects, others, apply);
  const { policies: before, newPolicies: applied } = inputs;
  const change = { applied, removed: remove };
  const unknown = unknownRemovals(before, change);
  if (unknown.length > 0)
    throw new InvalidInputError(unknown.map((source) => ({ place: 'remove', message: `there is no ${source}` })));
  const after = snapshotAfter(CHECK_CATALOGUE, before, change);
  const workloads = workloadsOf(inputs, () => []);
  return planOutput(planOf(workloads, before, after, inputs.now));
}
