import { compareText } from '../../base/text/cut.ts';
import { NamespaceShares } from '../namespace-shares.ts';
import { cronJobOfJob } from '../../engine/workload/workload-of-pod.ts';
import { workloadKey, type NamedObject } from '../observed-workload.ts';
import { lastKnownKill } from './container-runs.ts';
import { isDefinite } from './causes.ts';
import { diagnose, type Failure, type FailureFacts } from './diagnosis.ts';
import { ProbeHints } from './probe-hints.ts';
import { readProbeEvent, type ProbeHint } from './probe-events.ts';
import { sharedTroubles, type FailingWorkload } from './failing-results.ts';
import { failureOfWait, statusFailures } from './status-failures.ts';
import { readWarning, Warnings } from './warnings.ts';
import { kindMadeBy, workloadWaits, type WorkloadState } from './workload-waits.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { PodHealth } from './pod-health.ts';

interface HeldPod {
  readonly workload: NamedObject;
  readonly health: PodHealth;
}

type RunOfPod = Readonly<Record<'namespace' | 'podUid' | 'container', string>>;

/** At most so many containers of Pods with trouble are held: some 1 KiB each. A Pod counts as four or more. */
const MOST_CONTAINERS = 40_000;
const FEWEST_CONTAINERS_A_POD = 4;
/** At most so many Pods without trouble are held. The oldest of the namespace with the most are forgotten first. */
const MOST_READY = 10_000;
const MOST_ENDED = 1000;
/** Some 200 bytes each. */
const MOST_STATES = 40_000;
/** The events about the end of a Pod come 9 s later at most. Jobs create the next Pod after 6 minutes at most. */
const ENDED_MILLISECONDS = 660_000;

/**
 * Pods, and the kubelet's events about these Pods. An event may come before the status that the event explains. The
 * status of some Pods shows no trouble, though their events may: Ready Pods whose probes have no result or a false one,
 * and Pods of Jobs that ended because a probe stopped them.
 */
export class FailingWorkloads {
  readonly #troubled = new NamespaceShares<HeldPod>(MOST_CONTAINERS, ({ health }) =>
    Math.max(FEWEST_CONTAINERS_A_POD, health.containers.length),
  );
  readonly #ready = new NamespaceShares<HeldPod>(MOST_READY);
  readonly #ended = new NamespaceShares<HeldPod & { since?: number }>(MOST_ENDED);
  #states = new NamespaceShares<WorkloadState>(MOST_STATES);
  readonly #hints = new ProbeHints();
  readonly #warnings = new Warnings();

  get troubledPods(): number {
    return this.#troubled.size;
  }

  /** False when no event can tell anything. */
  get mayFail(): boolean {
    const lacks = [...this.#states.values()].some(({ lacking }) => lacking > 0);
    return lacks || [this.#troubled, this.#ready, this.#ended].some(({ size }) => size > 0);
  }

  /** A Pod as it is now; not to be judged when `health` is undefined. */
  seen(uid: string, workload: NamedObject, health: PodHealth | undefined): void {
    const { namespace } = workload;
    const live = health?.hasEnded === false ? health : undefined;
    const store = live && (live.hasTrouble ? this.#troubled : this.#ready);
    for (const other of [this.#troubled, this.#ready]) if (other !== store) other.delete(namespace, uid);
    // In place, so that the order of a workload's findings does not change with each event.
    if (live !== undefined) store?.set(namespace, uid, { workload, health: live });
    if (health?.hasEnded !== true) this.#ended.delete(namespace, uid);
    else if ((this.#ended.get(namespace, uid)?.health.waits.length ?? 0) === 0) this.#hold(uid, { workload, health });
  }

  /** A Pod has been deleted, or has ended. So ends a Pod of a Job that a probe stopped. Its events may come later. */
  gone(namespace: string, uid: string): void {
    const known = this.#troubled.get(namespace, uid) ?? this.#ready.get(namespace, uid);
    for (const store of [this.#troubled, this.#ready]) store.delete(namespace, uid);
    // An ended Pod that goes once more has been deleted.
    const isHeld =
      !this.#ended.delete(namespace, uid) &&
      known !== undefined &&
      this.#hold(uid, { ...known, health: { ...known.health, waits: [], hasEnded: true } });
    if (!isHeld) this.#hints.forget(namespace, uid);
  }

  /** Forgets all Pods but these: the others have gone while nobody watched. */
  retain(uids: ReadonlySet<string>): void {
    for (const [namespace, uid] of [...this.#troubled.entries(), ...this.#ready.entries()])
      if (!uids.has(uid)) this.gone(namespace, uid);
    for (const [namespace, uid, { health }] of this.#ended.entries())
      if (!uids.has(uid) && health.waits.length > 0) this.#ended.delete(namespace, uid);
  }

  /** An event of the kubelet, the scheduler or a controller. */
  event(event: JsonObject, receivedAt: number): void {
    const hint = readProbeEvent(event);
    if (hint !== undefined) this.hint(hint, receivedAt);
    const warning = hint === undefined ? readWarning(event) : undefined;
    if (warning !== undefined) this.#warnings.add(warning, receivedAt);
  }

  hint(hint: ProbeHint, receivedAt: number): void {
    this.#hints.add(hint, receivedAt);
  }

  /** What the status of a workload tells; undefined for one that is gone. */
  workload(workload: NamedObject, state: WorkloadState | undefined): void {
    if (state !== undefined) this.#states.set(workload.namespace, workloadKey(workload), state);
    else this.#states.delete(workload.namespace, workloadKey(workload));
  }

  /** Forgets what the status of workloads has told. */
  forgetStates(): void {
    this.#states = new NamespaceShares(MOST_STATES);
  }

  /** The CronJob that has made a Job, if its status is known; else the workload itself. */
  above(workload: NamedObject): NamedObject {
    const name = workload.kind === 'Job' ? cronJobOfJob(workload.name) : undefined;
    if (name === undefined) return workload;
    const cronJob = { ...workload, kind: 'CronJob', name };
    return this.#states.get(workload.namespace, workloadKey(cronJob)) === undefined ? workload : cronJob;
  }

  /**
   * True when a probe stopped a container last for an answer that more time would not change, such as 404. False where
   * no event tells that.
   */
  hasAnsweredWrongly({ namespace, podUid, container }: RunOfPod): boolean {
    const own = this.#hints.of(namespace, podUid).filter((hint) => hint.container === container);
    return lastKnownKill(own)?.causes.every(isDefinite) === true;
  }

  /** All workloads that fail now, in the order of their keys. */
  findings(now: number): FailingWorkload[] {
    this.#forgetOld(now);
    const held = [...this.#troubled.values(), ...this.#ready.values(), ...this.#ended.values()];
    const byKey = Map.groupBy(held, ({ workload }) => workloadKey(this.above(workload)));
    // Most workloads of a cluster lack nothing, and their status tells nothing.
    const telling = [...this.#states.values()].filter(({ waits, lacking }) => waits.length > 0 || lacking > 0);
    const workloads = new Map(telling.map(({ workload }) => [workloadKey(workload), workload]));
    for (const [key, [pod]] of byKey) if (pod !== undefined) workloads.set(key, this.above(pod.workload));
    const failing = [...workloads].flatMap(([key, named]) => {
      const pods = byKey.get(key) ?? [];
      const state = this.#states.get(named.namespace, key);
      const workload = state?.workload ?? named;
      const failures = this.#failuresOf(pods, state, now);
      if (failures.length === 0) return [];
      const live = pods.map(({ health }) => health).filter(({ hasEnded }) => !hasEnded);
      return [{ key, workload, failures, pods: live }];
    });
    const shared = sharedTroubles(failing, now);
    return failing
      .toSorted((one, other) => compareText(one.key, other.key))
      .map(({ key, workload, failures }) => ({ workload, failures, shared: shared.get(key) }));
  }

  #failuresOf(pods: readonly HeldPod[], state: WorkloadState | undefined, now: number): readonly Failure[] {
    const failures = new Map<string, Failure>();
    const add = (failure: Failure, isOfPod: boolean): void => {
      const place = `${failure.container ?? ''} ${failure.cause} ${failure.described?.asks ?? ''}`;
      const before = failures.get(place);
      const facts = isOfPod ? together(before?.facts, failure.facts) : (before?.facts ?? failure.facts ?? {});
      failures.set(place, { ...(before ?? failure), facts });
    };
    for (const { workload, health } of present(pods, state)) {
      const hints = this.#hints.of(workload.namespace, health.uid);
      const warnings = this.#warnings.of(workload.namespace, 'Pod', health.name);
      const told = diagnose(health, hints, now);
      for (const failure of [...told, ...statusFailures(health, hints, told, warnings, now)]) add(failure, true);
    }
    if (state !== undefined) {
      const { namespace, kind, name } = state.workload;
      const warnings = this.#warnings.ofMade(namespace, kind, name, kindMadeBy(state.workload));
      const unready = pods.filter(({ health }) => !health.hasEnded && health.waits.length > 0);
      const [first] = unready.map(({ health }) => health.name).toSorted(byOrdinal);
      const waits = workloadWaits(state, warnings, [...failures.values()], first);
      for (const wait of waits) add(failureOfWait(wait), false);
    }
    return withoutSilent([...failures.values()]);
  }

  #forgetOld(now: number): void {
    this.#hints.forgetOld(now);
    this.#warnings.forgetOld(now);
    for (const [namespace, uid, pod] of this.#ended.entries()) {
      // A Pod that is still there says why it has failed.
      if (pod.health.waits.length > 0) continue;
      pod.since ??= now;
      if (now - pod.since <= ENDED_MILLISECONDS) continue;
      this.#ended.delete(namespace, uid);
      this.#hints.forget(namespace, uid);
    }
  }

  /** Holds a Pod that has ended for a while, if its status tells why, or a probe may have ended it. */
  #hold(uid: string, pod: HeldPod): boolean {
    const mayBeKilled = pod.health.containers.some(
      ({ isLast, limits }) => isLast && limits.earliestKillSeconds !== undefined,
    );
    const isHeld = mayBeKilled || pod.health.waits.length > 0;
    if (isHeld) this.#ended.set(pod.workload.namespace, uid, pod);
    return isHeld;
  }
}

/**
 * The Pods without those whose failure is history: a controller has replaced them, or a later run has succeeded. A Job
 * counts its failures until one succeeds.
 */
function present(pods: readonly HeldPod[], state: WorkloadState | undefined): readonly HeldPod[] {
  const newest = Math.max(...pods.map(({ health }) => (health.hasEnded ? -Infinity : health.createdAt)));
  return pods.filter(({ workload: { kind }, health: { hasEnded, createdAt } }) => {
    if (!hasEnded || kind === 'Pod') return true;
    if (kind === 'Job' || kind === 'CronJob') return createdAt > (state?.succeededAt ?? -Infinity);
    return state === undefined ? createdAt > newest : state.lacking > 0;
  });
}

/** `web-2` before `web-10`. */
function byOrdinal(one: string, other: string): number {
  return one.length - other.length || compareText(one, other);
}

/** Where the events of one Pod tell the cause, the silence of another Pod says no more. */
function withoutSilent(failures: readonly Failure[]): readonly Failure[] {
  return failures.filter(
    ({ container, probe, cause }) =>
      cause !== 'unclear' ||
      !failures.some((other) => other.cause !== cause && other.container === container && other.probe === probe),
  );
}

/** The facts of one failure of several Pods. */
function together(before: FailureFacts | undefined, next: FailureFacts = {}): FailureFacts {
  if (before === undefined) return { ...next, pods: 1 };
  const since = Math.min(before.since ?? Infinity, next.since ?? Infinity);
  const sum = (name: 'times' | 'restarts'): object => {
    const total = (before[name] ?? 0) + (next[name] ?? 0);
    return total === 0 ? {} : { [name]: total };
  };
  const pods = (before.pods ?? 0) + 1;
  return { ...before, ...(since !== Infinity && { since }), ...sum('times'), ...sum('restarts'), pods };
}
