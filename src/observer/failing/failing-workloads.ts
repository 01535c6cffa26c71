import { NamespaceShares } from '../namespace-shares.ts';
import { workloadKey } from '../workload-key.ts';
import { diagnose } from './diagnosis.ts';
import { ProbeHints } from './probe-hints.ts';
import { QuietPods } from './quiet-pods.ts';
import { sharedTroubles } from './shared-trouble.ts';
import type { WorkloadName } from '../workload-key.ts';
import type { Failure } from './diagnosis.ts';
import type { PodHealth } from './pod-health.ts';
import type { ProbeHint } from './probe-event.ts';
import type { HeldPod } from './quiet-pods.ts';
import type { SharedTrouble } from './shared-trouble.ts';

/** The present problems of one workload. */
export interface FailingWorkload {
  readonly workload: WorkloadName;
  /** One entry for each container and cause. */
  readonly failures: readonly Failure[];
  /** The workload fails together with others. */
  readonly shared: SharedTrouble | undefined;
}

/** At most so many containers of Pods with trouble are held: some 1 KiB each. A Pod counts as four or more. */
const MOST_CONTAINERS = 40_000;
const FEWEST_CONTAINERS_A_POD = 4;

/**
 * Pods with trouble, and the kubelet's events about these Pods. An event may come before the status that the event
 * explains. Other Pods are held apart: see `QuietPods`.
 */
export class FailingWorkloads {
  readonly #pods = new NamespaceShares<HeldPod>({
    most: MOST_CONTAINERS,
    weight: ({ health }) => Math.max(FEWEST_CONTAINERS_A_POD, health.containers.length),
  });
  readonly #quiet = new QuietPods();
  readonly #hints = new ProbeHints();

  /** How many Pods have trouble. */
  get troubledPods(): number {
    return this.#pods.size;
  }

  /** How many Pods are held: those with trouble, and others whose events may tell of one. */
  get heldPods(): number {
    return this.#pods.size + this.#quiet.size;
  }

  /** A Pod as it is now; not to be judged when `health` is undefined. */
  seen(uid: string, workload: WorkloadName, health: PodHealth | undefined): void {
    const isTroubled = health?.hasTrouble === true && !health.hasEnded;
    // In place, so that the order of a workload's findings does not change with each event.
    if (isTroubled) this.#pods.set(workload.namespace, uid, { workload, health });
    else this.#pods.delete(workload.namespace, uid);
    this.#quiet.seen(uid, workload, isTroubled ? undefined : health);
  }

  /** A Pod has been deleted, or has ended. So ends a Pod of a Job that a probe stopped. Its events may come later. */
  gone(namespace: string, uid: string): void {
    const known = this.#pods.get(namespace, uid);
    this.#pods.delete(namespace, uid);
    if (!this.#quiet.gone(namespace, uid, known)) this.#hints.forget(namespace, uid);
  }

  /** Forgets all Pods but these: the others have gone while nobody watched. */
  retain(uids: ReadonlySet<string>): void {
    for (const [namespace, uid] of [...this.#pods.entries(), ...this.#quiet.live()])
      if (!uids.has(uid)) this.gone(namespace, uid);
  }

  hint(hint: ProbeHint, receivedAt: number): void {
    this.#hints.add(hint, receivedAt);
  }

  /** All workloads that fail now, in the order of their keys. */
  findings(now: number): FailingWorkload[] {
    this.#hints.forgetOld(now);
    for (const [namespace, uid] of this.#quiet.forgetOld(now)) this.#hints.forget(namespace, uid);
    const held = [...this.#pods.values(), ...this.#quiet.values()];
    const failing = [...Map.groupBy(held, ({ workload }) => workloadKey(workload))].flatMap(([key, pods]) => {
      const failures = new Map<string, Failure>();
      for (const { workload, health } of pods) {
        for (const failure of diagnose(health, this.#hints.of(workload.namespace, health.uid), now)) {
          const place = `${failure.container} ${failure.cause} ${failure.described?.asks ?? ''}`;
          if (!failures.has(place)) failures.set(place, failure);
        }
      }
      const [first] = pods;
      if (first === undefined || failures.size === 0) return [];
      const live = pods.map(({ health }) => health).filter(({ hasEnded }) => !hasEnded);
      return [{ key, workload: first.workload, failures: [...failures.values()], pods: live }];
    });
    const shared = sharedTroubles(failing, now);
    return failing
      .toSorted((one, other) => (one.key < other.key ? -1 : 1))
      .map(({ key, workload, failures }) => ({ workload, failures, shared: shared.get(key) }));
  }
}
