import { DEFAULT_TIMING } from '../../probe/api-defaults.ts';
import { MOST_DRAIN_SECONDS, MOST_FAILURES, MOST_KILL_SECONDS, PERIODS } from '../../time/bounds.ts';
import { longestKillSeconds } from '../../time/kill.ts';
import { endsInTime, isSeenInTime, MOST_LATER_SECONDS } from '../../time/startup-numbers.ts';
import { deadlockToKillSeconds, readySeconds, verdictSpan, type ProbeTiming } from '../../time/timing.ts';
import type { FieldEdit } from '../../../base/json/field-path.ts';
import type { Advice } from '../check.ts';
import { killOf, probeOf, type TimedProbe } from '../../workload/pod.ts';

/** A grace period beyond this is long: then probes are not why the kill takes more than MOST_KILL_SECONDS. */
const LONG_GRACE_SECONDS = 60;

/**
 * True when advice may give a probe other numbers. A deadlocked container must be dead within 120 s, and readiness must
 * stop the traffic within 60 s. A probe that was slower before may stay as slow, and a longer timeout alone
 * may make it a tenth slower. A grace period over 60 s alone is no obstacle: then the liveness probe must give up
 * within 120 s. A startup probe, and readiness without one, must see the end of a start at most 5 s later. If the
 * failures of a startup probe stay, a failed start must end at most a tenth later.
 */
export function isFastEnough(probe: TimedProbe, changed: Partial<ProbeTiming>): boolean {
  const before = probe.timing;
  const after = { ...before, ...changed };
  if (probe.kind === 'startupProbe')
    return (
      isSeenInTime(after, before) && (after.failureThreshold > before.failureThreshold || endsInTime(before, after))
    );
  const isSameRhythm =
    after.periodSeconds === before.periodSeconds && after.failureThreshold === before.failureThreshold;
  const allowed = (bound: number, seconds: number): number =>
    seconds > bound && isSameRhythm ? seconds * 1.1 : Math.max(bound, seconds);
  const [givenUpBefore, givenUp] = [verdictSpan(before).latest, verdictSpan(after).latest];
  if (probe.kind === 'readinessProbe')
    return isReadyInTime(probe, after) && givenUp <= allowed(MOST_DRAIN_SECONDS, givenUpBefore);
  const kill = killOf(probe);
  if (kill === undefined) return false;
  const [deadBefore, dead] = [deadlockToKillSeconds(before, kill), deadlockToKillSeconds(after, kill)];
  if (dead <= allowed(MOST_KILL_SECONDS, deadBefore)) return true;
  return (
    longestKillSeconds(kill) > LONG_GRACE_SECONDS && deadBefore > MOST_KILL_SECONDS && givenUp <= MOST_KILL_SECONDS
  );
}

function isReadyInTime({ timing, container }: TimedProbe, after: ProbeTiming): boolean {
  const startup = probeOf(container, 'startupProbe')?.numbers;
  return readySeconds(startup, after) <= readySeconds(startup, timing) + MOST_LATER_SECONDS;
}

/**
 * Advises numbers for a probe: `write periodSeconds: 5 and failureThreshold: 7`. Undefined if it is too slow with them.
 * @param rest the end of the remedy
 */
export function adviceIfFast(probe: TimedProbe, numbers: Partial<ProbeTiming>, rest = ''): Advice | undefined {
  if (!isFastEnough(probe, numbers)) return undefined;
  const { words, edits } = toWrite(probe, numbers);
  return { remedy: `write ${words}${rest}`, edits };
}

/**
 * Advises more patience: with the probe's own period if its failures are few enough, else with the first longer one.
 * Two failures are few, so a liveness or readiness probe with one gets the API server's default if it stays fast.
 * @param leastPeriod the shortest of the other periods
 * @param failuresFor the failures that a period takes, at least
 * @param rest the end of the remedy
 */
export function patientAdvice(
  probe: TimedProbe,
  leastPeriod: number,
  failuresFor: (periodSeconds: number) => number,
  rest = '',
): Advice | undefined {
  const { periodSeconds: own, failureThreshold: F } = probe.timing;
  const enough = F === 1 && probe.kind !== 'startupProbe' ? [DEFAULT_TIMING.failureThreshold, 2] : [F];
  for (const periodSeconds of [own, ...PERIODS.filter((period) => period >= leastPeriod)])
    for (const least of enough) {
      const failureThreshold = Math.max(least, failuresFor(periodSeconds));
      const isRound = failureThreshold === F || failureThreshold <= MOST_FAILURES[probe.kind];
      const advice = isRound && adviceIfFast(probe, { periodSeconds, failureThreshold }, rest);
      if (advice) return advice;
    }
  return undefined;
}

/** Numbers to write into a probe, as words and as edits: `periodSeconds: 5 and failureThreshold: 7`. */
export function toWrite(
  { place, timing }: TimedProbe,
  numbers: Partial<ProbeTiming>,
): { readonly words: string; readonly edits: FieldEdit[] } {
  const fields = Object.entries(numbers).filter(([field, value]) => value !== timing[field as keyof ProbeTiming]);
  return {
    words: fields.map(([field, value]) => `${field}: ${value}`).join(' and '),
    edits: fields.map(([field, value]) => ({ path: place.path(field), value })),
  };
}
