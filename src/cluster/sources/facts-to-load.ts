import type { ObjectName } from '../client/projection.ts';

/** Something to load: one object, or all objects of a namespace. */
export type FactToLoad = { readonly object: ObjectName } | { readonly namespace: string };

/** Objects that a budget has room for again, and whose content is not in memory. */
export class FactsToLoad {
  /** By namespace: names of objects. Undefined stands for the objects of the namespace that are not recorded. */
  readonly #waiting = new Map<string, Set<string | undefined>>();
  /** By namespace that is being read: objects that the watch has reported since its reading began. */
  readonly #newer = new Map<string, Set<string>>();

  /** @param name undefined: all objects of the namespace that are not recorded */
  add(namespace: string, name: string | undefined): void {
    this.#waiting.set(namespace, (this.#waiting.get(namespace) ?? new Set()).add(name));
  }

  delete(namespace: string, name: string): void {
    const names = this.#waiting.get(namespace);
    if (names?.delete(name) === true && names.size === 0) this.#waiting.delete(namespace);
  }

  /** Takes out what is next. Namespaces take turns. */
  take(): FactToLoad | undefined {
    const next = this.#waiting.entries().next().value;
    if (next === undefined) return undefined;
    const [namespace, names] = next;
    const [name] = names;
    names.delete(name);
    this.#waiting.delete(namespace);
    if (names.size > 0) this.#waiting.set(namespace, names);
    if (name !== undefined) return { object: { namespace, name } };
    this.#newer.set(namespace, new Set());
    return { namespace };
  }

  /** Whether a namespace that was taken is still being read. */
  isBeingRead(namespace: string): boolean {
    return this.#newer.has(namespace);
  }

  endReading(namespace: string): void {
    this.#newer.delete(namespace);
  }

  /** The watch has reported an object. While its namespace is being read, a page may still bring an older state. */
  noteWatched(namespace: string, name: string): void {
    this.#newer.get(namespace)?.add(name);
  }

  /** Whether a page may bring an object: its namespace is being read, and the watch has not reported the object. */
  isToTake(namespace: string, name: string): boolean {
    return this.#newer.get(namespace)?.has(name) === false;
  }
}
