import { deadlockToKillSeconds, faultSpan, intervalSeconds } from '../probes/timing.ts';
import { podGraceSeconds, probeGraceSeconds } from './grace.ts';
import { probeOf } from './checked-probe.ts';
import { integerParameter } from './parameters.ts';
import { the } from './wording.ts';
import type { ProbeTiming } from '../probes/timing.ts';
import type { Check, CheckedWorkload, Finding } from './check.ts';
import type { CheckedProbe } from './checked-probe.ts';

const DEFAULT_MAXIMUM_SECONDS = 600;

/**
 * Fields: `livenessProbe`'s integers and `.terminationGracePeriodSeconds`, else the Pod's.
 *
 * Rule: P + (F-1)*max(P,T) + T + max(G,2) <= maximumSeconds: a deadlocked container that ignores SIGTERM is dead by
 * then (formula: src/probes/timing.ts). The usual violation is a long grace period of the Pod, made for its ordinary
 * end.
 */
export const slowDetection: Check = {
  id: 'slow-detection',
  run: (workload, container, parameters): Finding[] => {
    const liveness = probeOf(container, 'livenessProbe');
    const timing = liveness?.timing;
    const grace = liveness && graceOf(workload, liveness);
    if (liveness === undefined || timing === undefined || grace === undefined) return [];
    const maximum = integerParameter(parameters, 'maximumSeconds', DEFAULT_MAXIMUM_SECONDS);
    const total = deadlockToKillSeconds(timing, grace);
    if (total <= maximum) return [];
    const probing = faultSpan(timing, timing.timeoutSeconds).latest;
    const { field, advice } = whatToWrite(timing, maximum, probing, total - probing);
    const message =
      `${the(container)} may hang for ${total} s before it is dead (${probing} s of probes, ${total - probing} s of grace), ` +
      `over ${maximum} s; ${advice}`;
    return [{ probe: 'livenessProbe', path: `${liveness.path}.${field}`, message }];
  },
};

function graceOf(workload: CheckedWorkload, liveness: CheckedProbe): number | undefined {
  const own = probeGraceSeconds(liveness);
  return own === 'absent' ? podGraceSeconds(workload) : own;
}

/** The larger part is the one to shorten, when that is enough. */
function whatToWrite(
  timing: ProbeTiming,
  maximum: number,
  probing: number,
  grace: number,
): { field: string; advice: string } {
  const graceLeft = maximum - probing;
  if (grace >= probing && graceLeft >= 2)
    return {
      field: 'terminationGracePeriodSeconds',
      advice: `write terminationGracePeriodSeconds: ${graceLeft} or less`,
    };
  const { periodSeconds: P, timeoutSeconds: T } = timing;
  const failures = Math.floor((maximum - grace - P - T) / intervalSeconds(timing, T)) + 1;
  return failures >= 1
    ? { field: 'failureThreshold', advice: `write failureThreshold: ${failures} or less` }
    : { field: 'periodSeconds', advice: 'shorten periodSeconds, timeoutSeconds and terminationGracePeriodSeconds' };
}
