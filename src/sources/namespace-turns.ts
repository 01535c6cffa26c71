/**
 * Things to do that wait for their turn. Namespaces take turns, so that one with thousands of things delays no other; within a namespace
 * the oldest is first.
 */
export class NamespaceTurns {
  /** The namespace whose turn is next comes first. */
  readonly #waiting = new Map<string, Set<string>>();

  /** What waits already keeps its place. */
  add(namespace: string, name: string): void {
    const names = this.#waiting.get(namespace);
    if (names === undefined) this.#waiting.set(namespace, new Set([name]));
    else names.add(name);
  }

  delete(namespace: string, name: string): void {
    const names = this.#waiting.get(namespace);
    if (names?.delete(name) === true && names.size === 0) this.#waiting.delete(namespace);
  }

  /**
   * Takes out what is next; undefined when nothing waits, or only in namespaces that are passed over.
   *
   * @param isPassedOver for a namespace that has had enough for now
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
