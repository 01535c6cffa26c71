import { count } from '../../base/text/count.ts';
import { formatException } from '../../engine/checks/violation.ts';
import type { PlacedViolation } from '../check-report.ts';

/**
 * The message for people. An excepted violation names its exception. A finding about a policy also says how many
 * workloads get the probe. The number is no part of the finding itself, because a message identifies a finding for
 * other tools.
 */
export function shownMessage({ message, workloads, exception }: PlacedViolation): string {
  if (exception !== undefined) return `${message}; allowed by ${formatException(exception)}`;
  if (workloads === undefined) return message;
  return `${message}; ${count(workloads, 'workload')} of the inputs ${workloads === 1 ? 'gets' : 'get'} the probe`;
}
