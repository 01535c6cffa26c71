import { formatPath } from '../../base/json/field-path.ts';
import { startupBudget } from '../../engine/checks/startup-budget.ts';
import { laxer, stricter } from '../../engine/policy/action.ts';
import { policyAdvice } from '../../engine/verdict/policy-advice.ts';
import type { Violation } from '../../engine/checks/violation.ts';
import { placeOfPolicy } from '../../cluster/sources/policy-documents.ts';
import type { World } from '../input/world.ts';
import type { ProbePolicy } from '../../engine/policy/probe-policy.ts';
import type { PlacedViolation } from './report.ts';

interface PolicyFinding {
  readonly violation: Violation;
  readonly policy: ProbePolicy;
  readonly workloads: Set<string>;
  readonly onModelPod: boolean;
}

/**
 * The violations of injected probes, once for each policy, field and check, at the place of the field in the policy.
 * Policies are judged alone too, because their workloads may not be among the inputs. A policy is never denied for the
 * probes that it gives, so a finding is at most a warning.
 *
 * @param violations what was found in the workloads of the inputs
 */
export function policyFindings(world: World, violations: readonly PlacedViolation[]): PlacedViolation[] {
  const { policies } = world.snapshot;
  const findings = new Map<string, PolicyFinding>();
  const bySource = new Map(policies.map((policy) => [policy.source, policy]));
  const add = (violation: Violation, workload?: string): void => {
    const policy = bySource.get(violation.policy?.source ?? '');
    if (policy === undefined || violation.policy === undefined) return;
    const { action, path, lacking = path } = violation.policy;
    const key = JSON.stringify([policy.source, violation.check, formatPath(lacking)]);
    const known = findings.get(key);
    const workloads = known?.workloads ?? new Set();
    if (workload !== undefined) workloads.add(workload);
    // Of several workloads, the smallest message is shown: a snapshot has another order than its cluster, and the order
    // must not change a finding. A message about the model Pod stays.
    const isFirst = known === undefined || (!known.onModelPod && violation.message < known.violation.message);
    const shown = isFirst ? { ...violation, path } : known.violation;
    const strictest = stricter(known?.violation.action ?? action, action);
    const onModelPod = known?.onModelPod ?? workload === undefined;
    findings.set(key, { policy, workloads, onModelPod, violation: { ...shown, action: strictest } });
  };
  const houseRules = policies
    .filter(({ kind, namespaceSelector, workloadSelector }) => {
      return kind === 'ClusterProbePolicy' && namespaceSelector === undefined && workloadSelector === undefined;
    })
    .toSorted((a, b) => a.priority - b.priority || (a.name < b.name ? -1 : 1));
  for (const policy of policies) {
    const others = houseRules.filter((other) => other !== policy);
    for (const violation of policyAdvice(policy, others)) add(violation);
  }
  for (const violation of violations) {
    const { file, kind, namespace, name } = violation;
    add(violation, JSON.stringify([file, kind, namespace, name]));
  }
  return [...findings.values()].map((finding) => placed(finding, world));
}

function placed({ policy, violation, workloads }: PolicyFinding, world: World): PlacedViolation {
  const { check, container, probe, path, message } = violation;
  const remedy = violation.policy?.remedy;
  return {
    check,
    container,
    ...(probe !== undefined && { probe }),
    path,
    message,
    ...(remedy !== undefined && { remedy }),
    action: laxer(violation.action, 'Warn'),
    ...(placeOfPolicy(world.places, policy.source, path) ?? { file: policy.source, line: 1, column: 1 }),
    kind: policy.kind,
    namespace: policy.namespace ?? '',
    name: policy.name,
    // The advice about a short start has a bound of its own: a workload may get the probe without the finding.
    ...((workloads.size > 0 || check !== startupBudget.id) && { workloads: workloads.size }),
  };
}
