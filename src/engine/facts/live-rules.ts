/** The rules of findings about live Pods, as reports and pages name them. No check has such a name. */
export const PROBE_FAILING_RULE = 'probe-failing';
export const CONTAINER_FAILING_RULE = 'container-failing';
export const MISSED_PODS_RULE = 'missed-pods';
export const LIVE_RULES: readonly unknown[] = [PROBE_FAILING_RULE, CONTAINER_FAILING_RULE, MISSED_PODS_RULE];

/** True for a rule whose findings say that Pods fail now. */
export function isFailingRule(rule: string): boolean {
  return rule === PROBE_FAILING_RULE || rule === CONTAINER_FAILING_RULE;
}
