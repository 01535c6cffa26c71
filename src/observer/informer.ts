import { Reflector, type Reflected } from '../cluster/client/reflector.ts';
import type { ApiClient } from '../cluster/client/api-client.ts';
import type { KubernetesObject } from '../cluster/client/kubernetes-object.ts';

/** The dependencies of an informer. Times are in milliseconds. */
export interface InformerContext {
  readonly client: ApiClient;
  /** The wall clock, since the epoch. */
  readonly now: () => number;
  /** A number from 0 to 1. */
  readonly random: () => number;
  /** How long a watch lasts. */
  readonly watchRenewal: number;
}

export interface InformerHandlers {
  /** An object of a list, or an object that is new or has changed. */
  readonly seen: (object: KubernetesObject) => void;
  readonly gone?: (object: KubernetesObject) => void;
  /** A list of the whole collection begins. */
  readonly listing?: () => void;
  /** All objects have been seen since the list began: those with these UIDs. */
  readonly listed?: (uids: ReadonlySet<string>) => void;
  /** Contact is lost, or back (undefined). */
  readonly troubled: (problem: string | undefined) => void;
}

/** Makes an informer of a collection: it lists, then watches. It is not started, and keeps no object. */
export function informer(
  { client, now, random, watchRenewal }: InformerContext,
  kind: Reflected,
  { seen, gone, listing, listed, troubled }: InformerHandlers,
): Reflector {
  const listener = {
    listing: () => {
      listing?.();
      const uids = new Set<string>();
      const page = (objects: readonly KubernetesObject[]): void => {
        for (const object of objects) {
          if (listed !== undefined && object.metadata.uid !== undefined) uids.add(object.metadata.uid);
          seen(object);
        }
      };
      return { page, end: () => listed?.(uids) };
    },
    applied: seen,
    deleted: (object: KubernetesObject) => gone?.(object),
    troubled,
  };
  return new Reflector(client, kind, listener, { now, random }, { renewalMilliseconds: watchRenewal });
}
