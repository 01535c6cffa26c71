import { NamespaceShares } from '../namespace-shares.ts';
import { workloadKey } from '../workload-key.ts';
import { diagnose, isDefinite } from './diagnosis.ts';
import { ProbeHints } from './probe-hints.ts';
import { sharedTroubles } from './shared-trouble.ts';
import type { WorkloadName } from '../workload-key.ts';
import type { Failure } from './diagnosis.ts';
import type { PodHealth } from './pod-health.ts';
import type { ProbeHint } from './probe-event.ts';
import type { SharedTrouble } from './shared-trouble.ts';

/** The present problems of one workload. */
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

/** At most so many containers of Pods with trouble are held: some 1 KiB each. A Pod counts as four or more. */
const MOST_CONTAINERS = 40_000;
const FEWEST_CONTAINERS_A_POD = 4;

/**
 * Pods with trouble, and the kubelet's events about these Pods. Of a Pod without trouble, only the hints of the last
 * hour are kept. An event may come before the status that the event explains.
 */
export class FailingWorkloads {
  readonly #pods = new NamespaceShares<TroubledPod>({
    most: MOST_CONTAINERS,
    weight: ({ health }) => Math.max(FEWEST_CONTAINERS_A_POD, health.containers.length),
  });
  readonly #hints = new ProbeHints();

  /** How many Pods have trouble. */
  get troubledPods(): number {
    return this.#pods.size;
  }

  /** A Pod as it is now; without trouble when `health` is undefined. */
  seen(uid: string, workload: WorkloadName, health: PodHealth | undefined): void {
    // In place, so that the order of a workload's findings does not change with each event.
    if (health !== undefined) this.#pods.set(workload.namespace, uid, { workload, health });
    else this.#pods.delete(workload.namespace, uid);
  }

  gone(namespace: string, uid: string): void {
    this.#pods.delete(namespace, uid);
    this.#hints.forget(namespace, uid);
  }

  /** Forgets all Pods but these: the others have gone while nobody watched. */
  retain(uids: ReadonlySet<string>): void {
    for (const [namespace, uid] of this.#pods.entries()) if (!uids.has(uid)) this.gone(namespace, uid);
  }

  hint(hint: ProbeHint, receivedAt: number): void {
    this.#hints.add(hint, receivedAt);
  }

  /** All workloads that fail now, in the order of their keys. */
  findings(now: number): FailingWorkload[] {
    this.#hints.forgetOld(now);
    const byWorkload = Map.groupBy(this.#pods.values(), ({ workload }) => workloadKey(workload));
    const failing = [...byWorkload].flatMap(([key, pods]) => {
      const failures = new Map<string, Failure>();
      for (const { workload, health } of pods) {
        for (const failure of diagnose(health, this.#hints.of(workload.namespace, health.uid), now)) {
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
}
