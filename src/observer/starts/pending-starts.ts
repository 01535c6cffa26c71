import { PROFILE_BOUNDS } from '../../engine/policy/bounds.ts';
import { NamespaceShares } from '../namespace-shares.ts';
import type { WorkloadReference } from '../../engine/workload/workload-of-pod.ts';
import type { SeenStart } from './measured-start.ts';

/** A start to write, and when it was seen, in milliseconds since the epoch. */
export type PendingStart = SeenStart & { readonly seenAt: number };

export interface PendingWorkload {
  readonly key: string;
  readonly namespace: string;
  readonly workload: WorkloadReference;
  /** In the order in which they were seen; never empty. */
  readonly starts: readonly PendingStart[];
}

/** More workloads than start anything within five minutes. */
const MOST_WORKLOADS = 20_000;

/** Starts to write. Each replica collects them, so a new leader knows what the old one has not written. */
export class PendingStarts {
  readonly #workloads = new NamespaceShares<PendingWorkload>(MOST_WORKLOADS);

  get size(): number {
    return this.#workloads.size;
  }

  add(start: SeenStart, now: number): void {
    const { namespace, workload, container } = start;
    const key = [namespace, workload.apiVersion, workload.kind, workload.name].join('/');
    const before = this.#workloads.get(namespace, key)?.starts ?? [];
    const isKilled = start.sample === undefined;
    const own = before.filter((one) => one.container === container && (one.sample === undefined) === isKilled);
    // A kubelet that is restarted probes a start again. Its first end is the true one.
    if (own.some((one) => idOf(one) === idOf(start))) return;
    const most = isKilled ? PROFILE_BOUNDS.killedIds : PROFILE_BOUNDS.samples;
    const dropped = own.length >= most ? own[0] : undefined;
    const starts = [...before.filter((one) => one !== dropped), { ...start, seenAt: now }];
    if (new Set(starts.map((one) => one.container)).size > PROFILE_BOUNDS.containers) return;
    this.#workloads.set(namespace, key, { key, namespace, workload, starts });
  }

  find(namespace: string, key: string): PendingWorkload | undefined {
    return this.#workloads.get(namespace, key);
  }

  /** The workload with the oldest start first. */
  workloads(): readonly PendingWorkload[] {
    return [...this.#workloads.values()].sort((one, other) => sinceOf(one) - sinceOf(other));
  }

  /** Forgets starts that have been written, and keeps starts that have come since. */
  drop({ namespace, key, starts }: PendingWorkload): void {
    this.#keep(namespace, key, (start) => !starts.includes(start));
  }

  /** Forgets starts that were seen before this instant: another replica has written them. */
  expire(before: number): void {
    for (const [namespace, key] of this.#workloads.entries())
      this.#keep(namespace, key, ({ seenAt }) => seenAt >= before);
  }

  #keep(namespace: string, key: string, isKept: (start: PendingStart) => boolean): void {
    const pending = this.#workloads.get(namespace, key);
    if (pending === undefined) return;
    const starts = pending.starts.filter(isKept);
    if (starts.length === 0) this.#workloads.delete(namespace, key);
    else this.#workloads.set(namespace, key, { ...pending, starts });
  }
}

function idOf(start: SeenStart): string {
  return start.sample === undefined ? start.id : start.sample.id;
}

/** When the oldest start was seen, in milliseconds since the epoch. */
export function sinceOf({ starts }: PendingWorkload): number {
  return Math.min(...starts.map(({ seenAt }) => seenAt));
}
