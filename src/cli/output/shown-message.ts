import { count } from '../../text/count.ts';
import type { PlacedViolation } from '../check-report.ts';

/**
 * The message for people. A finding about a policy also says how many workloads get the probe. The number is no part of
 * the finding itself, because a message identifies a finding for other tools.
 */
export function shownMessage({ message, workloads }: PlacedViolation): string {
  if (workloads === undefined) return message;
  return `${message}; ${count(workloads, 'workload')} of the inputs ${workloads === 1 ? 'gets' : 'get'} the probe`;
}
