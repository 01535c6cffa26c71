import type { ProbeKind } from '../../probes/probe.ts';
import type { AnswerCause } from './probe-text.ts';
import type { ProbeHint } from './probe-event.ts';
import type { ContainerHealth, DescribedProbe, PodHealth } from './pod-health.ts';

/** Why a probe fails. */
export type FailureCause = AnswerCause | 'killed-while-starting' | 'killed-while-serving';

/** One cause at one container of a Pod. */
export interface Failure {
  readonly container: string;
  readonly probe: ProbeKind;
  readonly cause: FailureCause;
  readonly described: DescribedProbe | undefined;
}

/**
 * Answers that a container never gives because of a slow start. Such answers are reported at once. A kill that follows
 * such answers is their effect, and is not reported.
 */
const DEFINITE: ReadonlySet<AnswerCause> = new Set<AnswerCause>([
  'http-400',
  'http-401',
  'http-403',
  'http-404',
  'http-3xx',
  'http-4xx',
  'tls-mismatch',
  'tls-handshake',
  'other-protocol',
  'executable-not-found',
  'grpc-unimplemented',
  'port-name-undeclared',
]);

/** Refused connections of a container that is not ready are reported after this time, because each start has some. */
const PATIENCE_MILLISECONDS = 30_000;
/**
 * A container that has run for this time since its restart has recovered. The kubelet forgets its back-off then, too.
 */
const SETTLED_MILLISECONDS = 600_000;

/** True for an answer that no slow start gives. */
export function isDefinite(cause: FailureCause): boolean {
  return DEFINITE.has(cause as AnswerCause);
}

/**
 * The problem of a Pod, by its status and the kubelet's events. Events are hints: some are lost, and old ones stay
 * for an hour. So an event counts only if it explains a trouble that the status shows now.
 *
 * @param now the wall clock, in milliseconds since the epoch
 */
export function diagnose(pod: PodHealth, hints: readonly ProbeHint[], now: number): Failure[] {
  return pod.containers.flatMap((container) =>
    failuresOf(
      container,
      hints.filter((hint) => hint.container === container.name),
      now,
    ),
  );
}

function failuresOf(container: ContainerHealth, hints: readonly ProbeHint[], now: number): Failure[] {
  const killed = killOf(container, hints, now);
  const answers = hints.filter((hint): hint is ProbeHint & { cause: AnswerCause } => {
    if (hint.cause === 'killed' || container.probes[hint.probe] === undefined) return false;
    return (
      isTroubledBy(container, hint.probe, killed !== undefined) && isDue(container, hint, killed !== undefined, now)
    );
  });
  const failures = new Map<string, Failure>();
  const add = (probe: ProbeKind, cause: FailureCause): void => {
    // Two probes that ask the same thing fail for the same cause: one finding.
    const key = `${cause} ${container.probes[probe]?.asks ?? ''}`;
    if (!failures.has(key)) {
      failures.set(key, { container: container.name, probe, cause, described: container.probes[probe] });
    }
  };
  for (const kind of ['startupProbe', 'livenessProbe', 'readinessProbe'] as const) {
    for (const { probe, cause } of answers) if (probe === kind) add(probe, cause);
  }
  const isExplained = answers.some(({ probe, cause }) => DEFINITE.has(cause) && probe === killed?.probe);
  if (killed !== undefined && !isExplained) add(killed.probe, killed.cause);
  return [...failures.values()];
}

/** True while the status shows the trouble that a failure of this probe makes. */
function isTroubledBy({ ready, started }: ContainerHealth, probe: ProbeKind, isKilled: boolean): boolean {
  switch (probe) {
    case 'startupProbe':
      return !started;
    case 'readinessProbe':
      return !ready;
    case 'livenessProbe':
      return isKilled || !ready;
  }
}

/** True unless the hint may be about a start that only takes its time, or is about an earlier run. */
function isDue(container: ContainerHealth, { cause, at }: ProbeHint, isKilled: boolean, now: number): boolean {
  if (DEFINITE.has(cause as AnswerCause) || isKilled) return true;
  const { runningSince } = container;
  if (runningSince === undefined) return false;
  const isOfThisRun = at === 0 || at >= runningSince - 1000;
  return isOfThisRun && now - runningSince >= PATIENCE_MILLISECONDS;
}

/** The probe that stopped the container, and when; undefined when no probe did, or the container has recovered. */
function killOf(
  container: ContainerHealth,
  hints: readonly ProbeHint[],
  now: number,
): { readonly probe: ProbeKind; readonly cause: 'killed-while-starting' | 'killed-while-serving' } | undefined {
  const { ended, limits, restarts, runningSince } = container;
  if (restarts === 0 && ended === undefined) return undefined;
  const probe = killerOf(container, hints);
  if (probe === undefined) return undefined;
  const isStarting =
    probe === 'startupProbe' ||
    (!limits.hasStartupProbe && (ended?.ranMilliseconds ?? 0) / 1000 <= (limits.latestKillSeconds ?? 0));
  if (isStarting) return hasStarted(container, probe, now) ? undefined : { probe, cause: 'killed-while-starting' };
  const hasSettled = container.ready && runningSince !== undefined && now - runningSince >= SETTLED_MILLISECONDS;
  return hasSettled ? undefined : { probe, cause: 'killed-while-serving' };
}

/**
 * True when the present run has passed its start. Without a startup probe and a readiness probe a container is started
 * and ready at once: only a run that is longer than any run of a container that never answers tells.
 */
function hasStarted(
  { ready, started, probes, runningSince, limits }: ContainerHealth,
  probe: ProbeKind,
  now: number,
): boolean {
  if (probe === 'startupProbe') return started;
  if (probes.readinessProbe !== undefined && ready) return true;
  return runningSince !== undefined && now - runningSince > (limits.latestKillSeconds ?? 0) * 1000;
}

/** The `Killing` event names the probe. When the event is lost, a failing probe and an end by a signal in time do. */
function killerOf({ ended, limits }: ContainerHealth, hints: readonly ProbeHint[]): ProbeKind | undefined {
  if (ended?.outOfMemory === true) return undefined;
  const told = hints.filter(({ cause }) => cause === 'killed').toSorted((one, other) => other.at - one.at)[0];
  if (told !== undefined) return told.probe;
  const inTime = (ended?.ranMilliseconds ?? 0) / 1000 >= (limits.earliestKillSeconds ?? Infinity);
  if (ended?.bySignal !== true || !inTime) return undefined;
  const stopping = limits.hasStartupProbe ? (['startupProbe', 'livenessProbe'] as const) : (['livenessProbe'] as const);
  return stopping.find((kind) => hints.some(({ probe, isVoid }) => probe === kind && !isVoid));
}
