import { RECOVERED_MILLISECONDS, LATE_EVENT_MILLISECONDS } from './container-runs.ts';
import { AT_ONCE, CRASH_LOOP, REASONED_MILLISECONDS, type Wait } from './pod-waits.ts';
import type { ContainerHealth, PodHealth } from './pod-health.ts';
import type { Failure } from './diagnosis.ts';
import type { ProbeHint } from './probe-events.ts';
import type { Warning } from './warnings.ts';

/** A kubelet writes an event of a failing probe at least this often, unless the event was lost. */
const EVENT_MILLISECONDS = 300_000;

/**
 * What the status of a Pod tells without the events of a probe: containers that end again and again, what the Pod waits
 * for, and probes that fail without an event. A container whose failure the events explain is left out.
 *
 * @param told what the events of probes explain
 * @param warnings the other warnings about the Pod, the latest first
 */
export function statusFailures(
  pod: PodHealth,
  hints: readonly ProbeHint[],
  told: readonly Failure[],
  warnings: readonly Warning[],
  now: number,
): Failure[] {
  const explained = new Set(
    told
      .filter(({ isVoid, cause }) => isVoid !== true && cause !== 'redirect-other-host')
      .map(({ container }) => container),
  );
  const isOpen = ({ container }: Pick<Failure, 'container'>): boolean =>
    container === undefined || !explained.has(container);
  if (pod.hasEnded) return pod.waits.map(failureOfWait).filter(isOpen);
  const hooks = pod.troubles.flatMap((each) => hookFailure(each, warnings, now)).filter(isOpen);
  for (const { container } of hooks) explained.add(container);
  const loops = pod.troubles.flatMap((each) => loopFailure(each, hints, now)).filter(isOpen);
  for (const { container } of loops) explained.add(container);
  const waits = pod.waits
    .map((wait) => withWarning(wait, warnings))
    .filter(({ since, patience }) => patience === AT_ONCE || now - since >= patience)
    .map(failureOfWait)
    .filter(isOpen);
  const failures = [...hooks, ...loops, ...waits];
  const known = new Set([...told, ...failures].map(({ container }) => container));
  return [
    ...failures,
    ...pod.containers.flatMap((each) => (known.has(each.name) ? [] : silentFailure(each, pod, now))),
  ];
}

const WITHOUT_PROBE = { probe: undefined, described: undefined } as const;

export function failureOfWait({ container, cause, reason, words, since }: Wait): Failure {
  const facts = {
    ...(reason !== undefined && { reason }),
    ...(words !== undefined && { words }),
    ...(Number.isFinite(since) && since > 0 && { since }),
  };
  return { ...WITHOUT_PROBE, container, cause, facts };
}

/** A wait with the words of the last warning since it began, where the status has none. */
function withWarning(wait: Wait, warnings: readonly Warning[]): Wait {
  if (wait.words !== undefined) return wait;
  const own = warnings.filter(
    ({ at, container }) => (at === 0 || at >= wait.since) && (container === undefined || container === wait.container),
  );
  // The kubelet warns of settings, too, which keep no container from starting.
  const last = own.find(({ reason }) => reason.startsWith('Failed')) ?? own[0];
  if (last === undefined) return wait;
  const { reason, words } = last;
  const cause = wait.cause === 'post-start-hook' ? 'not-created' : wait.cause;
  const patience = reason.startsWith('Failed') ? Math.min(wait.patience, REASONED_MILLISECONDS) : wait.patience;
  return { ...wait, cause, reason, words, patience };
}

const HOOKS: readonly unknown[] = ['FailedPostStartHook', 'FailedPreStopHook'];

/** A hook of the container that failed around its last end. */
function hookFailure(
  { name: container, restarts }: ContainerHealth,
  warnings: readonly Warning[],
  now: number,
): Failure[] {
  const last = warnings.find((one) => HOOKS.includes(one.reason) && one.container === container);
  if (last === undefined || now - last.at > RECOVERED_MILLISECONDS) return [];
  const { reason, words, at } = last;
  return [{ ...WITHOUT_PROBE, container, cause: 'hook-failed', facts: { reason, words, since: at, restarts } }];
}

function loopFailure(container: ContainerHealth, hints: readonly ProbeHint[], now: number): Failure[] {
  if (!isLoop(container, hints, now)) return [];
  const { name, restarts, ended } = container;
  const facts = { restarts, ...(ended && { exitCode: ended.exitCode }) };
  const cause = ended?.outOfMemory === true ? 'out-of-memory' : 'crash-loop';
  return [{ ...WITHOUT_PROBE, container: name, cause, facts }];
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

/** A probe without a success for longer than a kubelet stays silent about a failure, and than its times explain. */
function silentFailure(
  { name, probes, ready, started, runningSince, limits }: ContainerHealth,
  { changedAt }: PodHealth,
  now: number,
): Failure[] {
  const probe = !started && probes.startupProbe !== undefined ? 'startupProbe' : 'readinessProbe';
  const described = probes[probe];
  if (ready || described === undefined || runningSince === undefined) return [];
  const own = Math.max(limits.longestStartSeconds ?? 0, described.firstSeconds ?? 0);
  const since = Math.max(runningSince, changedAt ?? 0);
  if (now - since < Math.max(EVENT_MILLISECONDS, own * 1000)) return [];
  return [{ container: name, probe, cause: 'unclear', described, facts: { since: changedAt ?? runningSince } }];
}
