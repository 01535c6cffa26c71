import {
  comesFromEnd,
  lastKnownKill,
  LATE_EVENT_MILLISECONDS,
  probeKillOf,
  runsOf,
  timesBefore,
  timesIn,
} from './container-runs.ts';
import type { ProbeHint } from './probe-events.ts';
import type { ProbeKind } from '../../engine/probe/probe.ts';
import { isDefinite, MESH_REFUSALS, STATUSES, type AnswerCause, type FailureCause } from './causes.ts';
import type { KnownKill, ProbeKill } from './container-runs.ts';
import type { ContainerHealth, DescribedProbe, PodHealth } from './pod-health.ts';

/** The figures of a failure. They change while the cause stays, so no message has them. */
export interface FailureFacts {
  /** The HTTP status that the probe got last. */
  readonly status?: number;
  /** The timeout that ran out. */
  readonly timeoutSeconds?: number;
  readonly exitCode?: number;
  /** The word of the kubelet, the scheduler or a controller: `ImagePullBackOff`. */
  readonly reason?: string;
  /** What it says. */
  readonly words?: string;
  /** Since when the Pod is not Ready, in milliseconds since the epoch. */
  readonly since?: number;
  /** The kubelet has told the failure so often, at least. */
  readonly times?: number;
  readonly restarts?: number;
  readonly pods?: number;
}

export interface Failure {
  /** Undefined when the whole Pod or the workload waits. */
  readonly container: string | undefined;
  /** Undefined when a container fails by itself. */
  readonly probe: ProbeKind | undefined;
  readonly cause: FailureCause;
  readonly described: DescribedProbe | undefined;
  /** The kubelet throws the results away: the probe neither fails nor succeeds. */
  readonly isVoid?: boolean;
  /** A liveness probe has stopped the start, although the container has a startup probe. */
  readonly isEarly?: boolean;
  readonly facts?: FailureFacts;
}

/** Each start has some failures. With a probe that stops the container, its longest start counts instead. */
const PATIENCE_MILLISECONDS = 30_000;
/** Such a result has no other trace, busy nodes throw single ones away, and a Pod has an event in 5 minutes. */
const FEWEST_VOID = 3;
const FRESH_MILLISECONDS = 900_000;

/**
 * The problem of a Pod, by its status and the kubelet's events. Events are hints: some are lost, some come late, and
 * old ones stay for an hour. So an event counts only if it explains a trouble that the status shows now, and if the
 * container went on after it: a container that ends fails every probe.
 *
 * @param now the wall clock, in milliseconds since the epoch
 */
export function diagnose(pod: PodHealth, hints: readonly ProbeHint[], now: number): Failure[] {
  if (hints.length === 0) return [];
  return pod.containers.flatMap((container) => {
    const own = hints.filter((hint) => hint.container === container.name);
    return own.length === 0 ? [] : failuresOf(caseOf(pod, container, own, now));
  });
}

type Answer = ProbeHint & { readonly probe: ProbeKind; readonly cause: AnswerCause | 'connection-lost' };

/** The hints about one container, and the state that they are compared with. */
type Case = ReturnType<typeof caseOf>;

function caseOf(pod: PodHealth, container: ContainerHealth, hints: readonly ProbeHint[], now: number) {
  const answers = hints
    .filter(
      (hint): hint is Answer =>
        hint.cause !== 'killed' && hint.probe !== undefined && container.probes[hint.probe] !== undefined,
    )
    .map((hint) => inPlace(hint, container.probes[hint.probe]));
  const runs = runsOf(container, hints, now);
  const kill = probeKillOf(pod, container, runs, answers, now);
  return {
    pod,
    container,
    answers,
    now,
    runs,
    kill,
    killing: kill === undefined ? [] : answersOf(kill, answers, lastKnownKill(hints), now),
  };
}

/** What only the Pod tells of an answer: it came after a redirect to https, or from the proxy of a mesh. */
function inPlace(hint: Answer, described: DescribedProbe | undefined): Answer {
  if (described?.isRefusedByMesh === true && MESH_REFUSALS.has(hint.cause)) return { ...hint, cause: 'mesh-plain' };
  const isRedirected = hint.asksHttps === true && described?.isHttps === false;
  return isRedirected && !hint.isVoid && hint.status === undefined ? { ...hint, cause: 'redirect-https' } : hint;
}

function failuresOf(known: Case): Failure[] {
  const found = new Map<string, Failure>();
  const { name, probes, limits } = known.container;
  const add = (probe: ProbeKind, cause: FailureCause, isVoid: boolean): void => {
    const isEarly = cause === 'killed-while-starting' && probe === 'livenessProbe' && limits.hasStartupProbe;
    const described = probes[probe];
    // Two probes that ask the same thing fail for the same cause: one finding.
    const key = `${cause} ${isVoid} ${described?.asks ?? ''}`;
    const facts = factsOf(known, probe, cause, isVoid);
    if (!found.has(key)) found.set(key, { container: name, probe, cause, described, isVoid, isEarly, facts });
  };
  for (const kind of ['startupProbe', 'livenessProbe', 'readinessProbe'] as const) {
    const counted = known.answers.filter((hint) => hint.probe === kind && counts(known, hint));
    for (const hint of counted) if (!isOver(known, hint, counted)) add(kind, causeOf(hint), hint.isVoid);
  }
  if (known.kill !== undefined && !isExplained(known, known.kill)) add(known.kill.probe, known.kill.cause, false);
  return [...found.values()];
}

function factsOf(
  { container, pod, answers }: Case,
  probe: ProbeKind,
  cause: FailureCause,
  isVoid: boolean,
): FailureFacts {
  if (cause === 'killed-while-starting' || cause === 'killed-while-serving')
    return container.restarts > 0 ? { restarts: container.restarts } : {};
  const own = answers.filter((hint) => hint.probe === probe && hint.isVoid === isVoid && causeOf(hint) === cause);
  const status = own.findLast((hint) => hint.status !== undefined)?.status;
  const { timeoutSeconds } = container.probes[probe] ?? {};
  return {
    // The other causes have the status in their names.
    ...(cause.endsWith('xx') && status !== undefined && { status }),
    ...(cause === 'timeout' && timeoutSeconds !== undefined && { timeoutSeconds }),
    ...(!container.ready && pod.changedAt !== undefined && { since: pod.changedAt }),
    times: own.reduce((sum, { told }) => [...(told?.values() ?? [1])].reduce((all, one) => all + one, sum), 0),
  };
}

/** True for an answer that another one has followed for good in the last run that had both: it is history. */
function isOver({ runs: { present, ended } }: Case, hint: Answer, counted: readonly Answer[]): boolean {
  return counted.some((other) => {
    if (other.isVoid !== hint.isVoid || causeOf(other) === causeOf(hint)) return false;
    for (const run of [present, ended]) {
      const within = ({ times }: Answer): number[] =>
        times.filter((at) => run !== undefined && at > run.from && at <= (run.until ?? Infinity));
      const [own, later] = [within(hint), within(other)];
      if (own.length > 0 && later.length > 0) return Math.max(...own) < Math.min(...later);
    }
    return false;
  });
}

function counts(known: Case, hint: Answer): boolean {
  if (known.killing.includes(hint)) return true;
  if (known.pod.hasEnded) return false;
  if (hint.cause === 'redirect-other-host') return true;
  if (hint.isVoid) return isVoidNow(known, hint);
  switch (hint.probe) {
    case 'startupProbe':
      return !known.container.started && isFailure(known, hint);
    case 'readinessProbe':
      return isOfKill(known, hint) || (!known.container.ready && isFailure(known, hint));
    case 'livenessProbe':
      return known.kill?.probe !== 'livenessProbe' && isNearKill(known, hint);
  }
}

/**
 * The answers of the probe that stopped the container. When their events were lost, older ones tell. So a definite
 * answer that decided an earlier kill counts in place of those that the boot got before that kill, too.
 */
function answersOf(
  { probe, run }: ProbeKill,
  all: readonly Answer[],
  known: KnownKill | undefined,
  now: number,
): Answer[] {
  const answers = all.filter((hint) => hint.probe === probe && !hint.isVoid && hint.cause !== 'redirect-other-host');
  const ofRun = answers.filter((hint) => timesIn(run, hint, now).length > 0);
  const deciding = answers.filter(({ cause }) => known?.causes.includes(cause));
  const isOfBoot = ({ times: [first = 0] }: Answer): boolean => first <= (known?.at ?? 0);
  if (deciding.length > 0 && deciding.every((hint) => isDefinite(causeOf(hint))) && ofRun.every(isOfBoot))
    return deciding;
  return ofRun.length > 0 ? ofRun : answers;
}

/** The answers tell more than the kill: a wrong path, or a liveness probe that gets one and the same status. */
function isExplained(known: Case, { probe, cause }: ProbeKill): boolean {
  const causes = new Set(known.killing.map(({ cause: one }) => one));
  if (known.killing.some((hint) => isDefinite(causeOf(hint)))) return true;
  const [only] = causes;
  return (
    probe === 'livenessProbe' && cause === 'killed-while-starting' && causes.size === 1 && STATUSES.has(only ?? '')
  );
}

/** True for an answer of readiness that is also the cause of the kill. It stays for as long as the kill is told. */
function isOfKill(known: Case, hint: Answer): boolean {
  if (known.kill === undefined || !known.killing.some(({ cause }) => cause === hint.cause)) return false;
  return isOfTrouble(known, hint) || (!comesFromEnd(hint) && timesBefore(known.runs, hint).length > 0);
}

/** True for an answer of the last two runs, or of the time since the container stopped being ready. */
function isOfTrouble(known: Case, hint: Answer): boolean {
  const { present, ended } = known.runs;
  const since = known.container.ready ? Infinity : (known.pod.changedAt ?? Infinity);
  if (timesBefore(known.runs, hint).some((at) => at >= since)) return true;
  return [present, ended].some((run) => timesIn(run, hint, known.now).length > 0);
}

function isFailure(known: Case, hint: Answer): boolean {
  return isDefinite(hint.cause) ? isOfTrouble(known, hint) : isLate(known, hint);
}

/** True for a failure of the present run that is no part of its start. */
function isLate(known: Case, hint: Answer): boolean {
  const { present } = known.runs;
  if (present === undefined) return false;
  const { wasReady, limits } = known.container;
  // A container without readiness probe is Ready at once after a kill, also before it has started.
  if (wasReady && hint.probe !== 'startupProbe') return timesIn(present, hint, known.now).length > 0;
  const longest = isOfStart(known, hint) ? (limits.longestStartSeconds ?? 0) * 1000 : 0;
  const patience = Math.max(PATIENCE_MILLISECONDS, longest);
  // The probe has failed for so long that its last answer need not wait for news of an end.
  return known.now - present.from >= patience && timesIn(present, hint, Infinity).length > 0;
}

/**
 * False for an answer that differs from all that the startup probe got before it passed. The same answer may still be
 * one of the start: a restart of the kubelet ends the startup probe (kubernetes/kubernetes#142305).
 */
function isOfStart(known: Case, hint: Answer): boolean {
  const { started, limits } = known.container;
  if (!limits.hasStartupProbe || !started) return true;
  return known.answers.some(
    (other) =>
      other.probe === 'startupProbe' &&
      other.cause === hint.cause &&
      timesIn(known.runs.present, other, Infinity).length > 0,
  );
}

/** True for definite failures of a liveness probe that have not led to a kill yet. One failure may be chance. */
function isNearKill(known: Case, hint: Answer): boolean {
  const { liveness } = known.container.limits;
  if (!isDefinite(hint.cause) || liveness === undefined) return false;
  const times = timesIn(known.runs.present, hint, known.now);
  const until = Math.max(...times) + liveness.verdictSeconds * 1000 + LATE_EVENT_MILLISECONDS;
  return times.length >= Math.min(2, liveness.failureThreshold) && known.now <= until;
}

/** True for a probe that has no result now. A container that the probe keeps from getting ready shows the end. */
function isVoidNow(known: Case, hint: Answer): boolean {
  const { started, ready } = known.container;
  const last = Math.max(...hint.times);
  const isStatic = isDefinite(hint.cause);
  if (hint.probe === 'startupProbe' && started) return false;
  // A program or a port name that was there does not get lost. A body may stop to end.
  if (hint.probe === 'readinessProbe' && ready && (isStatic || last <= (known.pod.changedAt ?? Infinity))) return false;
  if (isStatic) return true;
  const { present, ended } = known.runs;
  const times = [present, ended].flatMap((run) => timesIn(run, hint, known.now));
  return times.filter((at) => known.now - at <= FRESH_MILLISECONDS).length >= FEWEST_VOID;
}

/** A run that goes on and closes connections speaks another protocol. */
function causeOf({ cause }: Answer): AnswerCause {
  return cause === 'connection-lost' ? 'other-protocol' : cause;
}
