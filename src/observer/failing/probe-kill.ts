import { SETTLED_MILLISECONDS, timesIn } from './container-runs.ts';
import type { ProbeKind } from '../../engine/probe/probe.ts';
import type { Run, Runs } from './container-runs.ts';
import type { ContainerHealth, PodHealth } from './pod-health.ts';
import type { ProbeHint } from './probe-event.ts';

export type KillCause = 'killed-while-starting' | 'killed-while-serving';

/** A kill by a probe from which the container has not recovered. */
export interface Kill {
  readonly probe: ProbeKind;
  readonly cause: KillCause;
  readonly run: Run;
}

/** The probe that stopped the container; undefined when no probe did, or the container has recovered. */
export function killOf(
  pod: PodHealth,
  container: ContainerHealth,
  { present, ended }: Runs,
  hints: readonly ProbeHint[],
  now: number,
): Kill | undefined {
  const run = present?.killedAt === undefined ? ended : present;
  if (run?.killer === undefined) return undefined;
  // Without an event: SIGTERM ends most containers at once, and SIGKILL at the end of the grace period.
  const isForced = run !== present && container.ended?.isForced === true;
  const killedAt = run.killedAt ?? (run.until ?? now) - (isForced ? run.endsForMilliseconds : 0);
  const isStarting = run.killer === 'startupProbe' || isStart(container, run, killedAt, hints);
  const cause = isStarting ? 'killed-while-starting' : 'killed-while-serving';
  const kill: Kill = { probe: run.killer, cause, run };
  // Jobs create the next Pod after 6 minutes at most.
  if (pod.hasEnded) return container.isLast && now - killedAt <= SETTLED_MILLISECONDS ? kill : undefined;
  if (run === present || present === undefined) return kill;
  return hasRecovered(container, kill, now - present.from) ? undefined : kill;
}

/**
 * True when the present run has outlived the cause of the kill. A startup probe has passed. A start has lasted longer
 * than the start of any container that never answers. A container that had served has served for 10 minutes again.
 */
function hasRecovered(
  { started, ready, limits }: ContainerHealth,
  { probe, cause }: Kill,
  milliseconds: number,
): boolean {
  if (probe === 'startupProbe') return started;
  if (cause === 'killed-while-serving') return ready && milliseconds >= SETTLED_MILLISECONDS;
  return milliseconds > ((limits.longestStartSeconds ?? 0) + limits.killSeconds) * 1000;
}

/**
 * True when the liveness probe stopped a container that had not started. With a startup probe, that is so when the
 * startup probe had not run, or got the same in this run: Kubernetes 1.35 to 1.37 may run the liveness probe before the
 * start, after a kill (kubernetes/kubernetes#141155) and after a restart of the kubelet (#142305).
 */
function isStart({ limits }: ContainerHealth, run: Run, killedAt: number, hints: readonly ProbeHint[]): boolean {
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
