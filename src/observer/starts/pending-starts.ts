import { PROFILE_BOUNDS, type StartSample } from '../../engine/facts/startup-profile.ts';
import { NamespaceShares } from '../namespace-shares.ts';
import type { WorkloadReference } from '../../engine/workload/workload-of-pod.ts';
import type { MeasuredStart, StartPlace } from './measured-start.ts';
import type { KilledSample, ProfileNews } from './profile-update.ts';
import type { KilledStart } from './start-inference.ts';

interface PendingStart {
  readonly id: string;
  /** When it was seen, in milliseconds since the epoch. */
  readonly seenAt: number;
  readonly container: string;
  readonly image: string;
  readonly sample?: StartSample;
  readonly killed?: KilledSample;
}

export interface PendingWorkload {
  readonly key: string;
  readonly namespace: string;
  readonly workload: WorkloadReference;
  readonly news: ProfileNews;
  /** When the oldest of them was seen, in milliseconds since the epoch. */
  readonly since: number;
}

interface Pending extends Pick<PendingWorkload, 'namespace' | 'workload'> {
  starts: readonly PendingStart[];
}

/** More workloads than start anything within five minutes. */
const MOST_WORKLOADS = 20_000;

/** Starts to write. Each replica collects them, so a new leader knows what the old one has not written. */
export class PendingStarts {
  readonly #workloads = new NamespaceShares<Pending>(MOST_WORKLOADS);

  get size(): number {
    return this.#workloads.size;
  }

  measured({ sample, ...place }: MeasuredStart, now: number): void {
    const { container, image } = place;
    const starts = this.#startsOf(place);
    const own = starts.filter((one) => one.container === container && one.sample !== undefined);
    // A kubelet that is restarted probes a start again. Its first end is the true one.
    if (own.some(({ id }) => id === sample.id)) return;
    const dropped = own.length >= PROFILE_BOUNDS.samples ? own[0] : undefined;
    const others = starts.filter((one) => one !== dropped);
    this.#set(place, [...others, { id: sample.id, seenAt: now, container, image, sample }]);
  }

  killed({ id, boundSeconds, ...place }: KilledStart, now: number): void {
    const { container, image } = place;
    const starts = this.#startsOf(place);
    const own = starts.filter((one) => one.container === container && one.killed !== undefined);
    if (own.length >= PROFILE_BOUNDS.killedIds) return;
    const killed = { id, boundSeconds, at: new Date(now).toISOString().replace(/\.\d+Z$/, 'Z') };
    this.#set(place, [...starts, { id, seenAt: now, container, image, killed }]);
  }

  workloads(): readonly PendingWorkload[] {
    return [...this.#workloads.entries()]
      .map(([, key, { namespace, workload, starts }]) => ({
        key,
        namespace,
        workload,
        news: newsOf(starts),
        since: Math.min(...starts.map(({ seenAt }) => seenAt)),
      }))
      .sort((one, other) => one.since - other.since);
  }

  /** Forgets starts that have been written, and keeps starts that have come since. */
  drop({ namespace, key, news }: PendingWorkload): void {
    const known = new Set(
      [...news.values()].flatMap(({ samples, killed }) => [...samples, ...killed].map(({ id }) => id)),
    );
    this.#keep(namespace, key, ({ id }) => !known.has(id));
  }

  /** Forgets starts that were seen before this instant: another replica has written them. */
  expire(before: number): void {
    for (const [namespace, key] of this.#workloads.entries())
      this.#keep(namespace, key, ({ seenAt }) => seenAt >= before);
  }

  #keep(namespace: string, key: string, isKept: (start: PendingStart) => boolean): void {
    const pending = this.#workloads.get(namespace, key);
    if (pending === undefined) return;
    pending.starts = pending.starts.filter(isKept);
    if (pending.starts.length === 0) this.#workloads.delete(namespace, key);
  }

  #startsOf({ namespace, workload }: StartPlace): readonly PendingStart[] {
    return this.#workloads.get(namespace, keyOf(namespace, workload))?.starts ?? [];
  }

  #set({ namespace, workload }: StartPlace, starts: readonly PendingStart[]): void {
    const containers = new Set(starts.map(({ container }) => container));
    if (containers.size > PROFILE_BOUNDS.containers) return;
    this.#workloads.set(namespace, keyOf(namespace, workload), { namespace, workload, starts });
  }
}

function keyOf(namespace: string, { apiVersion, kind, name }: WorkloadReference): string {
  return `${namespace}/${apiVersion}/${kind}/${name}`;
}

/** The starts by container. The newest one tells the image. */
function newsOf(starts: readonly PendingStart[]): ProfileNews {
  const byContainer = [...Map.groupBy(starts, ({ container }) => container)];
  return new Map(
    byContainer.map(([container, own]) => [
      container,
      {
        image: own.at(-1)?.image ?? '',
        samples: own.flatMap(({ sample }) => sample ?? []),
        killed: own.flatMap(({ killed }) => killed ?? []),
      },
    ]),
  );
}
