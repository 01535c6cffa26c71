/**
 * The Pods without a controller, by namespace. Every replica keeps their names, so that a new leader need not list all
 * Pods.
 */
export class StandalonePods {
  #names = new Map<string, Set<string>>();
  /** The names that the unfinished list has shown. */
  #listed: Map<string, Set<string>> | undefined;
  #isListed = false;

  /** True once a whole list has been read. */
  get isListed(): boolean {
    return this.#isListed;
  }

  /** The namespaces with at least one such Pod. */
  get namespaces(): readonly string[] {
    return [...this.#names.keys()];
  }

  add(namespace: string, name: string): void {
    for (const names of [this.#names, this.#listed])
      names?.set(namespace, (names.get(namespace) ?? new Set()).add(name));
  }

  delete(namespace: string, name: string): void {
    for (const names of [this.#names, this.#listed]) {
      const ofNamespace = names?.get(namespace);
      if (ofNamespace?.delete(name) === true && ofNamespace.size === 0) names?.delete(namespace);
    }
  }

  /** A list of all Pods begins. What was known before stays until its end. */
  listing(): void {
    this.#listed = new Map();
  }

  /** The list is complete: what it has not shown is gone. */
  listed(): void {
    this.#names = this.#listed ?? this.#names;
    this.#listed = undefined;
    this.#isListed = true;
  }
}
