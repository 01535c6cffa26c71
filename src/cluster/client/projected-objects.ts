import { isDeepStrictEqual } from 'node:util';
import type { ObjectName, ProjectionStore } from './projection.ts';

/** The projections of the objects of one kind, by `name`, or by `namespace/name` for objects in namespaces. */
export class ProjectedObjects<T> implements ProjectionStore<T> {
  readonly #changed: (key: string) => void;
  readonly #values = new Map<string, T>();
  /** Keys that the list under way has not brought yet. */
  #unlisted = new Set<string>();

  /** @param changed an object is new, says something else than before, or is gone */
  constructor(changed: (key: string) => void) {
    this.#changed = changed;
  }

  get size(): number {
    return this.#values.size;
  }

  has(key: string): boolean {
    return this.#values.has(key);
  }

  /** A copy, which later changes leave alone. */
  snapshot(): ReadonlyMap<string, T> {
    return new Map(this.#values);
  }

  find(name: ObjectName): T | undefined {
    return this.#values.get(keyOf(name));
  }

  put(name: ObjectName, value: T): void {
    const key = keyOf(name);
    this.#unlisted.delete(key);
    if (this.#values.has(key) && isDeepStrictEqual(this.#values.get(key), value)) return;
    this.#values.set(key, value);
    this.#changed(key);
  }

  delete(name: ObjectName): void {
    this.#drop(keyOf(name));
  }

  settle(): void {
    // Each change is reported at once.
  }

  startList(): void {
    this.#unlisted = new Set(this.#values.keys());
  }

  endList(): void {
    for (const key of this.#unlisted) this.#drop(key);
    this.#unlisted = new Set();
  }

  #drop(key: string): void {
    if (this.#values.delete(key)) this.#changed(key);
  }
}

function keyOf({ namespace, name }: ObjectName): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}
