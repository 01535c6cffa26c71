import { NamespaceShares } from '../namespace-shares.ts';
import { PROFILE_BOUNDS } from '../../engine/facts/startup-profile.ts';
import type { StartSample } from '../../engine/facts/startup-profile.ts';
import type { WorkloadReference } from '../../engine/workload/workload-of-pod.ts';
import type { ContainerNews, KilledSample, ProfileNews } from './profile-update.ts';
import type { MeasuredStart, StartPlace } from './measured-start.ts';
import type { KilledStart } from './start-inference.ts';

/** The starts of one workload that no profile has yet. */
export interface PendingWorkload {
  readonly key: string;
  readonly namespace: string;
  readonly workload: WorkloadReference;
  readonly news: ProfileNews;
  /** When the oldest of them was seen, in milliseconds since the epoch. */
  readonly since: number;
}

interface Pending extends PendingWorkload {
  readonly news: Map<string, { image: string; samples: StartSample[]; killed: KilledSample[] }>;
  /** When each start was seen, by its identity. */
  readonly seenAt: Map<string, number>;
  since: number;
}

/** More workloads than start anything within five minutes. */
const MOST_WORKLOADS = 20_000;

/**
 * Starts that wait to be written. Each replica of the observer collects them, so a new leader also knows the starts
 * that the old one had not written. Each start has an identity, so a start that two replicas write counts once.
 */
export class PendingStarts {
  readonly #workloads = new NamespaceShares<Pending>({ most: MOST_WORKLOADS });

  get size(): number {
    return this.#workloads.size;
  }

  measured({ sample, ...start }: MeasuredStart, now: number): void {
    const container = this.#container(start, now);
    // A kubelet that is restarted probes a start again. Its first end is the true one.
    if (container === undefined || container.samples.some(({ id }) => id === sample.id)) return;
    container.samples.push(sample);
    container.seenAt.set(sample.id, now);
    const dropped = container.samples.length > PROFILE_BOUNDS.samples ? container.samples.shift() : undefined;
    if (dropped !== undefined) container.seenAt.delete(dropped.id);
  }

  killed({ id, boundSeconds, ...start }: KilledStart, now: number): void {
    const container = this.#container(start, now);
    if (container === undefined || container.killed.length >= PROFILE_BOUNDS.killedIds) return;
    container.killed.push({ id, boundSeconds, at: new Date(now).toISOString().replace(/\.\d+Z$/, 'Z') });
    container.seenAt.set(id, now);
  }

  /** All workloads with starts to write, the oldest first. */
  workloads(): readonly PendingWorkload[] {
    return [...this.#workloads.values()].sort((one, other) => one.since - other.since);
  }

  /** Forgets starts that have been written, and keeps starts that have come since. */
  drop(written: PendingWorkload, news: ProfileNews): void {
    const pending = this.#workloads.get(written.namespace, written.key);
    if (pending === undefined) return;
    const known = new Set(
      [...news.values()].flatMap(({ samples, killed }) => [...samples, ...killed].map(({ id }) => id)),
    );
    this.#keep(pending, (id) => !known.has(id));
  }

  /** Forgets starts that were seen before this instant: another replica has written them. */
  expire(before: number): void {
    for (const pending of this.#workloads.values())
      if (pending.since < before) this.#keep(pending, (id) => (pending.seenAt.get(id) ?? 0) >= before);
  }

  #keep(pending: Pending, isKept: (id: string) => boolean): void {
    const left = new Set<string>();
    for (const [name, own] of pending.news) {
      own.samples = own.samples.filter(({ id }) => isKept(id));
      own.killed = own.killed.filter(({ id }) => isKept(id));
      if (own.samples.length === 0 && own.killed.length === 0) pending.news.delete(name);
      for (const { id } of [...own.samples, ...own.killed]) left.add(id);
    }
    for (const id of pending.seenAt.keys()) if (!left.has(id)) pending.seenAt.delete(id);
    if (left.size === 0) this.#workloads.delete(pending.namespace, pending.key);
    else pending.since = Math.min(...pending.seenAt.values());
  }

  #container(
    { namespace, workload, container, image }: StartPlace,
    now: number,
  ): { samples: StartSample[]; killed: KilledSample[]; seenAt: Map<string, number> } | undefined {
    const key = `${namespace}/${workload.apiVersion}/${workload.kind}/${workload.name}`;
    let pending = this.#workloads.get(namespace, key);
    if (pending === undefined) {
      pending = { key, namespace, workload, news: new Map(), seenAt: new Map(), since: now };
      this.#workloads.set(namespace, key, pending);
    }
    let known = pending.news.get(container);
    if (known === undefined) {
      if (pending.news.size >= PROFILE_BOUNDS.containers) return undefined;
      known = { image, samples: [], killed: [] };
      pending.news.set(container, known);
    }
    known.image = image;
    return { ...known, seenAt: pending.seenAt };
  }
}

/** A copy of news, which later starts leave alone. */
export function copied(news: ProfileNews): ProfileNews {
  return new Map(
    [...news].map(([name, { image, samples, killed }]): [string, ContainerNews] => [
      name,
      { image, samples: [...samples], killed: [...killed] },
    ]),
  );
}
