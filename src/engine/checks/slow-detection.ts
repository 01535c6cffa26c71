import { integer } from '../policy/check-parameters.ts';
import { killEndsPod, longestGraceWithin, longestKillSeconds, probeGraceSeconds } from '../probe/grace-period.ts';
import type { Kill } from '../probe/grace-period.ts';
import { deadlockToKillSeconds, verdictSpan, type ProbeTiming } from '../probe/timing.ts';
import { leastExecPeriodSeconds } from './lib/heavy-client.ts';
import { killOf, MOST_DRAIN_SECONDS, roundGraceUpTo, roundPeriodUpTo } from './lib/round-numbers.ts';
import { containerPhrase, defineCheck, located, type Finding } from './check.ts';
import { hasProbe, type CheckedProbe } from './checked-workload.ts';

/**
 * Liveness: P + (F-1)*max(P,T) + T + max(G,2) (G+2 with a preStop hook); a warning if the Pod's grace period alone is
 * longer than maximumSeconds. Readiness: P + (F-1)*max(P,T) + T (probe/timing.ts and probe/grace-period.ts).
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
  kinds: ['livenessProbe', 'readinessProbe'],
  eachProbe: (probe, { maximumSeconds, readinessSeconds }) =>
    probe.kind === 'livenessProbe' ? slowKill(probe, maximumSeconds) : slowDrain(probe, readinessSeconds),
});

function slowKill(liveness: CheckedProbe, maximum: number): Finding | undefined {
  const { container, timing } = liveness;
  const kill = killOf(liveness);
  if (timing === undefined || kill === undefined) return undefined;
  const total = deadlockToKillSeconds(timing, kill);
  if (total <= maximum) return undefined;
  const probing = verdictSpan(timing).latest;
  const { field, most } = whatToWrite(liveness, timing, maximum, kill);
  // A kill that ends the Pod uses the Pod's grace period. A normal end of the Pod uses it, too, so it gets no edit.
  const { podSpec, podSpecPlace } = container.workload;
  const isPods = field === 'terminationGracePeriodSeconds' && killEndsPod(container.spec, podSpec);
  const path = (isPods ? podSpecPlace : liveness.place).path(field);
  const isGraceOfPod = probeGraceSeconds(liveness.spec) === 'absent' && kill.graceSeconds > maximum;
  return {
    probe: 'livenessProbe',
    path,
    message:
      `${containerPhrase(container)} may hang for ${total} s before it is dead ` +
      `(${probing} s of probes, ${graceText(kill)}), over ${maximum} s`,
    remedy:
      most === undefined
        ? 'shorten periodSeconds, timeoutSeconds or terminationGracePeriodSeconds, and guard the start with a startupProbe'
        : `write ${field}: ${most} or less`,
    ...(most !== undefined && !isPods && { edits: [{ path, value: most }] }),
    ...(isGraceOfPod && { level: 'Warn' }),
  };
}

function slowDrain(readiness: CheckedProbe, maximum: number): Finding | undefined {
  const { container, timing } = readiness;
  if (timing === undefined) return undefined;
  const { latest } = verdictSpan(timing);
  if (latest <= maximum) return undefined;
  const { periodSeconds: P, timeoutSeconds: T, failureThreshold: F } = timing;
  const place = located(readiness, 'periodSeconds');
  // Fewer failures would make a flapping endpoint worse, so only the period is shortened.
  const period = roundPeriodUpTo((maximum - T) / F);
  const isShorter = period !== undefined && period < P && period >= Math.max(T, leastExecPeriodSeconds(readiness));
  return {
    ...place,
    message: `${containerPhrase(container)} may hang for ${latest} s before readiness stops its traffic, over ${maximum} s`,
    ...(isShorter
      ? { remedy: `write periodSeconds: ${period} or less`, edits: [{ path: place.path, value: period }] }
      : { remedy: 'shorten periodSeconds or timeoutSeconds of the readinessProbe' }),
  };
}

/** The parts of the kill time. Behind a preStop hook that hangs, the process gets some more seconds. */
function graceText(kill: Kill): string {
  if (!kill.hasPreStop) return `${longestKillSeconds(kill)} s of grace`;
  return `${kill.graceSeconds} s of grace, ${longestKillSeconds(kill) - kill.graceSeconds} s after its preStop hook`;
}

/**
 * The field to shorten, and the most that is enough. The longer part is shortened, if that alone is enough. Advice
 * never lowers failureThreshold. It lowers periodSeconds only beside a startup probe, because the liveness probe would
 * otherwise kill slow starters earlier.
 */
function whatToWrite(
  liveness: CheckedProbe,
  timing: ProbeTiming,
  maximum: number,
  kill: Kill,
): { readonly field: 'terminationGracePeriodSeconds' | 'periodSeconds'; readonly most?: number } {
  const probing = verdictSpan(timing).latest;
  const killing = longestKillSeconds(kill);
  const grace = roundGraceUpTo(longestGraceWithin(maximum - probing, kill) ?? 0);
  if (killing >= probing && grace !== undefined) return { field: 'terminationGracePeriodSeconds', most: grace };
  const { timeoutSeconds: T, failureThreshold: F } = timing;
  const period = roundPeriodUpTo((maximum - killing - T) / F);
  const isSafe = period !== undefined && period >= Math.max(T, leastExecPeriodSeconds(liveness));
  return { field: 'periodSeconds', ...(isSafe && hasProbe(liveness.container, 'startupProbe') && { most: period }) };
}
