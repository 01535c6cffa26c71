import { Reflector } from '../../cluster/client/reflector.ts';
import { collectionOf } from '../observed-workload.ts';
import type { ApiClient } from '../../cluster/client/api-client.ts';
import type { ClockAndRandom } from '../../cluster/client/clock-and-random.ts';
import type { KubernetesObject } from '../../cluster/client/kubernetes-object.ts';
import type { ReflectorOptions } from '../../cluster/client/reflector.ts';
import type { ObservedKind } from '../observed-workload.ts';

/** The reports of the watches. */
export interface WorkloadWatchListener {
  readonly applied: (object: KubernetesObject, kind: ObservedKind) => void;
  readonly deleted: (object: KubernetesObject, kind: ObservedKind) => void;
  /** A whole list has been handed to `applied` since `began` was called. */
  readonly began: (kind: ObservedKind) => void;
  readonly listed: (kind: ObservedKind) => void;
  readonly troubled: (kind: ObservedKind, problem: string | undefined) => void;
}

/** One watch for each kind of workload. A kind can be added while the others are watched. */
export class WorkloadWatches {
  readonly #client: ApiClient;
  readonly #listener: WorkloadWatchListener;
  readonly #clock: ClockAndRandom;
  readonly #options: ReflectorOptions;
  readonly #watches = new Map<string, { readonly kind: ObservedKind; readonly reflector: Reflector }>();

  constructor(client: ApiClient, listener: WorkloadWatchListener, clock: ClockAndRandom, options: ReflectorOptions) {
    this.#client = client;
    this.#listener = listener;
    this.#clock = clock;
    this.#options = options;
  }

  /** The kinds that are watched. */
  get kinds(): readonly ObservedKind[] {
    return [...this.#watches.values()].map(({ kind }) => kind);
  }

  /** The kind of this group and name, if it is watched. */
  find(group: string, kind: string): ObservedKind | undefined {
    return this.kinds.find(({ served }) => served.group === group && served.kind === kind);
  }

  /** True while each watched kind has been read whole. */
  get isComplete(): boolean {
    return [...this.#watches.values()].every(({ reflector }) => reflector.status().synced);
  }

  /** Watches these kinds, and no others. A kind that is watched already stays as it is. */
  follow(kinds: readonly ObservedKind[]): void {
    const wanted = new Map(kinds.map((kind) => [collectionOf(kind), kind]));
    for (const [path, { reflector }] of this.#watches) {
      if (wanted.has(path)) continue;
      reflector.stop();
      this.#watches.delete(path);
    }
    for (const [path, kind] of wanted) if (!this.#watches.has(path)) this.#watch(path, kind);
  }

  stop(): void {
    for (const { reflector } of this.#watches.values()) reflector.stop();
    this.#watches.clear();
  }

  #watch(path: string, kind: ObservedKind): void {
    const listener = this.#listener;
    const events = {
      listing: () => {
        listener.began(kind);
        return {
          page: (objects: readonly KubernetesObject[]) => {
            for (const object of objects) listener.applied(object, kind);
          },
          end: () => {
            listener.listed(kind);
          },
        };
      },
      applied: (object: KubernetesObject) => {
        listener.applied(object, kind);
      },
      deleted: (object: KubernetesObject) => {
        listener.deleted(object, kind);
      },
      troubled: (problem: string | undefined) => {
        listener.troubled(kind, problem);
      },
    };
    const reflector = new Reflector(this.#client, { path }, events, this.#clock, this.#options);
    this.#watches.set(path, { kind, reflector });
    void reflector.start();
  }
}
