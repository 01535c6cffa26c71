import { comesFromEnd, killOf, LATE_EVENT_MILLISECONDS, runsOf, timesBefore, timesIn } from './container-runs.ts';
import type { ProbeHint } from './probe-events.ts';
import type { ProbeKind } from '../../engine/probe/probe.ts';
import { isDefinite, type AnswerCause, type FailureCause } from './causes.ts';
import type { Kill, Runs } from './container-runs.ts';
import type { ContainerHealth, DescribedProbe, PodHealth } from './pod-health.ts';

export interface Failure {
  readonly container: string;
  readonly probe: ProbeKind;
  readonly cause: FailureCause;
  readonly described: DescribedProbe | undefined;
  /** The kubelet throws the results away: the probe neither fails nor succeeds. */
  readonly isVoid?: boolean;
  /** A liveness probe has stopped the start, although the container has a startup probe. */
  readonly isEarly?: boolean;
}

/** Answers of an application that runs. The kill of a liveness probe that gets nothing else is no slow start. */
const STATUSES: ReadonlySet<string> = new Set<AnswerCause>(['http-5xx', 'grpc-unhealthy']);

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
    return own.length === 0 ? [] : new ContainerDiagnosis(pod, container, own, now).failures();
  });
}

type Answer = ProbeHint & { readonly probe: ProbeKind; readonly cause: AnswerCause | 'connection-lost' };

/** The hints about one container, and the state that they are compared with. */
class ContainerDiagnosis {
  readonly #pod: PodHealth;
  readonly #container: ContainerHealth;
  readonly #answers: readonly Answer[];
  readonly #now: number;
  readonly #runs: Runs;
  readonly #kill: Kill | undefined;
  readonly #killing: readonly Answer[];

  constructor(pod: PodHealth, container: ContainerHealth, hints: readonly ProbeHint[], now: number) {
    this.#pod = pod;
    this.#container = container;
    this.#now = now;
    this.#answers = hints.filter(
      (hint): hint is Answer =>
        hint.cause !== 'killed' && hint.probe !== undefined && container.probes[hint.probe] !== undefined,
    );
    this.#runs = runsOf(container, hints, now);
    this.#kill = killOf(pod, container, this.#runs, this.#answers, now);
    this.#killing = this.#kill === undefined ? [] : this.#answersOf(this.#kill);
  }

  failures(): Failure[] {
    const found = new Map<string, Failure>();
    const { name, probes, limits } = this.#container;
    const add = (probe: ProbeKind, cause: FailureCause, isVoid: boolean): void => {
      const isEarly = cause === 'killed-while-starting' && probe === 'livenessProbe' && limits.hasStartupProbe;
      const described = probes[probe];
      // Two probes that ask the same thing fail for the same cause: one finding.
      const key = `${cause} ${isVoid} ${described?.asks ?? ''}`;
      if (!found.has(key)) found.set(key, { container: name, probe, cause, described, isVoid, isEarly });
    };
    for (const kind of ['startupProbe', 'livenessProbe', 'readinessProbe'] as const) {
      for (const hint of this.#answers) {
        if (hint.probe === kind && this.#counts(hint)) add(kind, causeOf(hint), hint.isVoid);
      }
    }
    if (this.#kill !== undefined && !this.#isExplained(this.#kill)) add(this.#kill.probe, this.#kill.cause, false);
    return [...found.values()];
  }

  #counts(hint: Answer): boolean {
    if (this.#killing.includes(hint)) return true;
    if (this.#pod.hasEnded) return false;
    if (hint.cause === 'redirect-other-host') return true;
    if (hint.isVoid) return this.#isVoidNow(hint);
    switch (hint.probe) {
      case 'startupProbe':
        return !this.#container.started && this.#isFailure(hint);
      case 'readinessProbe':
        return this.#isOfKill(hint) || (!this.#container.ready && this.#isFailure(hint));
      case 'livenessProbe':
        return this.#kill?.probe !== 'livenessProbe' && this.#isNearKill(hint);
    }
  }

  /** The answers of the probe that stopped the container. When their events were lost, older ones tell. */
  #answersOf({ probe, run }: Kill): Answer[] {
    const answers = this.#answers.filter(
      (hint) => hint.probe === probe && !hint.isVoid && hint.cause !== 'redirect-other-host',
    );
    const ofRun = answers.filter((hint) => timesIn(run, hint, this.#now).length > 0);
    return ofRun.length > 0 ? ofRun : answers;
  }

  /** The answers tell more than the kill: a wrong path, or a liveness probe that gets one and the same status. */
  #isExplained({ probe, cause }: Kill): boolean {
    const causes = new Set(this.#killing.map(({ cause: one }) => one));
    if (this.#killing.some((hint) => isDefinite(causeOf(hint)))) return true;
    const [only] = causes;
    return (
      probe === 'livenessProbe' && cause === 'killed-while-starting' && causes.size === 1 && STATUSES.has(only ?? '')
    );
  }

  /** True for an answer of readiness that is also the cause of the kill. It stays for as long as the kill is told. */
  #isOfKill(hint: Answer): boolean {
    if (this.#kill === undefined || !this.#killing.some(({ cause }) => cause === hint.cause)) return false;
    return this.#isOfTrouble(hint) || (!comesFromEnd(hint) && timesBefore(this.#runs, hint).length > 0);
  }

  /** True for an answer of the last two runs, or of the time since the container stopped being ready. */
  #isOfTrouble(hint: Answer): boolean {
    const { present, ended } = this.#runs;
    const since = this.#container.ready ? Infinity : (this.#pod.changedAt ?? Infinity);
    if (timesBefore(this.#runs, hint).some((at) => at >= since)) return true;
    return [present, ended].some((run) => timesIn(run, hint, this.#now).length > 0);
  }

  #isFailure(hint: Answer): boolean {
    return isDefinite(hint.cause) ? this.#isOfTrouble(hint) : this.#isLate(hint);
  }

  /** True for a failure of the present run that is no part of its start. */
  #isLate(hint: Answer): boolean {
    const { present } = this.#runs;
    if (present === undefined) return false;
    const { wasReady, limits } = this.#container;
    // A container without readiness probe is Ready at once after a kill, also before it has started.
    if (wasReady && hint.probe !== 'startupProbe') return timesIn(present, hint, this.#now).length > 0;
    const longest = this.#isOfStart(hint) ? (limits.longestStartSeconds ?? 0) * 1000 : 0;
    const patience = Math.max(PATIENCE_MILLISECONDS, longest);
    // The probe has failed for so long that its last answer need not wait for news of an end.
    return this.#now - present.from >= patience && timesIn(present, hint, Infinity).length > 0;
  }

  /**
   * False for an answer that differs from all that the startup probe got before it passed. The same answer may still be
   * one of the start: a restart of the kubelet ends the startup probe (kubernetes/kubernetes#142305).
   */
  #isOfStart(hint: Answer): boolean {
    const { started, limits } = this.#container;
    if (!limits.hasStartupProbe || !started) return true;
    return this.#answers.some(
      (other) =>
        other.probe === 'startupProbe' &&
        other.cause === hint.cause &&
        timesIn(this.#runs.present, other, Infinity).length > 0,
    );
  }

  /** True for definite failures of a liveness probe that have not led to a kill yet. One failure may be chance. */
  #isNearKill(hint: Answer): boolean {
    const { liveness } = this.#container.limits;
    if (!isDefinite(hint.cause) || liveness === undefined) return false;
    const times = timesIn(this.#runs.present, hint, this.#now);
    const until = Math.max(...times) + liveness.verdictSeconds * 1000 + LATE_EVENT_MILLISECONDS;
    return times.length >= Math.min(2, liveness.failureThreshold) && this.#now <= until;
  }

  /** True for a probe that has no result now. A container that the probe keeps from getting ready shows the end. */
  #isVoidNow(hint: Answer): boolean {
    const { started, ready } = this.#container;
    const last = Math.max(...hint.times);
    const isStatic = isDefinite(hint.cause);
    if (hint.probe === 'startupProbe' && started) return false;
    // A program or a port name that was there does not get lost. A body may stop to end.
    if (hint.probe === 'readinessProbe' && ready && (isStatic || last <= (this.#pod.changedAt ?? Infinity)))
      return false;
    if (isStatic) return true;
    const { present, ended } = this.#runs;
    const known = [present, ended].flatMap((run) => timesIn(run, hint, this.#now));
    return known.filter((at) => this.#now - at <= FRESH_MILLISECONDS).length >= FEWEST_VOID;
  }
}

/** A run that goes on and closes connections speaks another protocol. */
function causeOf({ cause }: Answer): AnswerCause {
  return cause === 'connection-lost' ? 'other-protocol' : cause;
}
