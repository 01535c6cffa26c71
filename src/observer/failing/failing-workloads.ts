import { compareText } from '../../base/text/cut.ts';
import { NamespaceShares } from '../namespace-shares.ts';
import { workloadKey, type NamedObject } from '../observed-workload.ts';
import { diagnose, type Failure, type FailureFacts } from './diagnosis.ts';
import { ProbeHints } from './probe-hints.ts';
import type { ProbeHint } from './probe-events.ts';
import { sharedTroubles, type FailingWorkload } from './failing-results.ts';
import { statusFailures } from './status-failures.ts';
import type { PodHealth } from './pod-health.ts';

interface HeldPod {
  readonly workload: NamedObject;
  readonly health: PodHealth;
}

/** At most so many containers of Pods with trouble are held: some 1 KiB each. A Pod counts as four or more. */
const MOST_CONTAINERS = 40_000;
const FEWEST_CONTAINERS_A_POD = 4;
/** At most so many Pods without trouble are held. The oldest of the namespace with the most are forgotten first. */
const MOST_READY = 10_000;
const MOST_ENDED = 1000;
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
  readonly #hints = new ProbeHints();

  get troubledPods(): number {
    return this.#troubled.size;
  }

  get heldPods(): number {
    return this.#troubled.size + this.#ready.size + this.#ended.size;
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
    else if (this.#ended.get(namespace, uid) === undefined) this.#hold(uid, { workload, health });
  }

  /** A Pod has been deleted, or has ended. So ends a Pod of a Job that a probe stopped. Its events may come later. */
  gone(namespace: string, uid: string): void {
    const known = this.#troubled.get(namespace, uid) ?? this.#ready.get(namespace, uid);
    for (const store of [this.#troubled, this.#ready]) store.delete(namespace, uid);
    // An ended Pod that goes once more has been deleted.
    const isHeld =
      !this.#ended.delete(namespace, uid) &&
      known !== undefined &&
      this.#hold(uid, { ...known, health: { ...known.health, hasEnded: true } });
    if (!isHeld) this.#hints.forget(namespace, uid);
  }

  /** Forgets all Pods but these: the others have gone while nobody watched. */
  retain(uids: ReadonlySet<string>): void {
    for (const [namespace, uid] of [...this.#troubled.entries(), ...this.#ready.entries()])
      if (!uids.has(uid)) this.gone(namespace, uid);
  }

  hint(hint: ProbeHint, receivedAt: number): void {
    this.#hints.add(hint, receivedAt);
  }

  /** All workloads that fail now, in the order of their keys. */
  findings(now: number): FailingWorkload[] {
    this.#forgetOld(now);
    const held = [...this.#troubled.values(), ...this.#ready.values(), ...this.#ended.values()];
    const failing = [...Map.groupBy(held, ({ workload }) => workloadKey(workload))].flatMap(([key, pods]) => {
      const failures = new Map<string, Failure>();
      for (const { workload, health } of pods) {
        const hints = this.#hints.of(workload.namespace, health.uid);
        const told = diagnose(health, hints, now);
        for (const failure of [...told, ...statusFailures(health, hints, told, now)]) {
          const place = `${failure.container} ${failure.cause} ${failure.described?.asks ?? ''}`;
          const before = failures.get(place);
          failures.set(place, { ...(before ?? failure), facts: together(before?.facts, failure.facts) });
        }
      }
      const [first] = pods;
      if (first === undefined || failures.size === 0) return [];
      const live = pods.map(({ health }) => health).filter(({ hasEnded }) => !hasEnded);
      return [{ key, workload: first.workload, failures: withoutSilent([...failures.values()]), pods: live }];
    });
    const shared = sharedTroubles(failing, now);
    return failing
      .toSorted((one, other) => compareText(one.key, other.key))
      .map(({ key, workload, failures }) => ({ workload, failures, shared: shared.get(key) }));
  }

  #forgetOld(now: number): void {
    this.#hints.forgetOld(now);
    for (const [namespace, uid, pod] of this.#ended.entries()) {
      pod.since ??= now;
      if (now - pod.since <= ENDED_MILLISECONDS) continue;
      this.#ended.delete(namespace, uid);
      this.#hints.forget(namespace, uid);
    }
  }

  /** Holds a Pod that has ended for a while, if a probe may have ended it. */
  #hold(uid: string, pod: HeldPod): boolean {
    const mayBeKilled = pod.health.containers.some(
      ({ isLast, limits }) => isLast && limits.earliestKillSeconds !== undefined,
    );
    if (mayBeKilled) this.#ended.set(pod.workload.namespace, uid, pod);
    return mayBeKilled;
  }
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
