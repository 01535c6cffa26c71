import { Reflector } from '../cluster/client/reflector.ts';
import { LIVE_PODS } from './observed-workload.ts';
import type { Logger } from 'pino';
import type { ApiClient } from '../cluster/client/api-client.ts';
import type { ClockAndRandom } from '../cluster/client/clock-and-random.ts';
import type { KubernetesObject } from '../cluster/client/kubernetes-object.ts';
import type { ReflectorOptions } from '../cluster/client/reflector.ts';

/** A listener for Pods. Instants are of the wall clock, in milliseconds since the epoch. */
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
  /** A list of all Pods begins: the first one, or another one after changes may have been missed. */
  listing?(): void;
  /** All Pods have been seen since the list began. */
  listed?(): void;
}

/**
 * One watch of all Pods that have not ended, for all parts of the observer: lists in pages, then watches. The watch
 * keeps nothing.
 */
export class PodWatch {
  readonly #reflector: Reflector;
  readonly #listeners: PodListener[] = [];
  readonly #log: Logger;
  #hasStarted = false;

  constructor(client: ApiClient, clock: ClockAndRandom & { readonly log: Logger }, options: ReflectorOptions = {}) {
    const { log, now } = clock;
    this.#log = log;
    const seen = (pod: KubernetesObject): void => {
      const at = now();
      this.#tell((listener) => listener.seen(pod, at));
    };
    const events = {
      listing: () => {
        this.#tell((listener) => listener.listing?.());
        return {
          page: (pods: readonly KubernetesObject[]) => pods.forEach(seen),
          end: () => this.#tell((listener) => listener.listed?.()),
        };
      },
      applied: seen,
      deleted: (pod: KubernetesObject) => {
        const at = now();
        this.#tell((listener) => listener.gone(pod, at));
      },
      troubled: (problem: string | undefined) => {
        if (problem === undefined) log.info('Pods can be watched again');
        else log.warn({ problem }, 'Pods cannot be watched now');
      },
    };
    this.#reflector = new Reflector(client, { path: '/api/v1/pods', fieldSelector: LIVE_PODS }, events, clock, options);
  }

  /** Adds a listener. To be called before the start. */
  listen(listener: PodListener): void {
    this.#listeners.push(listener);
  }

  /** Begins to list. Returns at once: the API server may be away. */
  start(): void {
    this.#hasStarted = true;
    void this.#reflector.start();
  }

  stop(): void {
    this.#reflector.stop();
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
        this.#log.error({ err: error }, 'a Pod cannot be evaluated');
      }
    }
  }
}
