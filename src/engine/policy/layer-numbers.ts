import type { PolicyLayer } from './probe-policy.ts';

/**
 * Numbers for layers, as parts of a key. A source is not enough: a policy in a file and a policy in the cluster may
 * have the same source.
 */
export class LayerNumbers {
  readonly #numbers = new WeakMap<PolicyLayer, number>();
  #last = 0;

  /** Returns a text that two lists share only if they hold the same layers in the same order. */
  keyOf(layers: readonly PolicyLayer[]): string {
    let key = '';
    for (const layer of layers) {
      let number = this.#numbers.get(layer);
      if (number === undefined) this.#numbers.set(layer, (number = ++this.#last));
      key += `${number} `;
    }
    return key;
  }
}
