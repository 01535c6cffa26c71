/** The bound of a store, in the unit of its weights. */
export interface SharesBound<Value> {
  readonly most: number;
  /** What one value takes of the bound; 1 by default. */
  readonly weight?: (value: Value) => number;
}

/** The values of one namespace, in the order in which their keys were set first. */
interface Share<Value> {
  readonly values: Map<string, Value>;
  weight: number;
}

/**
 * A bounded store of values by namespace and key. When the store is full, the namespace that takes the most loses its
 * oldest value. A tenant who fills the store therefore pushes out the tenant's own values, and no others.
 */
export class NamespaceShares<Value> {
  readonly #shares = new Map<string, Share<Value>>();
  readonly #most: number;
  readonly #weightOf: (value: Value) => number;
  #size = 0;
  #weight = 0;
  #lost = 0;

  constructor({ most, weight = () => 1 }: SharesBound<Value>) {
    this.#most = most;
    this.#weightOf = weight;
  }

  /** How many values are held. */
  get size(): number {
    return this.#size;
  }

  /** How many values were lost since the start because the store was full. */
  get lost(): number {
    return this.#lost;
  }

  get(namespace: string, key: string): Value | undefined {
    return this.#shares.get(namespace)?.values.get(key);
  }

  /** Sets a value. A key that is held keeps its place in the order; delete the key first to make it the youngest. */
  set(namespace: string, key: string, value: Value): void {
    const share = this.#shares.get(namespace) ?? { values: new Map<string, Value>(), weight: 0 };
    this.#shares.set(namespace, share);
    const before = share.values.get(key);
    if (before === undefined) this.#size += 1;
    share.values.set(key, value);
    this.#weigh(share, this.#weightOf(value) - (before === undefined ? 0 : this.#weightOf(before)));
    while (this.#weight > this.#most) this.#loseOne();
  }

  delete(namespace: string, key: string): boolean {
    const share = this.#shares.get(namespace);
    const value = share?.values.get(key);
    if (share === undefined || value === undefined) return false;
    share.values.delete(key);
    this.#size -= 1;
    this.#weigh(share, -this.#weightOf(value));
    if (share.values.size === 0) this.#shares.delete(namespace);
    return true;
  }

  /** All values with their places. Values may be deleted meanwhile. */
  *entries(): Generator<readonly [namespace: string, key: string, value: Value]> {
    for (const [namespace, { values }] of this.#shares)
      for (const [key, value] of values) yield [namespace, key, value];
  }

  *values(): Generator<Value> {
    for (const { values } of this.#shares.values()) yield* values.values();
  }

  #weigh(share: Share<Value>, change: number): void {
    share.weight += change;
    this.#weight += change;
  }

  /** Drops the oldest value of the namespace that takes the most. */
  #loseOne(): void {
    let largest: readonly [string, Share<Value>] | undefined;
    for (const entry of this.#shares) if (largest === undefined || entry[1].weight > largest[1].weight) largest = entry;
    const oldest = largest?.[1].values.keys().next();
    if (largest === undefined || oldest?.done !== false) return;
    this.delete(largest[0], oldest.value);
    this.#lost += 1;
  }
}
