import type { PolicyLayer } from './probe-policy.ts';

/** Computes once for each set of layers that apply: many containers of a Pod have the same layers. */
export class LayerSets<Layer extends PolicyLayer, Merged> {
  readonly #merge: (layers: readonly Layer[]) => Merged;
  readonly #known = new Map<string, Merged>();

  constructor(merge: (layers: readonly Layer[]) => Merged) {
    this.#merge = merge;
  }

  /** @param all the same layers in each call */
  of(all: readonly Layer[], applies: (layer: Layer) => boolean): Merged {
    let key = '';
    const applying = all.filter((layer) => {
      const isIn = applies(layer);
      key += isIn ? '1' : '0';
      return isIn;
    });
    const known = this.#known.get(key) ?? this.#merge(applying);
    this.#known.set(key, known);
    return known;
  }
}

/** The names of the layers that name containers. */
export function layerNames(layers: readonly PolicyLayer[]): ReadonlyMap<PolicyLayer, ReadonlySet<string>> {
  return new Map(
    layers.flatMap((layer) =>
      typeof layer.containers === 'string' ? [] : [[layer, new Set(layer.containers)] as const],
    ),
  );
}
