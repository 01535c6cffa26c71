import { integer } from '../policy/check-parameters.ts';
import { killBy, longestGraceWithin, longestKillSeconds, probeGraceSeconds } from '../probes/grace-period.ts';
import { killEndsPod } from '../probes/restarts.ts';
import { deadlockToKillSeconds, verdictSpan } from '../probes/timing.ts';
import { hasProbe, probeOf } from './checked-probe.ts';
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
 * long grace period of the Pod, which was set for normal termination. The finding is a note. It is a warning if the
 * Pod's grace period alone is longer than maximumSeconds.
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
    const { field, remedy, edit } = whatToWrite(timing, maximum, kill, hasProbe(container, 'startupProbe'));
    const message =
      `${containerPhrase(container)} may hang for ${total} s before it is dead ` +
      `(${probing} s of probes, ${graceText(kill)}), over ${maximum} s`;
    // A kill that ends the Pod uses the Pod's grace period. A normal end of the Pod uses it, too, so it gets no edit.
    const isPods = field === 'terminationGracePeriodSeconds' && killEndsPod(container.spec, workload.podSpec);
    const path = (isPods ? workload.podSpecPlace : liveness.place).path(field);
    const isGraceOfPod = probeGraceSeconds(liveness.spec) === 'absent' && kill.graceSeconds > maximum;
    return [
      {
        probe: 'livenessProbe',
        path,
        message,
        remedy,
        ...(edit !== undefined && !isPods && { edits: [{ path, value: edit }] }),
        ...(isGraceOfPod && { level: 'Warn' }),
      },
    ];
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

interface Advice {
  readonly field: string;
  readonly remedy: string;
  readonly edit?: number;
}

/**
 * Advises to shorten the longer part, if shortening this part is enough. Advice never lowers failureThreshold. It
 * lowers periodSeconds only beside a startup probe, because the liveness probe would otherwise kill slow starters
 * earlier.
 */
function whatToWrite(timing: ProbeTiming, maximum: number, kill: Kill, isStartGuarded: boolean): Advice {
  const probing = verdictSpan(timing).latest;
  const killing = longestKillSeconds(kill);
  const grace = longestGraceWithin(maximum - probing, kill);
  if (killing >= probing && grace !== undefined)
    return {
      field: 'terminationGracePeriodSeconds',
      remedy: `write terminationGracePeriodSeconds: ${grace} or less`,
      edit: grace,
    };
  const { timeoutSeconds: T, failureThreshold: F } = timing;
  const period = Math.floor((maximum - killing - T) / F);
  if (isStartGuarded && period >= T)
    return { field: 'periodSeconds', remedy: `write periodSeconds: ${period} or less`, edit: period };
  return {
    field: 'periodSeconds',
    remedy:
      'shorten periodSeconds, timeoutSeconds or terminationGracePeriodSeconds, and guard the start with a startupProbe',
  };
}
