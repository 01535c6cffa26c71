import { DEFAULT_POD_GRACE_SECONDS } from '../probe/api-defaults.ts';
import { longestGraceWithin, longestKillSeconds } from '../time/kill.ts';
import type { Kill } from '../time/kill.ts';
import { deadlockToKillSeconds, verdictSpan } from '../time/timing.ts';
import { leastExecPeriodSeconds } from './lib/exec-period.ts';
import { MOST_DRAIN_SECONDS, MOST_KILL_SECONDS, roundGraceUpTo, roundPeriodUpTo } from '../time/bounds.ts';
import { containerPhrase, defineCheck, located, type Finding } from './check.ts';
import { hasProbe, isTimed, killOf, mayAct, type TimedProbe } from '../workload/pod.ts';

/**
 * Liveness: P + (F-1)*max(P,T) + T + max(G,2) (G+2 with a preStop hook); a warning if the Pod's grace period alone is
 * longer than maximumSeconds. Readiness: P + (F-1)*max(P,T) + T (time/timing.ts and time/kill.ts).
 */
export const slowDetection = defineCheck({
  id: 'slow-detection',
  summary: 'A deadlocked container is killed too late, or keeps its traffic too long.',
  action: 'Audit',
  judgesProbeAlone: true,
  parameters: {
    maximumSeconds: {
      type: 'integer',
      default: 600,
      text: 'Seconds that a deadlocked container may last at worst, its grace period included. Default 600.',
    },
    readinessSeconds: {
      type: 'integer',
      default: MOST_DRAIN_SECONDS,
      text:
        'Seconds after which readiness must have stopped the traffic of a container that hangs. ' +
        `Default ${MOST_DRAIN_SECONDS}.`,
    },
  },
  kinds: ['livenessProbe', 'readinessProbe'],
  eachProbe: (probe, { maximumSeconds, readinessSeconds }) => {
    if (!isTimed(probe)) return undefined;
    return probe.kind === 'livenessProbe' ? slowKill(probe, maximumSeconds) : slowDrain(probe, readinessSeconds);
  },
});

function slowKill(liveness: TimedProbe, maximum: number): Finding | undefined {
  const { container, timing } = liveness;
  const kill = killOf(liveness);
  const total = kill && deadlockToKillSeconds(timing, kill);
  if (kill === undefined || total === undefined || total <= maximum) return undefined;
  const probing = verdictSpan(timing).latest;
  const killing = longestKillSeconds(kill);
  // A kill that ends the Pod uses the Pod's grace period. A normal end of the Pod uses it, too, so it gets no edit.
  const isPods = container.killEndsPod;
  // The longer part is shortened, if that alone is enough. Advice never lowers failureThreshold. It lowers
  // periodSeconds only beside a startup probe, because the liveness probe would otherwise kill slow starters earlier.
  const graceWithin = (seconds: number): number | undefined =>
    killing < probing ? undefined : roundGraceUpTo(longestGraceWithin(seconds - probing, kill) ?? 0);
  const longest = graceWithin(maximum);
  // Only a wedged container gets the grace period of its probe, so a drain loses nothing by a short one.
  const short = Math.max(graceWithin(MOST_KILL_SECONDS) ?? 0, DEFAULT_POD_GRACE_SECONDS);
  const grace = isPods || longest === undefined ? longest : Math.min(longest, short);
  const field = grace === undefined ? 'periodSeconds' : 'terminationGracePeriodSeconds';
  const period = hasProbe(container, 'startupProbe') ? periodWithin(liveness, maximum - killing) : undefined;
  const most = grace ?? period;
  const path = (isPods && grace !== undefined ? container.pod.place : liveness.place).path(field);
  const isGraceOfPod = liveness.graceSeconds === 'absent' && kill.graceSeconds > maximum;
  const isPeriodOfAct = grace === undefined && mayAct(liveness);
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
    ...(most !== undefined && !(isPods && grace !== undefined) && !isPeriodOfAct && { edits: [{ path, value: most }] }),
    ...(isPeriodOfAct && UNKNOWN_PERIOD),
    ...(isGraceOfPod && { level: 'Warn' }),
  };
}

/** The parts of the kill time. Behind a preStop hook that hangs, the process gets some more seconds. */
function graceText(kill: Kill): string {
  if (!kill.hasPreStop) return `${longestKillSeconds(kill)} s of grace`;
  return `${kill.graceSeconds} s of grace, ${longestKillSeconds(kill) - kill.graceSeconds} s after its preStop hook`;
}

function slowDrain(readiness: TimedProbe, maximum: number): Finding | undefined {
  const { latest } = verdictSpan(readiness.timing);
  if (latest <= maximum) return undefined;
  const place = located(readiness, 'periodSeconds');
  // Fewer failures would make a flapping endpoint worse, so only the period is shortened.
  const period = periodWithin(readiness, maximum);
  const isShorter = period !== undefined && period < readiness.timing.periodSeconds;
  return {
    ...place,
    message: `${containerPhrase(readiness.container)} may hang for ${latest} s before readiness stops its traffic, over ${maximum} s`,
    ...(mayAct(readiness)
      ? UNKNOWN_PERIOD
      : isShorter
        ? { remedy: `write periodSeconds: ${period} or less`, edits: [{ path: place.path, value: period }] }
        : { remedy: 'shorten periodSeconds or timeoutSeconds of the readinessProbe' }),
  };
}

/** Nobody knows how often a command with side effects may run. Only a policy that sets the action gets the finding. */
const UNKNOWN_PERIOD = { remedy: 'let the command only ask, and then shorten periodSeconds', level: 'Off' } as const;

/** The period with which a probe gives up within `seconds`. Undefined if its timeout or command needs a longer one. */
function periodWithin(probe: TimedProbe, seconds: number): number | undefined {
  const { timeoutSeconds: T, failureThreshold: F } = probe.timing;
  const period = roundPeriodUpTo((seconds - T) / F);
  return period !== undefined && period >= Math.max(T, leastExecPeriodSeconds(probe)) ? period : undefined;
}
