import { mergeLayers } from '../policy/container-policy.ts';
import type { ContainerPolicy } from '../policy/container-policy.ts';
import type { PolicyLayer } from '../policy/probe-policy.ts';
import type { Container } from '../workload/containers.ts';

/** Whom a layer speaks for, without the containers that it names. */
type Group = 'all' | 'main';

const NO_LAYERS: readonly number[] = [];

/**
 * Layers, sorted by whom they speak for. Containers that the same layers speak for share one policy, so that a Pod with thousands of containers in a
 * namespace with a thousand policies does not look at all of them for each.
 */
export class ContainerLayers {
  readonly #layers: readonly PolicyLayer[];
  readonly #groups: Readonly<Record<Group, readonly number[]>>;
  /** The layers that name a container, by its name. */
  readonly #naming = new Map<string, number[]>();
  readonly #known = new Map<string, ContainerPolicy>();

  /** @param layers lowest first */
  constructor(layers: readonly PolicyLayer[]) {
    const groups: Record<Group, number[]> = { all: [], main: [] };
    for (const [at, { containers }] of layers.entries()) {
      if (typeof containers === 'string') groups[containers].push(at);
      else
        for (const name of containers) {
          const others = this.#naming.get(name);
          if (others === undefined) this.#naming.set(name, [at]);
          else others.push(at);
        }
    }
    this.#layers = layers;
    this.#groups = groups;
  }

  /**
   * What the layers that speak for a container say; undefined when none does. Sidecars, init and mesh containers are only ever spoken for by name.
   */
  policyFor(container: Container, isMain: boolean): ContainerPolicy | undefined {
    const groups = [
      container.role === 'application' ? this.#groups.all : NO_LAYERS,
      isMain ? this.#groups.main : NO_LAYERS,
      this.#naming.get(container.name) ?? NO_LAYERS,
    ];
    if (groups.every(({ length }) => length === 0)) return undefined;
    const [all, main, naming] = groups;
    const key = `${all?.length ?? 0} ${main?.length ?? 0} ${naming?.join(' ') ?? ''}`;
    let policy = this.#known.get(key);
    if (policy === undefined) {
      const speaking = groups.flat().sort((one, other) => one - other);
      policy = mergeLayers(speaking.flatMap((at) => this.#layers[at] ?? []));
      this.#known.set(key, policy);
    }
    return policy;
  }
}
