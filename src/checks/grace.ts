import { member } from '../probes/json.ts';
import { isPresent } from './checked-probe.ts';
import type { CheckedProbe } from './checked-probe.ts';
import type { CheckedWorkload } from './check.ts';

/**
 * The API server's default for a Pod's terminationGracePeriodSeconds (pkg/apis/core/v1/defaults.go,
 * SetDefaults_PodSpec).
 */
const DEFAULT_GRACE_SECONDS = 30;

/** The Pod's grace period; undefined when it is malformed. */
export function podGraceSeconds(workload: CheckedWorkload): number | undefined {
  const value = member(workload.podSpec, 'terminationGracePeriodSeconds');
  if (!isPresent(value)) return DEFAULT_GRACE_SECONDS;
  return isSeconds(value) ? value : undefined;
}

/** The probe's own grace period: a number, 'absent' when the Pod's counts, undefined when it is malformed. */
export function probeGraceSeconds(probe: CheckedProbe): number | 'absent' | undefined {
  const value = member(probe.spec, 'terminationGracePeriodSeconds');
  if (!isPresent(value)) return 'absent';
  return isSeconds(value) && value > 0 ? value : undefined;
}

/** An int64: beyond 2^53 JSON numbers are rounded, but they are no less large. */
function isSeconds(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}
