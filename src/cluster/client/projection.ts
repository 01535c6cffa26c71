import type { KubernetesObject } from './kubernetes-object.ts';
import type { ReflectorListener } from './reflector.ts';

/** Which object of a kind. */
export interface ObjectName {
  /** Undefined for an object of the cluster. */
  readonly namespace: string | undefined;
  readonly name: string;
}

/**
 * Reads what is kept of an object; undefined when nothing is. The object is dropped afterwards, so the result must not
 * refer to the object or to a part of it. Must not throw, because an object may hold anything that its author wrote.
 *
 * @param before what is kept of an earlier state of the object
 */
export type Projection<T> = (object: KubernetesObject, before: T | undefined) => T | undefined;

/** Keeps what a projection has read of the objects of one kind. */
export interface ProjectionStore<T> {
  find(name: ObjectName): T | undefined;
  /** Keeps what was read of an object that is new or has changed. */
  put(name: ObjectName, value: T): void;
  delete(name: ObjectName): void;
  /** Called after each page of a list and after each event of a watch. */
  settle(): void;
  /**
   * A list of all objects begins. What was kept before stays until the end of the list. A list that breaks off has no
   * end.
   */
  startList(): void;
  /** The list is complete: the store drops what was not put since `startList`. */
  endList(): void;
}

/** Projects each object that a reflector hands over, so that the store never holds a whole object. */
export function projectInto<T>(
  project: Projection<T>,
  store: ProjectionStore<T>,
): Pick<ReflectorListener, 'listing' | 'applied' | 'deleted'> {
  const take = (object: KubernetesObject): void => {
    const name = nameOf(object);
    const value = project(object, store.find(name));
    if (value === undefined) store.delete(name);
    else store.put(name, value);
  };
  return {
    listing: () => {
      store.startList();
      return {
        page: (objects) => {
          for (const object of objects) take(object);
          store.settle();
        },
        end: () => {
          store.endList();
        },
      };
    },
    applied: (object) => {
      take(object);
      store.settle();
    },
    deleted: (object) => {
      store.delete(nameOf(object));
      store.settle();
    },
  };
}

function nameOf({ metadata: { namespace, name } }: KubernetesObject): ObjectName {
  return { namespace, name };
}
