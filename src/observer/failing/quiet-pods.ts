import { NamespaceShares } from '../namespace-shares.ts';
import type { WorkloadName } from '../workload-key.ts';
import type { PodHealth } from './pod-health.ts';

/** A Pod, and the workload to which findings about the Pod belong. */
export interface HeldPod {
  readonly workload: WorkloadName;
  readonly health: PodHealth;
}

/** At most so many Pods without trouble are held. The oldest of the namespace with the most are forgotten first. */
const MOST_READY = 10_000;
const MOST_ENDED = 1000;
/** The events about the end of a Pod come 9 s later at most. Jobs create the next Pod after 6 minutes at most. */
const ENDED_MILLISECONDS = 660_000;

/**
 * Pods whose status shows no trouble of a probe, though their events may: Ready Pods whose probes have no result or a
 * false one, and Pods of Jobs that ended because a probe stopped them.
 */
export class QuietPods {
  readonly #ready = new NamespaceShares<HeldPod>({ most: MOST_READY });
  readonly #ended = new NamespaceShares<HeldPod & { since?: number }>({ most: MOST_ENDED });

  get size(): number {
    return this.#ready.size + this.#ended.size;
  }

  /** A Pod as it is now; undefined when it is not to be held here. */
  seen(uid: string, workload: WorkloadName, health: PodHealth | undefined): void {
    const { namespace } = workload;
    if (health === undefined || health.hasEnded) this.#ready.delete(namespace, uid);
    else this.#ready.set(namespace, uid, { workload, health });
    if (health?.hasEnded !== true) this.#ended.delete(namespace, uid);
    else if (this.#ended.get(namespace, uid) === undefined) this.#hold(uid, { workload, health });
  }

  /**
   * A Pod has been deleted, or has ended.
   *
   * @param known the Pod, when it is held elsewhere
   * @returns true when the Pod is held for a while, because a probe may have ended it
   */
  gone(namespace: string, uid: string, known = this.#ready.get(namespace, uid)): boolean {
    this.#ready.delete(namespace, uid);
    // An ended Pod that goes once more has been deleted.
    if (this.#ended.delete(namespace, uid) || known === undefined) return false;
    return this.#hold(uid, { ...known, health: { ...known.health, hasEnded: true } });
  }

  /** The places of the Pods that have not ended. */
  *live(): Generator<readonly [namespace: string, uid: string]> {
    for (const [namespace, uid] of this.#ready.entries()) yield [namespace, uid];
  }

  *values(): Generator<HeldPod> {
    yield* this.#ready.values();
    yield* this.#ended.values();
  }

  /** Forgets Pods that ended long ago, and returns their places. */
  forgetOld(now: number): (readonly [namespace: string, uid: string])[] {
    const old: (readonly [string, string])[] = [];
    for (const [namespace, uid, pod] of this.#ended.entries()) {
      pod.since ??= now;
      if (now - pod.since > ENDED_MILLISECONDS && this.#ended.delete(namespace, uid)) old.push([namespace, uid]);
    }
    return old;
  }

  #hold(uid: string, pod: HeldPod): boolean {
    const mayBeKilled = pod.health.containers.some(
      ({ isLast, limits }) => isLast && limits.earliestKillSeconds !== undefined,
    );
    if (mayBeKilled) this.#ended.set(pod.workload.namespace, uid, pod);
    return mayBeKilled;
  }
}
