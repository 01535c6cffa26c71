import { collectionPath, PODS } from '../cluster/client/api-path.ts';
import { textAt } from '../base/json/field-path.ts';
import { Reflector, type ReflectorContext } from '../cluster/client/reflector.ts';
import { LIVE_PODS } from './observed-workload.ts';
import type { KubernetesObject } from '../cluster/client/kubernetes-object.ts';
import type { Logger } from 'pino';

/** A listener for Pods. Instants are of the wall clock, in milliseconds since the epoch. */
export interface PodListener {
  /** A Pod of a list, or one that is new or has changed. No part of it may be kept. */
  seen(pod: KubernetesObject, receivedAt: number): void;
  /** The Pod has been deleted, or has ended: its phase is Succeeded or Failed. */
  gone(pod: KubernetesObject, receivedAt: number): void;
  /** The Pod has failed, and is still there. A listener without this is told that it is gone. */
  failed?(pod: KubernetesObject): void;
  listing?(): void;
  /** All Pods have been seen since the list began. A Pod whose UID is not here has gone while nobody watched. */
  listed?(uids: ReadonlySet<string>): void;
}

/** One watch of all Pods that have not succeeded, for all parts. It keeps nothing. */
export class PodWatch {
  readonly #reflector: Reflector;
  readonly #listeners: PodListener[] = [];
  readonly #log: Logger;
  #hasStarted = false;

  constructor(context: ReflectorContext & { readonly log: Logger }) {
    const { log, now } = context;
    this.#log = log;
    const notifyNow = (event: 'seen' | 'gone', pod: KubernetesObject): void => {
      const at = now();
      this.#notify((listener) => listener[event](pod, at));
    };
    const pods = { path: collectionPath(PODS), fieldSelector: LIVE_PODS };
    this.#reflector = new Reflector(context, pods, {
      seen: (objects) =>
        objects.forEach((pod) => {
          if (textAt(pod, 'status', 'phase') !== 'Failed') notifyNow('seen', pod);
          else this.#notify((listener) => (listener.failed ?? listener.gone.bind(listener))(pod, now()));
        }),
      gone: (pod) => notifyNow('gone', pod),
      listing: () => this.#notify((listener) => listener.listing?.()),
      listed: (uids) => this.#notify((listener) => listener.listed?.(uids)),
      troubled: (problem) => {
        if (problem === undefined) log.info('Pods can be watched again');
        else log.warn({ problem }, 'Pods cannot be watched now');
      },
    });
  }

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

  readonly details = (): Readonly<Record<string, unknown>> => {
    if (!this.#hasStarted) return {};
    const { synced, watching, problem } = this.#reflector.status();
    return { pods: { synced, watching, ...(problem !== undefined && { problem }) } };
  };

  /** A listener that throws would make the reflector list again, for each event of the same Pod. */
  #notify(call: (listener: PodListener) => void): void {
    for (const listener of this.#listeners) {
      try {
        call(listener);
      } catch (error) {
        this.#log.error({ err: error }, 'a Pod cannot be evaluated');
      }
    }
  }
}
