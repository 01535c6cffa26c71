import { workloadKey } from '../workload-key.ts';
import { diagnose, isDefinite } from './diagnosis.ts';
import { sharedTroubles } from './shared-trouble.ts';
import type { WorkloadName } from '../workload-key.ts';
import type { Failure } from './diagnosis.ts';
import type { PodHealth } from './pod-health.ts';
import type { ProbeHint } from './probe-event.ts';
import type { SharedTrouble } from './shared-trouble.ts';

/** What is wrong with one workload now. */
export interface FailingWorkload {
  readonly workload: WorkloadName;
  /** One entry for each container and cause. */
  readonly failures: readonly Failure[];
  /** The workload fails together with others; then `failures` has only what is the workload's own. */
  readonly shared: SharedTrouble | undefined;
}

interface TroubledPod {
  readonly workload: WorkloadName;
  readonly health: PodHealth;
}

/** At most so many Pods with trouble are held, and as many Pods with hints: some 2 KiB each. */
const MOST_PODS = 10_000;
const MOST_HINTS_A_POD = 32;
/** The API server keeps events for an hour. */
const HINT_MILLISECONDS = 3_600_000;

/**
 * Pods with trouble, and what the kubelet's events tell of them. Of a Pod without trouble, only the hints of the last
 * hour are held, because an event may come before the status that it explains.
 */
export class FailingWorkloads {
  readonly #pods = new Map<string, TroubledPod>();
  readonly #hints = new Map<string, Map<string, ProbeHint & { readonly receivedAt: number }>>();

  /** How many Pods have trouble. */
  get troubledPods(): number {
    return this.#pods.size;
  }

  /** A Pod as it is now; without trouble when `health` is undefined. */
  seen(uid: string, workload: WorkloadName, health: PodHealth | undefined): void {
    if (health === undefined) this.#pods.delete(uid);
    else if (this.#pods.has(uid) || this.#pods.size < MOST_PODS) this.#pods.set(uid, { workload, health });
  }

  gone(uid: string): void {
    this.#pods.delete(uid);
    this.#hints.delete(uid);
  }

  /** Forgets all Pods but these: the others have gone while nobody watched. */
  retain(uids: ReadonlySet<string>): void {
    for (const uid of this.#pods.keys()) if (!uids.has(uid)) this.gone(uid);
  }

  hint(hint: ProbeHint, receivedAt: number): void {
    const ofPod = this.#hints.get(hint.podUid) ?? new Map<string, ProbeHint & { readonly receivedAt: number }>();
    // Set again, so that the map is in the order of the last hints.
    this.#hints.delete(hint.podUid);
    this.#hints.set(hint.podUid, ofPod);
    const key = `${hint.container}/${hint.probe}/${hint.cause}`;
    const before = ofPod.get(key);
    if (before === undefined && ofPod.size >= MOST_HINTS_A_POD) return;
    if (before === undefined || before.at <= hint.at) ofPod.set(key, { ...hint, receivedAt });
    if (this.#hints.size <= MOST_PODS) return;
    const oldest = this.#hints.keys().next();
    if (oldest.done !== true) this.#hints.delete(oldest.value);
  }

  /** All workloads that fail now, in the order of their keys. */
  findings(now: number): FailingWorkload[] {
    this.#forgetOldHints(now);
    const byWorkload = Map.groupBy(this.#pods.values(), ({ workload }) => workloadKey(workload));
    const failing = [...byWorkload].flatMap(([key, pods]) => {
      const failures = new Map<string, Failure>();
      for (const { health } of pods) {
        for (const failure of diagnose(health, [...(this.#hints.get(health.uid)?.values() ?? [])], now)) {
          const place = `${failure.container} ${failure.cause} ${failure.described?.asks ?? ''}`;
          if (!failures.has(place)) failures.set(place, failure);
        }
      }
      const [first] = pods;
      if (first === undefined || failures.size === 0) return [];
      return [
        { key, workload: first.workload, failures: [...failures.values()], pods: pods.map(({ health }) => health) },
      ];
    });
    const shared = sharedTroubles(failing);
    return failing
      .toSorted((one, other) => (one.key < other.key ? -1 : 1))
      .map(({ key, workload, failures }) => {
        const together = shared.get(key);
        const own = together === undefined ? failures : failures.filter(({ cause }) => isDefinite(cause));
        return { workload, failures: own, shared: together };
      });
  }

  #forgetOldHints(now: number): void {
    for (const [uid, ofPod] of this.#hints) {
      for (const [key, { receivedAt }] of ofPod) if (now - receivedAt > HINT_MILLISECONDS) ofPod.delete(key);
      if (ofPod.size === 0) this.#hints.delete(uid);
    }
  }
}
