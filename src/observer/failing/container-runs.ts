import { timesOf } from './probe-event.ts';
import type { ProbeKind } from '../../engine/probe/probe.ts';
import type { ContainerHealth, EndedRun } from './pod-health.ts';
import type { ProbeHint } from './probe-event.ts';

/** One run of a container. Times are in milliseconds since the epoch, by the clock of the node. */
export interface Run {
  readonly from: number;
  /** Undefined for the present run. */
  readonly until: number | undefined;
  /** When the kubelet began to stop the container; undefined when nothing tells that it did. */
  readonly killedAt: number | undefined;
  /** The probe that stopped the container; undefined when none did. */
  readonly killer: ProbeKind | undefined;
  /** The longest time from a verdict to the end, where a signal ended the run and no event tells the verdict. */
  readonly endsForMilliseconds: number;
}

interface Times {
  readonly from: number;
  readonly until: number | undefined;
}

/** The present run and the run before, as far as the status and the events tell. */
export interface Runs {
  readonly present: Run | undefined;
  readonly ended: Run | undefined;
  /** All kills that events tell, with the longest time that each takes. */
  readonly kills: readonly { readonly at: number; readonly until: number }[];
}

/**
 * Events may come 9 s after the status of the same instant (measured, kubelet 1.36.2). So the end of a container may be
 * told so much later than the answer that the end gave.
 */
export const SETTLE_MILLISECONDS = 10_000;
/** A container that has run so long since its restart has recovered. The kubelet forgets its back-off then, too. */
export const SETTLED_MILLISECONDS = 600_000;
/** A crash is told by the status up to 2 s later, and times are cut to whole seconds. */
const CRASH_MILLISECONDS = 2000;
/** The verdict and its event have the same second, or neighbouring ones. */
const SAME_MILLISECONDS = 1000;

/** The runs of a container by its status, and who ended them by the events. */
export function runsOf(container: ContainerHealth, hints: readonly ProbeHint[], now: number): Runs {
  const { runningSince, ended } = container;
  // A container that runs on after its grace period was not stopped: a restart of the kubelet ends a kill.
  const since = now - container.limits.killSeconds * 1000 - SETTLE_MILLISECONDS;
  const present =
    runningSince === undefined ? undefined : toldRun(container, hints, { from: runningSince, until: undefined }, since);
  const kills = hints
    .filter(({ cause }) => cause === 'killed')
    .flatMap(timesOf)
    .map((at) => ({ at, until: at + container.limits.killSeconds * 1000 + CRASH_MILLISECONDS }));
  if (ended === undefined) return { present, ended, kills };
  return { present, kills, ended: toldRun(container, hints, ended, 0) ?? endedRun(container, hints, ended, now) };
}

/** The present run, or a run that an event tells the end of. Kills before `since` do not count. */
function toldRun(
  container: ContainerHealth,
  hints: readonly ProbeHint[],
  { from, until }: Times,
  since: number,
): Run | undefined {
  const [told] = hints
    .filter(({ cause }) => cause === 'killed')
    .flatMap((hint) => timesOf(hint).map((at) => ({ at, probe: hint.probe })))
    .filter(({ at }) => at > from && at >= since && at <= (until ?? Infinity))
    .toSorted((one, other) => one.at - other.at);
  const run = { from, until, endsForMilliseconds: 0, killedAt: told?.at, killer: told?.probe };
  if (told === undefined) return until === undefined ? run : undefined;
  // With restartPolicy Never, the event names no probe. The verdict then has the same second.
  return { ...run, killer: told.probe ?? failedLast(container, hints, told.at - SAME_MILLISECONDS, told.at)?.probe };
}

/**
 * A run that no event tells the end of. The kubelet drops events, and sends them late. A signal after a failure within
 * the grace period tells the same as the event.
 */
function endedRun(
  container: ContainerHealth,
  hints: readonly ProbeHint[],
  { from, until }: EndedRun,
  now: number,
): Run {
  const { ended, limits } = container;
  const bySignal = ended?.bySignal === true && !ended.outOfMemory;
  const endsForMilliseconds = bySignal ? limits.killSeconds * 1000 : 0;
  const run = { from, until, endsForMilliseconds, killedAt: undefined };
  const isSettled = now - until >= SETTLE_MILLISECONDS;
  const before = lastKiller(hints, from);
  const inTime = until - from >= (limits.earliestKillSeconds ?? Infinity) * 1000;
  if (!bySignal || !inTime) return { ...run, killer: isSettled ? undefined : before };
  const failed = failedLast(container, hints, from + 1, until);
  // Without any event of this run, the runs before tell who stops the container.
  if (failed === undefined) return { ...run, killer: before ?? failedLast(container, hints, 0, from)?.probe };
  if (failed.at >= until - endsForMilliseconds - CRASH_MILLISECONDS)
    return { ...run, killedAt: failed.at, killer: failed.probe };
  return { ...run, killer: isSettled ? undefined : failed.probe };
}

/** The probe that stopped the container last, shortly before this run. */
function lastKiller(hints: readonly ProbeHint[], from: number): ProbeKind | undefined {
  const kills = hints.flatMap((hint) =>
    hint.cause === 'killed' ? timesOf(hint).map((at) => ({ at, probe: hint.probe })) : [],
  );
  return kills
    .filter(({ at }) => at <= from && at >= from - SETTLED_MILLISECONDS)
    .toSorted((one, other) => other.at - one.at)[0]?.probe;
}

/** The last failure within these times of a probe that stops containers. */
function failedLast(
  { limits }: ContainerHealth,
  hints: readonly ProbeHint[],
  since: number,
  until: number,
): { readonly probe: ProbeKind; readonly at: number } | undefined {
  const stopping: readonly unknown[] = limits.hasStartupProbe ? ['startupProbe', 'livenessProbe'] : ['livenessProbe'];
  const failures = hints
    .filter(({ probe, cause, isVoid }) => stopping.includes(probe) && !isVoid && cause !== 'redirect-other-host')
    .flatMap((hint) =>
      hint.probe === undefined ? [] : timesOf(hint).map((at) => ({ at, probe: hint.probe as ProbeKind })),
    )
    .filter(({ at }) => at >= since && at <= until);
  return failures.toSorted((one, other) => other.at - one.at)[0];
}

/** How many times a run that went on gave this answer. An event without a time counts for the present run. */
export function timesIn(run: Run | undefined, hint: ProbeHint, now: number): number[] {
  if (run === undefined) return [];
  return timesOf(hint).filter((at) => (at === 0 ? run.until === undefined : wentOn(run, hint, at, now)));
}

/** The times of an answer before both runs, without those of a container that the kubelet stopped then. */
export function timesBefore({ present, ended, kills }: Runs, hint: ProbeHint): number[] {
  const from = Math.min(present?.from ?? Infinity, ended?.from ?? Infinity);
  return timesOf(hint).filter(
    (time) => time !== 0 && time <= from && !kills.some(({ at, until }) => at <= time && time <= until),
  );
}

/** True if the container went on after this answer. A container that ends gives answers that explain nothing. */
function wentOn(run: Run, hint: ProbeHint, at: number, now: number): boolean {
  if (at <= run.from) return false;
  // The failures of the killer led to the kill. Every other probe meets a container that shuts down. A probe that has
  // timed out in the second of the kill began before.
  if (run.killedAt !== undefined)
    return run.killer === hint.probe || hint.cause === 'timeout' ? at <= run.killedAt : at < run.killedAt;
  if (run.until === undefined) return !comesFromEnd(hint) || at <= now - SETTLE_MILLISECONDS;
  if (!comesFromEnd(hint)) return at <= run.until;
  return at < run.until - CRASH_MILLISECONDS - run.endsForMilliseconds;
}

/** True for an answer that every container gives when it ends. */
export function comesFromEnd({ cause, isVoid }: ProbeHint): boolean {
  return cause === 'connection-refused' || cause === 'connection-lost' || (isVoid && cause === 'unclear');
}
