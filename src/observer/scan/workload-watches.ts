import { hasCode } from '../../cluster/client/api-error.ts';
import { tryList } from '../../cluster/client/paged-list.ts';
import { Reflector } from '../../cluster/client/reflector.ts';
import { discoverKinds, resourceOf } from '../../cluster/sources/cluster-kinds.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { isReadyMade } from '../../engine/workload/custom-kinds.ts';
import { isPod, workloadKind } from '../../engine/workload/kinds.ts';
import { collectionOf } from '../observed-workload.ts';
import type { KubernetesObject } from '../../cluster/client/kubernetes-object.ts';
import type { ObservedKind } from '../observed-workload.ts';
import type { ScanDependencies } from './verdicts.ts';

/** The reports of the watches. */
export interface WorkloadWatchListener {
  readonly applied: (object: KubernetesObject, kind: ObservedKind) => void;
  readonly deleted: (object: KubernetesObject, kind: ObservedKind) => void;
  /** A list of all objects of the kind begins. */
  readonly listing: (kind: ObservedKind) => void;
  /** The whole list has been handed to `applied`. */
  readonly listed: (kind: ObservedKind) => void;
  readonly troubled: (kind: ObservedKind, problem: string | undefined) => void;
}

type Dependencies = Pick<ScanDependencies, 'client' | 'kinds' | 'log' | 'now' | 'random' | 'watchRenewal'>;

/** One watch for each kind of workload that the API server has. */
export class WorkloadWatches {
  readonly #dependencies: Dependencies;
  readonly #listener: WorkloadWatchListener;
  readonly #watches = new Map<string, { readonly kind: ObservedKind; readonly reflector: Reflector }>();
  /** The kinds that have been named because they may not be listed. */
  readonly #leftOut = new Set<string>();
  #isStopped = false;

  constructor(dependencies: Dependencies, listener: WorkloadWatchListener) {
    this.#dependencies = dependencies;
    this.#listener = listener;
  }

  /** The kinds that are watched. */
  get kinds(): readonly ObservedKind[] {
    return [...this.#watches.values()].map(({ kind }) => kind);
  }

  /** True while each watched kind has been read whole. */
  get isComplete(): boolean {
    return [...this.#watches.values()].every(({ reflector }) => reflector.status().synced);
  }

  /** Watches the kinds that the API server has now. False if it cannot be asked. */
  async discover(): Promise<boolean> {
    const { client, kinds: known, log } = this.#dependencies;
    try {
      const { kinds, problems } = await discoverKinds(client, known);
      for (const problem of problems) log.warn({ problem }, 'kinds of workloads cannot be found out');
      const observed = kinds.flatMap((served): ObservedKind[] => {
        const templates = workloadKind(served.group, served.kind, known);
        // Pods come from the one watch of Pods. Reports are objects of a namespace.
        return templates === undefined || isPod(templates) || !served.isNamespaced ? [] : [{ served, templates }];
      });
      const arePermitted = await Promise.all(observed.map((kind) => this.#isPermitted(kind)));
      const permitted = observed.filter((_, index) => arePermitted[index]);
      // A group that could not be asked keeps its watches.
      if (!this.#isStopped) this.#follow(problems.length === 0 ? permitted : [...permitted, ...this.kinds]);
      return true;
    } catch (error) {
      log.warn({ problem: messageOf(error) }, 'kinds of workloads cannot be found out');
      return false;
    }
  }

  stop(): void {
    this.#isStopped = true;
    this.#follow([]);
  }

  /**
   * False for a ready-made kind that may not be listed: the chart grants the kinds of `workloadKinds` only. A kind that
   * is watched without a right fails for ever, so no scan would ever be complete. A configured kind is always watched.
   */
  async #isPermitted(kind: ObservedKind): Promise<boolean> {
    const { client, log } = this.#dependencies;
    if (!isReadyMade(kind.templates)) return true;
    try {
      await tryList(client, collectionOf(kind));
      return true;
    } catch (error) {
      // The watch reports all other failures.
      if (!hasCode(error, 403)) return true;
      const resource = resourceOf(kind.served);
      if (!this.#leftOut.has(resource)) log.info({ resource }, 'the observer leaves out a kind that is not configured');
      this.#leftOut.add(resource);
      return false;
    }
  }

  /** Watches these kinds, and no others. A kind that is watched already stays as it is. */
  #follow(kinds: readonly ObservedKind[]): void {
    const wanted = new Map(kinds.map((kind) => [collectionOf(kind), kind]));
    for (const [path, { reflector }] of this.#watches) {
      if (wanted.has(path)) continue;
      reflector.stop();
      this.#watches.delete(path);
    }
    for (const [path, kind] of wanted) if (!this.#watches.has(path)) this.#watch(path, kind);
  }

  #watch(path: string, kind: ObservedKind): void {
    const { client, now, random, watchRenewal } = this.#dependencies;
    const listener = this.#listener;
    const applied = (object: KubernetesObject): void => listener.applied(object, kind);
    const events = {
      listing: () => {
        listener.listing(kind);
        return {
          page: (objects: readonly KubernetesObject[]) => objects.forEach(applied),
          end: () => listener.listed(kind),
        };
      },
      applied,
      deleted: (object: KubernetesObject) => listener.deleted(object, kind),
      troubled: (problem: string | undefined) => listener.troubled(kind, problem),
    };
    const options = { renewalMilliseconds: watchRenewal };
    const reflector = new Reflector(client, { path }, events, { now, random }, options);
    this.#watches.set(path, { kind, reflector });
    void reflector.start();
  }
}
