import { NamespaceShares } from '../namespace-shares.ts';
import type { ProbeHint } from './probe-events.ts';

type ReceivedHint = ProbeHint & { readonly receivedAt: number };

/** A hint keeps so many of its last times. A kubelet sends 25 events of a Pod at once, and then one in 5 minutes. */
const MOST_TIMES = 12;

/** At most so many Pods have hints: some 3 KiB each. */
const MOST_PODS = 10_000;
const MOST_HINTS_A_POD = 32;
/** The API server keeps events for an hour. */
const HINT_MILLISECONDS = 3_600_000;

/**
 * The kubelet's events of the last hour, by namespace and Pod. A tenant may write any event in the tenant's namespace,
 * also about UIDs of Pods elsewhere. So an event counts only for Pods of its own namespace, and the namespace
 * with the most Pods loses first.
 */
export class ProbeHints {
  /** Within a namespace, the Pod whose last hint is the oldest comes first. */
  readonly #pods = new NamespaceShares<Map<string, ReceivedHint>>(MOST_PODS);

  get size(): number {
    return this.#pods.size;
  }

  add(hint: ProbeHint, receivedAt: number): void {
    const { namespace, podUid } = hint;
    const ofPod = this.#pods.get(namespace, podUid) ?? new Map<string, ReceivedHint>();
    const key = `${hint.container}/${hint.probe ?? ''}/${hint.cause}/${hint.isVoid}`;
    const before = ofPod.get(key);
    if (before !== undefined || ofPod.size < MOST_HINTS_A_POD)
      ofPod.set(key, { ...hint, times: merged(before, hint), told: toldOf(before, hint), receivedAt });
    // Set again, so that the Pods are in the order of their last hints.
    this.#pods.delete(namespace, podUid);
    this.#pods.set(namespace, podUid, ofPod);
  }

  of(namespace: string, podUid: string): readonly ProbeHint[] {
    return [...(this.#pods.get(namespace, podUid)?.values() ?? [])];
  }

  forget(namespace: string, podUid: string): void {
    this.#pods.delete(namespace, podUid);
  }

  /** Forgets the hints whose events the API server has forgotten too. */
  forgetOld(now: number): void {
    for (const [namespace, podUid, ofPod] of this.#pods.entries()) {
      for (const [key, { receivedAt }] of ofPod) if (now - receivedAt > HINT_MILLISECONDS) ofPod.delete(key);
      if (ofPod.size === 0) this.forget(namespace, podUid);
    }
  }
}

function merged(before: ProbeHint | undefined, { times }: ProbeHint): number[] {
  return [...new Set([...(before?.times ?? []), ...times])].sort((one, other) => one - other).slice(-MOST_TIMES);
}

/** At most as many events as times: a tenant may write any number of events. */
function toldOf(before: ProbeHint | undefined, { told = new Map() }: ProbeHint): ReadonlyMap<string, number> {
  return new Map([...(before?.told ?? []), ...told].slice(-MOST_TIMES));
}
