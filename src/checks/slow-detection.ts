import { integer } from '../policy/check-parameters.ts';
import { killBy, longestGraceWithin, longestKillSeconds } from '../probes/grace-period.ts';
import { deadlockToKillSeconds, intervalSeconds, verdictSpan } from '../probes/timing.ts';
import { probeOf } from './checked-probe.ts';
import { containerPhrase } from './wording.ts';
import { defineCheck } from './check.ts';
import type { Kill } from '../probes/grace-period.ts';
import type { ProbeTiming } from '../probes/timing.ts';
import type { Finding } from './check.ts';

/**
 * Fields: the integers of `livenessProbe`; its `.terminationGracePeriodSeconds`, else the Pod's.
 *
 * Rule: P + (F-1)*max(P,T) + T + max(G,2) <= maximumSeconds (G+2 with a preStop hook). A deadlocked container that
 * ignores SIGTERM is dead after this time (formulas: src/probes/timing.ts and grace-period.ts). The usual cause is a
 * long grace period of the Pod, which was set for normal termination.
 */
export const slowDetection = defineCheck({
  id: 'slow-detection',
  summary: 'A deadlocked container is killed too late.',
  action: 'Audit',
  judgesProbeAlone: true,
  parameters: {
    maximumSeconds: integer({
      minimum: 0,
      default: 600,
      text: 'Seconds that a deadlocked container may last at worst, its grace period included. Default 600.',
    }),
  },
  run: (workload, container, { maximumSeconds: maximum }): Finding[] => {
    const liveness = probeOf(container, 'livenessProbe');
    const timing = liveness?.timing;
    const kill = liveness && killBy(liveness.spec, container.spec, workload.podSpec);
    if (liveness === undefined || timing === undefined || kill === undefined) return [];
    const total = deadlockToKillSeconds(timing, kill);
    if (total <= maximum) return [];
    const probing = verdictSpan(timing).latest;
    const { field, advice } = whatToWrite(timing, maximum, kill);
    const message =
      `${containerPhrase(container)} may hang for ${total} s before it is dead ` +
      `(${probing} s of probes, ${graceText(kill)}), over ${maximum} s; ${advice}`;
    return [{ probe: 'livenessProbe', path: liveness.place.path(field), message }];
  },
});

/**
 * Describes the parts of the kill time, whose sum is the total. After the grace period, a preStop hook that hangs
 * leaves the process some more seconds.
 */
function graceText(kill: Kill): string {
  if (!kill.hasPreStop) return `${longestKillSeconds(kill)} s of grace`;
  return `${kill.graceSeconds} s of grace, ${longestKillSeconds(kill) - kill.graceSeconds} s after its preStop hook`;
}

/** Advises to shorten the longer part, if shortening this part is enough. */
function whatToWrite(timing: ProbeTiming, maximum: number, kill: Kill): { field: string; advice: string } {
  const probing = verdictSpan(timing).latest;
  const killing = longestKillSeconds(kill);
  const grace = longestGraceWithin(maximum - probing, kill);
  if (killing >= probing && grace !== undefined)
    return {
      field: 'terminationGracePeriodSeconds',
      advice: `write terminationGracePeriodSeconds: ${grace} or less`,
    };
  const { periodSeconds: P, timeoutSeconds: T } = timing;
  const failures = Math.floor((maximum - killing - P - T) / intervalSeconds(timing, T)) + 1;
  return failures >= 1
    ? { field: 'failureThreshold', advice: `write failureThreshold: ${failures} or less` }
    : { field: 'periodSeconds', advice: 'shorten periodSeconds, timeoutSeconds and terminationGracePeriodSeconds' };
}
