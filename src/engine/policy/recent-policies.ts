/** The number of answers that are kept. A search among more would cost what it saves. */
const RECENT = 16;

/**
 * The merged policies of the latest workloads, by their layers. A rollout asks for the same workload many times in a
 * row. A list of layers that is the same list as before also lets others keep what they made of it.
 */
export class RecentPolicies<P extends { readonly layers: readonly object[] }> {
  readonly #recent: P[] = [];
  #oldest = 0;

  /** The policy of the same layers in the same order, or what `make` makes of the layers. */
  ofLayers(layers: P['layers'], make: (layers: P['layers']) => P): P {
    for (const known of this.#recent) if (isSame(known.layers, layers)) return known;
    const made = make(layers);
    this.#recent[this.#oldest] = made;
    this.#oldest = (this.#oldest + 1) % RECENT;
    return made;
  }
}

/** Compares from the end: lists begin with the cluster's policies, which most lists share. */
function isSame(list: readonly object[], other: readonly object[]): boolean {
  if (list.length !== other.length) return false;
  for (let at = list.length - 1; at >= 0; at--) if (list[at] !== other[at]) return false;
  return true;
}
