/** The rules of findings about live Pods, as reports and pages name them. No check has such a name. */
export const PROBE_FAILING_RULE = 'probe-failing';
export const CONTAINER_FAILING_RULE = 'container-failing';
export const POD_FAILING_RULE = 'pod-failing';
export const MISSED_PODS_RULE = 'missed-pods';
const FAILING: readonly unknown[] = [PROBE_FAILING_RULE, CONTAINER_FAILING_RULE, POD_FAILING_RULE];
export const LIVE_RULES: readonly unknown[] = [...FAILING, MISSED_PODS_RULE];

/** True for a rule whose findings say that Pods fail now. */
export function isFailingRule(rule: string): boolean {
  return FAILING.includes(rule);
}
