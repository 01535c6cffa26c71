import type { ProbeHint } from './probe-event.ts';

/** A hint with the instant when the observer received it, in milliseconds since the epoch. */
type ReceivedHint = ProbeHint & { readonly receivedAt: number };

/** At most so many Pods have hints: some 2 KiB each. */
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
  readonly #byNamespace = new Map<string, Map<string, Map<string, ReceivedHint>>>();
  #pods = 0;

  /** How many Pods have hints. */
  get size(): number {
    return this.#pods;
  }

  add(hint: ProbeHint, receivedAt: number): void {
    const ofNamespace = this.#byNamespace.get(hint.namespace) ?? new Map<string, Map<string, ReceivedHint>>();
    this.#byNamespace.set(hint.namespace, ofNamespace);
    const known = ofNamespace.get(hint.podUid);
    const ofPod = known ?? new Map<string, ReceivedHint>();
    if (known === undefined) this.#pods += 1;
    // Set again, so that the map is in the order of the last hints.
    else ofNamespace.delete(hint.podUid);
    ofNamespace.set(hint.podUid, ofPod);
    const key = `${hint.container}/${hint.probe}/${hint.cause}`;
    const before = ofPod.get(key);
    if (before === undefined && ofPod.size >= MOST_HINTS_A_POD) return;
    if (before === undefined || before.at <= hint.at) ofPod.set(key, { ...hint, receivedAt });
    if (this.#pods > MOST_PODS) this.#forgetOne();
  }

  of(namespace: string, podUid: string): readonly ProbeHint[] {
    return [...(this.#byNamespace.get(namespace)?.get(podUid)?.values() ?? [])];
  }

  forget(namespace: string, podUid: string): void {
    const ofNamespace = this.#byNamespace.get(namespace);
    if (ofNamespace?.delete(podUid) !== true) return;
    this.#pods -= 1;
    if (ofNamespace.size === 0) this.#byNamespace.delete(namespace);
  }

  /** Forgets the hints whose events the API server has forgotten too. */
  forgetOld(now: number): void {
    for (const [namespace, ofNamespace] of this.#byNamespace) {
      for (const [podUid, ofPod] of ofNamespace) {
        for (const [key, { receivedAt }] of ofPod) if (now - receivedAt > HINT_MILLISECONDS) ofPod.delete(key);
        if (ofPod.size === 0) this.forget(namespace, podUid);
      }
    }
  }

  /** Forgets the oldest Pod of the namespace with the most Pods. */
  #forgetOne(): void {
    let largest: readonly [string, ReadonlyMap<string, unknown>] | undefined;
    for (const entry of this.#byNamespace)
      if (largest === undefined || entry[1].size > largest[1].size) largest = entry;
    const oldest = largest?.[1].keys().next();
    if (largest !== undefined && oldest?.done === false) this.forget(largest[0], oldest.value);
  }
}
