import { ContainerLayers } from './container-layers.ts';
import type { LayerNumbers } from './layer-numbers.ts';
import type { PolicyLayer } from './probe-policy.ts';

/** Number of lists of layers in the cache. The cache has a limit because callers choose labels and namespaces. */
const REMEMBERED_LISTS = 200;

/** A list with more layers than this is not kept: it takes too much memory, and few namespaces have one. */
const MOST_LAYERS = 32;

/** A list whose layers name more containers than this is not kept either. */
const MOST_NAMES = 200;

/**
 * The probes that layers give to each container, remembered for lists of layers that were asked about before. Merging
 * the layers takes longer than the rest of defaulting. The cache lives as long as the policies, like CheckPolicies.
 */
export class RememberedContainerLayers {
  readonly #remembered = new Map<string, ContainerLayers>();
  readonly #numbers: LayerNumbers;

  constructor(numbers: LayerNumbers) {
    this.#numbers = numbers;
  }

  forLayers(layers: readonly PolicyLayer[]): ContainerLayers {
    if (layers.length > MOST_LAYERS) return new ContainerLayers(layers);
    const key = this.#numbers.keyOf(layers);
    const known = this.#remembered.get(key);
    if (known !== undefined) return known;
    const made = new ContainerLayers(layers);
    if (namesIn(layers) > MOST_NAMES) return made;
    if (this.#remembered.size >= REMEMBERED_LISTS) this.#remembered.clear();
    this.#remembered.set(key, made);
    return made;
  }
}

function namesIn(layers: readonly PolicyLayer[]): number {
  let names = 0;
  for (const { containers } of layers) if (typeof containers !== 'string') names += containers.length;
  return names;
}
