import { RECOVERED_MILLISECONDS, LATE_EVENT_MILLISECONDS } from './container-runs.ts';
import { CRASH_LOOP, NOT_STARTED, type ContainerHealth, type PodHealth } from './pod-health.ts';
import type { Failure } from './diagnosis.ts';
import type { ProbeHint } from './probe-events.ts';

/** A kubelet writes an event of a failing probe at least this often, unless the event was lost. */
const EVENT_MILLISECONDS = 300_000;

/**
 * What the status of a Pod tells alone: containers that end again and again or that do not start, and probes that fail
 * without an event. A container whose failure the events explain is left out.
 *
 * @param told what the events explain
 */
export function statusFailures(
  pod: PodHealth,
  hints: readonly ProbeHint[],
  told: readonly Failure[],
  now: number,
): Failure[] {
  if (pod.hasEnded) return [];
  const explained = new Set(
    told
      .filter(({ isVoid, cause }) => isVoid !== true && cause !== 'redirect-other-host')
      .map(({ container }) => container),
  );
  const failures = pod.troubles.flatMap((trouble): Failure[] => {
    const { name: container, waiting, restarts, ended } = trouble;
    if (explained.has(container)) return [];
    const failure = { container, probe: undefined, described: undefined };
    if (waiting !== undefined && NOT_STARTED.has(waiting))
      return [{ ...failure, cause: 'cannot-start', facts: { reason: waiting } }];
    if (!isLoop(trouble, hints, now)) return [];
    const facts = { restarts, ...(ended && { exitCode: ended.exitCode }) };
    return [{ ...failure, cause: ended?.outOfMemory === true ? 'out-of-memory' : 'crash-loop', facts }];
  });
  const known = new Set([...told, ...failures].map(({ container }) => container));
  return [
    ...failures,
    ...pod.containers.flatMap((each) => (known.has(each.name) ? [] : silentFailure(each, pod, now))),
  ];
}

/** Two short runs, one after the other, that no probe ended. The state between two runs does not matter. */
function isLoop(
  { name, waiting, runningSince, ended, limits }: ContainerHealth,
  hints: readonly ProbeHint[],
  now: number,
): boolean {
  if (waiting === CRASH_LOOP) return true;
  if (ended === undefined) return false;
  const areShort =
    ended.until - ended.from < RECOVERED_MILLISECONDS && now - (runningSince ?? ended.until) < RECOVERED_MILLISECONDS;
  const mayBeKilled = limits.earliestKillSeconds !== undefined && ended.bySignal && !ended.outOfMemory;
  if (!areShort || mayBeKilled) return false;
  const [from, until] = [ended.from, ended.until + LATE_EVENT_MILLISECONDS];
  return !hints.some(
    (hint) => hint.container === name && hint.cause === 'killed' && hint.times.some((at) => at >= from && at <= until),
  );
}

/** A probe that has not succeeded for longer than the kubelet stays silent about a failure. */
function silentFailure(
  { name, probes, ready, started, runningSince, limits }: ContainerHealth,
  { changedAt }: PodHealth,
  now: number,
): Failure[] {
  const probe = !started && probes.startupProbe !== undefined ? 'startupProbe' : 'readinessProbe';
  const described = probes[probe];
  if (ready || described === undefined || runningSince === undefined || changedAt === undefined) return [];
  const patience = Math.max(EVENT_MILLISECONDS, (limits.longestStartSeconds ?? 0) * 1000);
  if (now - Math.max(runningSince, changedAt) < patience) return [];
  return [{ container: name, probe, cause: 'unclear', described, facts: { since: changedAt } }];
}
