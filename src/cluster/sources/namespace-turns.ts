/**
 * A queue in which namespaces take turns, so that a namespace with thousands of entries delays no other. Within a
 * namespace, the oldest entry comes first.
 */
export class NamespaceTurns {
  /** The namespace whose turn is next comes first. */
  readonly #waiting = new Map<string, Set<string>>();

  /** An entry that waits already keeps its place. */
  add(namespace: string, name: string): void {
    const names = this.#waiting.get(namespace);
    if (names === undefined) this.#waiting.set(namespace, new Set([name]));
    else names.add(name);
  }

  delete(namespace: string, name: string): void {
    const names = this.#waiting.get(namespace);
    if (names?.delete(name) === true && names.size === 0) this.#waiting.delete(namespace);
  }

  clear(): void {
    this.#waiting.clear();
  }

  /**
   * Takes out the next entry; undefined when nothing waits, except in namespaces that are passed over.
   *
   * @param isPassedOver true for a namespace that has enough under way
   */
  take(isPassedOver: (namespace: string) => boolean): string | undefined {
    for (const [namespace, names] of this.#waiting) {
      if (isPassedOver(namespace)) continue;
      const [name] = names;
      if (name === undefined) continue;
      names.delete(name);
      this.#waiting.delete(namespace);
      if (names.size > 0) this.#waiting.set(namespace, names);
      return name;
    }
    return undefined;
  }
}
