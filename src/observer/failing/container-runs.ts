import type { ProbeHint } from './probe-events.ts';
import type { KillCause } from './causes.ts';
import type { ProbeKind } from '../../engine/probe/probe.ts';
import type { ContainerHealth, PodHealth } from './pod-health.ts';
import type { EndedRun } from '../live-pod.ts';

/** One run of a container. Times are in milliseconds since the epoch, by the clock of the node. */
export interface ContainerRunTimes {
  readonly from: number;
  readonly until: number | undefined;
  /** When the kubelet began to stop the container; undefined when nothing tells that it did. */
  readonly killedAt: number | undefined;
  readonly killer: ProbeKind | undefined;
  /** The longest time from a verdict to the end, where a signal ended the run and no event tells the verdict. */
  readonly endsForMilliseconds: number;
}

/** The present run and the run before, as far as the status and the events tell. */
export interface Runs {
  readonly present: ContainerRunTimes | undefined;
  readonly ended: ContainerRunTimes | undefined;
  /** All kills that events tell, with the longest time that each takes. */
  readonly kills: readonly { readonly at: number; readonly until: number }[];
}

interface ProbeTime {
  readonly at: number;
  readonly probe: ProbeKind | undefined;
}

/** The end of a container may be told this much after its answer: events come up to 9 s late (measured, 1.36.2). */
export const LATE_EVENT_MILLISECONDS = 10_000;
/** A container that has run so long since its restart has recovered. The kubelet forgets its back-off then, too. */
export const RECOVERED_MILLISECONDS = 600_000;
/** A crash is told by the status up to 2 s later, and times are cut to whole seconds. */
const CRASH_MILLISECONDS = 2000;
/** The verdict and its event have the same second, or neighbouring ones. */
const SAME_MILLISECONDS = 1000;

/** The runs of a container by its status, and who ended them by the events. */
export function runsOf(container: ContainerHealth, hints: readonly ProbeHint[], now: number): Runs {
  const { runningSince, ended, limits } = container;
  const told = timesByAge(hints.filter(({ cause }) => cause === 'killed'));
  const kills = told.map(({ at }) => ({ at, until: at + limits.killSeconds * 1000 + CRASH_MILLISECONDS }));
  // A container that runs on after its grace period was not stopped: a restart of the kubelet ends a kill.
  const since = now - limits.killSeconds * 1000 - LATE_EVENT_MILLISECONDS;
  const kill = told.find(({ at }) => runningSince !== undefined && at > runningSince && at >= since);
  const present = runningSince === undefined ? undefined : { from: runningSince, until: undefined };
  const killOfEnded = ended && told.find(({ at }) => at > ended.from && at <= ended.until);
  return {
    kills,
    present: present && toldRun(container, hints, present, kill),
    ended:
      ended &&
      (killOfEnded === undefined
        ? untoldRun(container, hints, ended, told, now)
        : toldRun(container, hints, ended, killOfEnded)),
  };
}

/** A run that goes on, or that an event tells the end of. */
function toldRun(
  container: ContainerHealth,
  hints: readonly ProbeHint[],
  { from, until }: Pick<ContainerRunTimes, 'from' | 'until'>,
  kill: ProbeTime | undefined,
): ContainerRunTimes {
  const run = { from, until, endsForMilliseconds: 0, killedAt: kill?.at };
  if (kill === undefined) return { ...run, killer: undefined };
  // With restartPolicy Never, the event names no probe. The verdict then has the same second.
  return { ...run, killer: kill.probe ?? failedLast(container, hints, kill.at - SAME_MILLISECONDS, kill.at)?.probe };
}

/**
 * A run that no event tells the end of. The kubelet drops events, and sends them late. A signal after a failure within
 * the grace period tells the same as the event.
 *
 * @param kills the kills that events tell, the oldest first
 */
function untoldRun(
  container: ContainerHealth,
  hints: readonly ProbeHint[],
  { from, until, bySignal, exitCode, outOfMemory }: EndedRun,
  kills: readonly ProbeTime[],
  now: number,
): ContainerRunTimes {
  const { limits } = container;
  const isToldByNow = now - until >= LATE_EVENT_MILLISECONDS;
  // A server may handle SIGTERM, and then ends with 0.
  const mayBeSignal = !outOfMemory && (bySignal || exitCode === 0);
  const endsForMilliseconds = mayBeSignal ? limits.killSeconds * 1000 : 0;
  // The probe that stopped the container last. The kubelet writes an event of a Pod in 5 minutes at last, of any kind,
  // so a loop may go on for long without another kill among them.
  const longest = mayBeSignal && until - from < RECOVERED_MILLISECONDS ? Infinity : RECOVERED_MILLISECONDS;
  const before = latest(kills.filter(({ at }) => at <= from && at >= from - longest))?.probe;
  const run = { from, until, endsForMilliseconds, killedAt: undefined };
  const inTime = until - from >= (limits.earliestKillSeconds ?? Infinity) * 1000;
  if (!mayBeSignal || !inTime) return { ...run, killer: isToldByNow ? undefined : before };
  const failed = failedLast(container, hints, from + 1, until);
  // Without any event of this run, the runs before tell who stops the container.
  const ofRunsBefore = bySignal ? failedLast(container, hints, 0, from)?.probe : undefined;
  if (failed === undefined) return { ...run, killer: before ?? ofRunsBefore };
  // Where the kubelet has stopped the container before, the event may be one of the first failure in a row.
  const inARow = before === undefined ? 0 : (limits.liveness?.verdictSeconds ?? 0) * 1000;
  if (failed.at >= until - endsForMilliseconds - CRASH_MILLISECONDS - inARow)
    return { ...run, killedAt: failed.at, killer: failed.probe };
  return { ...run, killer: isToldByNow ? undefined : failed.probe };
}

/** The last failure within these times of a probe that stops containers. */
function failedLast(
  { limits }: ContainerHealth,
  hints: readonly ProbeHint[],
  since: number,
  until: number,
): ProbeTime | undefined {
  const stopping: readonly unknown[] = limits.hasStartupProbe ? ['startupProbe', 'livenessProbe'] : ['livenessProbe'];
  const failures = hints.filter(
    ({ probe, cause, isVoid }) => stopping.includes(probe) && !isVoid && cause !== 'redirect-other-host',
  );
  return latest(timesByAge(failures).filter(({ at }) => at >= since && at <= until));
}

/** A kill by a probe of which the events tell the answer that decided, and its causes: two of one second count both. */
export interface KnownKill {
  readonly at: number;
  readonly causes: readonly ProbeHint['cause'][];
}

/** The last kill of a container of which the answer is known: the kubelet drops events. */
export function lastKnownKill(hints: readonly ProbeHint[]): KnownKill | undefined {
  const [kills, answers] = [hints.filter(({ cause }) => cause === 'killed'), hints.filter(isFailure)];
  for (const { at, probe } of timesByAge(kills).toReversed()) {
    const given = answers.flatMap((hint) =>
      hint.times.flatMap((time) => (hint.probe === probe && isVerdict(time, at) ? [{ time, cause: hint.cause }] : [])),
    );
    const last = Math.max(...given.map(({ time }) => time));
    const causes = given.filter(({ time }) => time === last).map(({ cause }) => cause);
    if (causes.length > 0) return { at, causes };
  }
  return undefined;
}

const isFailure = ({ cause, isVoid }: ProbeHint): boolean =>
  !isVoid && cause !== 'killed' && cause !== 'redirect-other-host';

/** On a busy node, the event of the kill comes a little later than that of its last failure. */
const isVerdict = (at: number, killedAt: number): boolean => at <= killedAt && at >= killedAt - CRASH_MILLISECONDS;

function timesByAge(hints: readonly ProbeHint[]): ProbeTime[] {
  return hints
    .flatMap((hint) => hint.times.map((at) => ({ at, probe: hint.probe })))
    .toSorted((one, other) => one.at - other.at);
}

/** The latest of times that are in order, and of two probes in one second the first. */
function latest(times: readonly ProbeTime[]): ProbeTime | undefined {
  return times.find(({ at }) => at === times.at(-1)?.at);
}

export function timesIn(run: ContainerRunTimes | undefined, hint: ProbeHint, now: number): number[] {
  if (run === undefined) return [];
  return hint.times.filter((at) => (at === 0 ? run.until === undefined : wentOn(run, hint, at, now)));
}

/** The times of an answer before both runs, without those of a container that the kubelet stopped then. */
export function timesBefore({ present, ended, kills }: Runs, hint: ProbeHint): number[] {
  const from = Math.min(present?.from ?? Infinity, ended?.from ?? Infinity);
  return hint.times.filter(
    (time) => time !== 0 && time <= from && !kills.some(({ at, until }) => at <= time && time <= until),
  );
}

/** True if the container went on after this answer. A container that ends gives answers that explain nothing. */
function wentOn(run: ContainerRunTimes, hint: ProbeHint, at: number, now: number): boolean {
  if (at <= run.from) return false;
  // The failures of the killer led to the kill. Every other probe meets a container that shuts down. A probe that has
  // timed out in the second of the kill began before.
  if (run.killedAt !== undefined)
    return run.killer === hint.probe || hint.cause === 'timeout' ? at <= run.killedAt : at < run.killedAt;
  if (run.until === undefined) return !comesFromEnd(hint) || at <= now - LATE_EVENT_MILLISECONDS;
  if (!comesFromEnd(hint)) return at <= run.until;
  return at < run.until - CRASH_MILLISECONDS - run.endsForMilliseconds;
}

const ENDS: ReadonlySet<string> = new Set(['connection-refused', 'connection-lost', 'mesh-plain']);

/** True for an answer that every container gives when it ends. */
export function comesFromEnd({ cause, isVoid }: ProbeHint): boolean {
  return ENDS.has(cause) || (isVoid && cause === 'unclear');
}

/** A kill by a probe from which the container has not recovered. */
export interface ProbeKill {
  readonly probe: ProbeKind;
  readonly cause: KillCause;
  readonly run: ContainerRunTimes;
}

/** The probe that stopped the container; undefined when no probe did, or the container has recovered. */
export function probeKillOf(
  pod: PodHealth,
  container: ContainerHealth,
  { present, ended }: Runs,
  hints: readonly ProbeHint[],
  now: number,
): ProbeKill | undefined {
  const run = present?.killedAt === undefined ? ended : present;
  if (run?.killer === undefined) return undefined;
  // Without an event: SIGTERM ends most containers at once, and SIGKILL at the end of the grace period.
  const isForced = container.ended?.isForced === true;
  const killedAt = run.killedAt ?? (run.until ?? now) - (isForced ? run.endsForMilliseconds : 0);
  const isStarting = run.killer === 'startupProbe' || isStart(container, run, killedAt, hints);
  const cause = isStarting ? 'killed-while-starting' : 'killed-while-serving';
  const kill: ProbeKill = { probe: run.killer, cause, run };
  // Jobs create the next Pod after 6 minutes at most.
  if (pod.hasEnded) return container.isLast && now - killedAt <= RECOVERED_MILLISECONDS ? kill : undefined;
  if (run === present || present === undefined) return kill;
  return hasRecovered(container, kill, now - present.from) ? undefined : kill;
}

/** True when the present run has outlived the cause of the kill. */
function hasRecovered(
  { started, ready, limits }: ContainerHealth,
  { probe, cause }: ProbeKill,
  milliseconds: number,
): boolean {
  if (probe === 'startupProbe') return started;
  if (cause === 'killed-while-serving') return ready && milliseconds >= RECOVERED_MILLISECONDS;
  return milliseconds > ((limits.longestStartSeconds ?? 0) + limits.killSeconds) * 1000;
}

/**
 * True when the liveness probe stopped a container that had not started. With a startup probe, that is so when the
 * startup probe had not run, or got the same in this run: Kubernetes 1.35 to 1.37 may run the liveness probe before the
 * start, after a kill (kubernetes/kubernetes#141155) and after a restart of the kubelet (#142305).
 */
function isStart(
  { limits }: ContainerHealth,
  run: ContainerRunTimes,
  killedAt: number,
  hints: readonly ProbeHint[],
): boolean {
  const seconds = (killedAt - run.from) / 1000;
  if (seconds > (limits.longestStartSeconds ?? 0)) return false;
  if (!limits.hasStartupProbe || seconds <= limits.firstStartupSeconds) return true;
  const failures = hints.filter(({ isVoid }) => !isVoid);
  const ofRun = failures.filter((hint) => timesIn(run, hint, killedAt).length > 0);
  // Without any event of this run, the runs before tell.
  const given = ofRun.length > 0 ? ofRun : failures;
  return given.some(
    ({ probe, cause }) =>
      probe === 'startupProbe' && given.some((other) => other.probe === 'livenessProbe' && other.cause === cause),
  );
}
