import { Reflector } from '../cluster/client/reflector.ts';
import type { ApiClient } from '../cluster/client/api-client.ts';
import type { ClockAndRandom } from '../cluster/client/clock-and-random.ts';
import type { KubernetesObject } from '../cluster/client/kubernetes-object.ts';
import type { ReflectorOptions, ReflectorStatus } from '../cluster/client/reflector.ts';
import type { ObserverPart } from './observer-part.ts';

/** The listeners for Pods. Instants are of the wall clock, in milliseconds since the epoch. */
export interface PodListener {
  /**
   * A Pod of a list, or a Pod that is new or has changed. The Pod is dropped afterwards: keep what is needed of it, and
   * no part of it.
   */
  seen(pod: KubernetesObject, receivedAt: number): void;
  /**
   * A Pod has been deleted, or has ended: its phase is Succeeded or Failed. Pods that disappear while there is no watch
   * are not reported. They are the Pods that were not seen between `listing` and `listed`.
   */
  gone(pod: KubernetesObject, receivedAt: number): void;
  /** All Pods have been seen since the list began. */
  listed(): void;
  /** A list of all Pods begins: the first one, or another one after changes may have been missed. */
  listing?(): void;
}

/** The reports of the watch of Pods beside the Pods themselves. */
export interface PodWatchReports {
  /** Contact is lost, or back (undefined). */
  readonly troubled: (problem: string | undefined) => void;
  /** A listener has thrown. The other listeners and later Pods are not affected. */
  readonly failed: (error: unknown) => void;
}

/** Pods that have ended start nothing and fail nothing. */
const FIELD_SELECTOR = 'status.phase!=Succeeded,status.phase!=Failed';

/**
 * One watch of all Pods that have not ended, for all parts of the observer: lists in pages, then watches. The watch
 * keeps nothing.
 */
export class PodWatch implements ObserverPart {
  readonly #reflector: Reflector;
  readonly #listeners: PodListener[] = [];
  readonly #reports: PodWatchReports;
  readonly #now: () => number;
  #hasStarted = false;

  constructor(client: ApiClient, clock: ClockAndRandom, reports: PodWatchReports, options: ReflectorOptions = {}) {
    this.#reports = reports;
    this.#now = clock.now;
    const kind = { path: '/api/v1/pods', fieldSelector: FIELD_SELECTOR };
    const events = {
      listing: () => {
        this.#tell((listener) => listener.listing?.());
        return {
          page: (pods: readonly KubernetesObject[]) => {
            const at = this.#now();
            for (const pod of pods)
              this.#tell((listener) => {
                listener.seen(pod, at);
              });
          },
          end: () =>
            this.#tell((listener) => {
              listener.listed();
            }),
        };
      },
      applied: (pod: KubernetesObject) => {
        const at = this.#now();
        this.#tell((listener) => {
          listener.seen(pod, at);
        });
      },
      deleted: (pod: KubernetesObject) => {
        const at = this.#now();
        this.#tell((listener) => {
          listener.gone(pod, at);
        });
      },
      troubled: reports.troubled,
    };
    this.#reflector = new Reflector(client, kind, events, clock, options);
  }

  /** Adds a listener. To be called before the start. */
  listen(listener: PodListener): void {
    this.#listeners.push(listener);
  }

  /** Begins to list. Returns at once: the API server may be away. Without a listener, nothing is watched. */
  start(): void {
    if (this.#listeners.length === 0) return;
    this.#hasStarted = true;
    void this.#reflector.start();
  }

  stop(): void {
    this.#reflector.stop();
  }

  status(): ReflectorStatus {
    return this.#reflector.status();
  }

  /** The details in `/readyz`. */
  readonly details = (): Readonly<Record<string, unknown>> => {
    if (!this.#hasStarted) return {};
    const { synced, watching, problem } = this.#reflector.status();
    return { pods: { synced, watching, ...(problem !== undefined && { problem }) } };
  };

  /** A listener that throws would make the reflector list again, for each event of the same Pod. */
  #tell(call: (listener: PodListener) => void): void {
    for (const listener of this.#listeners) {
      try {
        call(listener);
      } catch (error) {
        this.#reports.failed(error);
      }
    }
  }
}
