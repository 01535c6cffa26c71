import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../base/text/error-message.ts';
import type { ApiClient } from '../../cluster/client/api-client.ts';
import { PAGE_SIZE, PagedList } from '../../cluster/client/paged-list.ts';
import { LIVE_PODS, OBSERVED_POD, collectionOf, type ObservedKind } from '../observed-workload.ts';
import type { KubernetesObject } from '../../cluster/client/kubernetes-object.ts';
import type { Snapshot } from '../../engine/facts/snapshot.ts';
import type { ProbeException } from '../../engine/policy/probe-exception.ts';
import type { WorkloadRecords } from './verdicts.ts';

export interface ListToRead {
  readonly kind: ObservedKind;
  readonly namespace: string | undefined;
  readonly fieldSelector?: string;
}

/** A kind as one text, for sets: `apps/Deployment`. */
export function kindKey({ group, kind }: { readonly group: string; readonly kind: string }): string {
  return `${group}/${kind}`;
}

/**
 * The lists that show the workloads of a scope. A kind is listed in each namespace that has workloads of the kind, or
 * in the whole cluster if that needs fewer requests. Pods are listed only in namespaces that have Pods without a
 * controller.
 */
export function listsFor(
  scope: AffectedNamespaces,
  kinds: readonly ObservedKind[],
  podNamespaces: readonly string[],
  records: WorkloadRecords,
): readonly ListToRead[] {
  const inScope = scope === 'all' ? [] : [...scope].flatMap((namespace) => [...records.values(namespace)]);
  const byKind = Map.groupBy(inScope, ({ workload }) => kindKey(workload));
  const pages = Math.ceil(records.size / PAGE_SIZE);
  const lists = kinds.flatMap((kind): ListToRead[] => {
    if (scope === 'all') return [{ kind, namespace: undefined }];
    const ofKind = byKind.get(kindKey(kind.served)) ?? [];
    const namespaces = [...new Set(ofKind.map(({ workload }) => workload.namespace))];
    if (namespaces.length > pages) return [{ kind, namespace: undefined }];
    return namespaces.map((namespace) => ({ kind, namespace }));
  });
  const ofPods = podNamespaces
    .filter((namespace) => scope === 'all' || scope.has(namespace))
    .map((namespace) => ({ kind: OBSERVED_POD, namespace, fieldSelector: LIVE_PODS }));
  return [...lists, ...ofPods];
}

/** Spaces requests, so that at most so many begin in a second. Each turn waits for the turn before it. */
export class RateLimiter {
  readonly #intervalMilliseconds: number;
  readonly #monotonic: () => number;
  #next = 0;

  constructor(perSecond: number, monotonic: () => number) {
    this.#intervalMilliseconds = 1000 / perSecond;
    this.#monotonic = monotonic;
  }

  async turn(signal: AbortSignal): Promise<void> {
    const now = this.#monotonic();
    const at = Math.max(now, this.#next);
    this.#next = at + this.#intervalMilliseconds;
    if (at > now) await sleep(at - now, undefined, { signal });
    signal.throwIfAborted();
  }
}

/** Hands over each object of a list. Resolves with the problem if the list could not be read whole. */
type ReadList = (list: ListToRead, take: (object: KubernetesObject) => void) => Promise<string | undefined>;

/** Lists workloads page by page, at a limited pace. Each page is dropped after use. */
export function listReader(client: ApiClient, limiter: RateLimiter, signal: AbortSignal): ReadList {
  const paced: Pick<ApiClient, 'measured'> = {
    measured: async (request) => {
      await limiter.turn(signal);
      return await client.measured(request);
    },
  };
  return async ({ kind, namespace, fieldSelector }, take) => {
    const query = fieldSelector === undefined ? {} : { fieldSelector };
    const request = { path: collectionOf(kind, namespace), query, dropsStatus: true, signal };
    try {
      await new PagedList(paced).forEachPage(request, ({ items }) => {
        for (const item of items) if (!signal.aborted) take(item);
      });
      return undefined;
    } catch (error) {
      return messageOf(error);
    }
  };
}

/** Pods without a controller: namespaces by UID. Every replica knows them, so a new leader need not list all Pods. */
export class StandalonePods extends Map<string, string> {
  /** True once a whole list has been read. */
  isListed = false;

  get namespaces(): readonly string[] {
    return [...new Set(this.values())];
  }

  /** A list of all Pods is complete: what it has not shown is gone. */
  listed(uids: ReadonlySet<string>): void {
    for (const uid of this.keys()) if (!uids.has(uid)) this.delete(uid);
    this.isListed = true;
  }
}

export type AffectedNamespaces = 'all' | ReadonlySet<string>;

/**
 * Compares two snapshots. A changed ClusterProbePolicy affects all namespaces, a changed policy or fact of a namespace
 * affects that namespace. Labels of a namespace count only while a policy looks at them.
 *
 * @param namespaces the namespaces with workloads
 */
export function affectedNamespaces(
  before: Snapshot,
  after: Snapshot,
  namespaces: readonly string[],
): AffectedNamespaces {
  const affected = new Set<string>();
  if (before.tiers !== after.tiers) {
    const old = new Set(before.policies);
    const changed = [...after.policies.filter((policy) => !old.delete(policy)), ...old];
    for (const { namespace } of changed) {
      if (namespace === undefined) return 'all';
      affected.add(namespace);
    }
  }
  const looksAtLabels = before.looksAtNamespaceLabels || after.looksAtNamespaceLabels;
  const [old, now] = [before.facts, after.facts];
  for (const namespace of namespaces) {
    const isSame =
      (!looksAtLabels || old.namespaceLabels.get(namespace) === now.namespaceLabels.get(namespace)) &&
      isSameList(old.exceptions.ofNamespace(namespace), now.exceptions.ofNamespace(namespace)) &&
      isSameList(old.starts.ofNamespace(namespace), now.starts.ofNamespace(namespace)) &&
      isSameList(old.services?.ofNamespace(namespace), now.services?.ofNamespace(namespace));
    if (!isSame) affected.add(namespace);
  }
  return affected;
}

/** The elements of unchanged objects are the same in both snapshots. */
function isSameList(one: readonly unknown[] | undefined, other: readonly unknown[] | undefined): boolean {
  if (one === other) return true;
  return one?.length === other?.length && one?.every((element, index) => element === other?.[index]) === true;
}

export function union(one: AffectedNamespaces, other: AffectedNamespaces): AffectedNamespaces {
  return one === 'all' || other === 'all' ? 'all' : new Set([...one, ...other]);
}

const DAY = 24 * 60 * 60 * 1000;

/** The namespaces with an exception that ends after one instant, up to another. */
export function exceptionEnds(snapshot: Snapshot | undefined, after: number, until: number): ReadonlySet<string> {
  const ended = new Set<string>();
  for (const [namespace, exceptions] of snapshot?.facts.exceptions.lists ?? [])
    if (exceptions.some((exception) => endsWithin(exception, after, until))) ended.add(namespace);
  return ended;
}

/** An exception ends at its own end, and at a whole number of days after its creation if a policy limits it so. */
function endsWithin({ expires, created }: ProbeException, after: number, until: number): boolean {
  if (expires > after && expires <= until) return true;
  if (created === undefined || until <= created) return false;
  return Math.floor((until - created) / DAY) > Math.floor((after - created) / DAY);
}
