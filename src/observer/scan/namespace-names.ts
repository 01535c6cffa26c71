/** Names of objects, by namespace, kept up to date by lists and events. */
export class NamespaceNames {
  #names = new Map<string, Set<string>>();
  /** The names that the unfinished list has shown. */
  #listed: Map<string, Set<string>> | undefined;

  #isListed = false;

  /** True once a whole list has been read. */
  get isListed(): boolean {
    return this.#isListed;
  }

  add(namespace: string, name: string): void {
    addTo(this.#names, namespace, name);
    if (this.#listed !== undefined) addTo(this.#listed, namespace, name);
  }

  delete(namespace: string, name: string): void {
    for (const names of [this.#names, this.#listed]) {
      const ofNamespace = names?.get(namespace);
      ofNamespace?.delete(name);
      if (ofNamespace?.size === 0) names?.delete(namespace);
    }
  }

  /** The namespaces with at least one object. */
  get namespaces(): readonly string[] {
    return [...this.#names.keys()];
  }

  /** A list of all objects begins. What was known before stays until its end. */
  startList(): void {
    this.#listed = new Map();
  }

  /** The list is complete: what it has not shown is gone. */
  endList(): void {
    this.#names = this.#listed ?? this.#names;
    this.#listed = undefined;
    this.#isListed = true;
  }
}

function addTo(names: Map<string, Set<string>>, namespace: string, name: string): void {
  const ofNamespace = names.get(namespace);
  if (ofNamespace === undefined) names.set(namespace, new Set([name]));
  else ofNamespace.add(name);
}
