import { compareText } from '../../base/text/cut.ts';

/** Objects of one kind, by namespace and name. The value is immutable. */
export class ByNamespace<T extends { readonly name: string }> {
  readonly lists: ReadonlyMap<string, readonly T[]>;

  /** @param lists are kept as they are, so the caller must not change them */
  constructor(lists: ReadonlyMap<string, readonly T[]>) {
    this.lists = lists;
  }

  ofNamespace(namespace: string): readonly T[] {
    return this.lists.get(namespace) ?? [];
  }

  find(namespace: string, name: string): T | undefined {
    return this.ofNamespace(namespace).find((known) => known.name === name);
  }

  with(others: ByNamespace<T>): ByNamespace<T> {
    const merged = new Map(this.lists);
    for (const [namespace, list] of others.lists) {
      const byName = new Map([...this.ofNamespace(namespace), ...list].map((object) => [object.name, object]));
      merged.set(
        namespace,
        [...byName.values()].sort((one, other) => compareText(one.name, other.name)),
      );
    }
    return new ByNamespace(merged);
  }

  filter(keeps: (namespace: string, object: T) => boolean): ByNamespace<T> {
    const kept = [...this.lists].map(
      ([namespace, list]) => [namespace, list.filter((object) => keeps(namespace, object))] as const,
    );
    return new ByNamespace(new Map(kept));
  }
}
