import { mergeLayers } from '../policy/container-policy.ts';
import type { ContainerPolicy } from '../policy/container-policy.ts';
import type { PolicyLayer } from '../policy/probe-policy.ts';
import type { Container } from '../workload/containers.ts';

/**
 * Layers, by whom they speak for. Containers that the same layers speak for share one policy, so that a Pod with thousands of containers in a
 * namespace with a thousand policies does not look at all of them for each. Most Pods meet a few layers that name no container: for these nothing is
 * made but what the layers say.
 */
export class ContainerLayers {
  readonly #layers: readonly PolicyLayer[];
  readonly #hasMain: boolean;
  /** The numbers of the layers that name a container, by its name; undefined when no layer names any. */
  readonly #naming: ReadonlyMap<string, readonly number[]> | undefined;
  /** What is said about containers that no layer names, by whether they are applications (1) and the main container (2). */
  readonly #shared: (ContainerPolicy | null | undefined)[] = [undefined, undefined, undefined, undefined];
  readonly #named = new Map<string, ContainerPolicy>();

  /** @param layers lowest first */
  constructor(layers: readonly PolicyLayer[]) {
    this.#layers = layers;
    this.#hasMain = layers.some(({ containers }) => containers === 'main');
    this.#naming = layers.some(({ containers }) => typeof containers !== 'string') ? byContainer(layers) : undefined;
  }

  /**
   * What the layers that speak for a container say; undefined when none does. Sidecars, init and mesh containers are only ever spoken for by name.
   *
   * @param isMain asked only when a layer speaks for the main container
   */
  policyFor(container: Container, isMain: (container: Container) => boolean): ContainerPolicy | undefined {
    const isApplication = container.role === 'application';
    const isTheMain = this.#hasMain && isMain(container);
    const which = (isApplication ? 1 : 0) + (isTheMain ? 2 : 0);
    const naming = this.#naming?.get(container.name);
    if (naming === undefined) {
      let shared = this.#shared[which];
      if (shared === undefined) this.#shared[which] = shared = this.#merged(isApplication, isTheMain) ?? null;
      return shared ?? undefined;
    }
    const key = `${which} ${naming.join(' ')}`;
    let policy = this.#named.get(key);
    if (policy === undefined) {
      policy = this.#merged(isApplication, isTheMain, new Set(naming));
      if (policy !== undefined) this.#named.set(key, policy);
    }
    return policy;
  }

  #merged(isApplication: boolean, isMain: boolean, naming?: ReadonlySet<number>): ContainerPolicy | undefined {
    const speaking = this.#layers.filter((layer, at) => {
      if (layer.containers === 'all') return isApplication;
      if (layer.containers === 'main') return isMain;
      return naming?.has(at) === true;
    });
    return speaking.length === 0 ? undefined : mergeLayers(speaking);
  }
}

/** The numbers of the layers that name a container, by its name. */
function byContainer(layers: readonly PolicyLayer[]): ReadonlyMap<string, readonly number[]> {
  const naming = new Map<string, number[]>();
  for (const [at, { containers }] of layers.entries()) {
    if (typeof containers === 'string') continue;
    for (const name of containers) {
      const others = naming.get(name);
      if (others === undefined) naming.set(name, [at]);
      else others.push(at);
    }
  }
  return naming;
}
