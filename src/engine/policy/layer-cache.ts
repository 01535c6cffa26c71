/**
 * What is made of lists of layers, remembered for known lists. It lives as long as the policies, so it holds no old
 * version, and it has a limit, because callers choose labels and namespaces.
 */
export class LayerCache<Layer extends object, Made> {
  readonly #make: (layers: readonly Layer[]) => Made;
  readonly #most: number;
  /** A source is not enough as a key: a policy in a file and one in the cluster may have the same source. */
  readonly #numbers = new WeakMap<Layer, number>();
  readonly #made = new Map<string, Made>();
  #last = 0;

  /** @param most the number of lists that are remembered */
  constructor(most: number, make: (layers: readonly Layer[]) => Made) {
    this.#most = most;
    this.#make = make;
  }

  of(layers: readonly Layer[]): Made {
    const key = this.#keyOf(layers);
    const known = this.#made.get(key);
    if (known !== undefined) return known;
    const made = this.#make(layers);
    if (this.#made.size >= this.#most) this.#made.clear();
    this.#made.set(key, made);
    return made;
  }

  #keyOf(layers: readonly Layer[]): string {
    let key = '';
    for (const layer of layers) {
      let number = this.#numbers.get(layer);
      if (number === undefined) this.#numbers.set(layer, (number = ++this.#last));
      key += `${number} `;
    }
    return key;
  }
}
