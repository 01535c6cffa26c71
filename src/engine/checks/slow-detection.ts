import { integer } from '../policy/check-parameters.ts';
import { killBy, longestGraceWithin, longestKillSeconds, probeGraceSeconds } from '../probe/grace-period.ts';
import { killEndsPod } from '../probe/restarts.ts';
import { deadlockToKillSeconds, verdictSpan } from '../probe/timing.ts';
import { hasProbe, probeOf } from './checked-probe.ts';
import { leastExecPeriodSeconds } from './lib/exec-patience.ts';
import { MOST_DRAIN_SECONDS, roundGraceUpTo, roundPeriodUpTo } from './lib/round-numbers.ts';
import { containerPhrase } from './lib/wording.ts';
import { defineCheck } from './check.ts';
import type { Kill } from '../probe/grace-period.ts';
import type { ProbeTiming } from '../probe/timing.ts';
import type { CheckedContainer, CheckedWorkload, Finding } from './check.ts';
import type { CheckedProbe } from './checked-probe.ts';

/**
 * Fields: the integers of `livenessProbe` and `readinessProbe`; `livenessProbe.terminationGracePeriodSeconds`, else the
 * Pod's.
 *
 * Rule: P + (F-1)*max(P,T) + T + max(G,2) <= maximumSeconds (G+2 with a preStop hook). A deadlocked container that
 * ignores SIGTERM is dead after this time (formulas: src/engine/probe/timing.ts and grace-period.ts). The usual cause is a
 * long grace period of the Pod, which was set for normal termination. The finding is a note. It is a warning if the
 * Pod's grace period alone is longer than maximumSeconds.
 *
 * A second rule: P + (F-1)*max(P,T) + T <= readinessSeconds for readiness. After this time the Pod of a container that
 * hangs gets no more traffic.
 */
export const slowDetection = defineCheck({
  id: 'slow-detection',
  summary: 'A deadlocked container is killed too late, or keeps its traffic too long.',
  action: 'Audit',
  judgesProbeAlone: true,
  parameters: {
    maximumSeconds: integer({
      minimum: 0,
      default: 600,
      text: 'Seconds that a deadlocked container may last at worst, its grace period included. Default 600.',
    }),
    readinessSeconds: integer({
      minimum: 0,
      default: MOST_DRAIN_SECONDS,
      text:
        'Seconds after which readiness must have stopped the traffic of a container that hangs. ' +
        `Default ${MOST_DRAIN_SECONDS}.`,
    }),
  },
  run: (workload, container, { maximumSeconds, readinessSeconds }) => [
    ...slowKill(workload, container, maximumSeconds),
    ...slowDrain(container, readinessSeconds),
  ],
});

function slowKill(workload: CheckedWorkload, container: CheckedContainer, maximum: number): Finding[] {
  const liveness = probeOf(container, 'livenessProbe');
  const timing = liveness?.timing;
  const kill = liveness && killBy(liveness.spec, container.spec, workload.podSpec);
  if (liveness === undefined || timing === undefined || kill === undefined) return [];
  const total = deadlockToKillSeconds(timing, kill);
  if (total <= maximum) return [];
  const probing = verdictSpan(timing).latest;
  const { field, remedy, edit } = whatToWrite(liveness, timing, maximum, kill, hasProbe(container, 'startupProbe'));
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
}

function slowDrain(container: CheckedContainer, maximum: number): Finding[] {
  const readiness = probeOf(container, 'readinessProbe');
  const timing = readiness?.timing;
  if (readiness === undefined || timing === undefined) return [];
  const { latest } = verdictSpan(timing);
  if (latest <= maximum) return [];
  const { periodSeconds: P, timeoutSeconds: T, failureThreshold: F } = timing;
  const path = readiness.place.path('periodSeconds');
  // Fewer failures would make a flapping endpoint worse, so only the period is shortened.
  const period = roundPeriodUpTo((maximum - T) / F);
  const isShorter = period !== undefined && period < P && period >= Math.max(T, leastExecPeriodSeconds(readiness));
  return [
    {
      probe: 'readinessProbe',
      path,
      message: `${containerPhrase(container)} may hang for ${latest} s before readiness stops its traffic, over ${maximum} s`,
      ...(isShorter
        ? { remedy: `write periodSeconds: ${period} or less`, edits: [{ path, value: period }] }
        : { remedy: 'shorten periodSeconds or timeoutSeconds of the readinessProbe' }),
    },
  ];
}

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
function whatToWrite(
  liveness: CheckedProbe,
  timing: ProbeTiming,
  maximum: number,
  kill: Kill,
  isStartGuarded: boolean,
): Advice {
  const probing = verdictSpan(timing).latest;
  const killing = longestKillSeconds(kill);
  const grace = roundGraceUpTo(longestGraceWithin(maximum - probing, kill) ?? 0);
  if (killing >= probing && grace !== undefined)
    return {
      field: 'terminationGracePeriodSeconds',
      remedy: `write terminationGracePeriodSeconds: ${grace} or less`,
      edit: grace,
    };
  const { timeoutSeconds: T, failureThreshold: F } = timing;
  const period = roundPeriodUpTo((maximum - killing - T) / F);
  if (isStartGuarded && period !== undefined && period >= Math.max(T, leastExecPeriodSeconds(liveness)))
    return { field: 'periodSeconds', remedy: `write periodSeconds: ${period} or less`, edit: period };
  return {
    field: 'periodSeconds',
    remedy:
      'shorten periodSeconds, timeoutSeconds or terminationGracePeriodSeconds, and guard the start with a startupProbe',
  };
}
