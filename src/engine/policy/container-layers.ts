import { mergeLayers } from './container-policy.ts';
import type { ContainerPolicy } from './container-policy.ts';
import type { PolicyLayer } from './probe-policy.ts';
import type { Container } from '../workload/containers.ts';

/** Number of merged policies of named containers in the cache. Each takes about 500 bytes. */
const REMEMBERED_CONTAINERS = 64;

/** True for a policy that gives containers probes. Other policies only set checks. */
function asksForProbes({ probes, slowStart, port }: PolicyLayer): boolean {
  return port !== undefined || Object.keys(probes).length > 0 || Object.keys(slowStart).length > 0;
}

/**
 * Finds the layers that apply to a container. Containers with the same layers share one merged policy: otherwise a Pod
 * with thousands of containers would search a thousand policies for each container. Most Pods have a few layers that
 * name no container, and cost one merge.
 */
export class ContainerLayers {
  /** The layers that ask for probes, lowest first. A policy that only sets checks is none of them. */
  readonly layers: readonly PolicyLayer[];
  readonly #hasMain: boolean;
  /** The numbers of the layers that name a container, by its name; undefined when no layer names any. */
  readonly #naming: ReadonlyMap<string, readonly number[]> | undefined;
  /**
   * The merged policies of containers that no layer names. The index adds 1 for an application and 2 for the main
   * container.
   */
  readonly #shared: (ContainerPolicy | null | undefined)[] = [undefined, undefined, undefined, undefined];
  readonly #named = new Map<string, ContainerPolicy>();

  /** @param layers lowest first */
  constructor(layers: readonly PolicyLayer[]) {
    const asking = layers.filter(asksForProbes);
    this.layers = asking;
    this.#hasMain = asking.some(({ containers }) => containers === 'main');
    this.#naming = asking.some(({ containers }) => typeof containers !== 'string') ? byContainer(asking) : undefined;
  }

  /** Returns the same layers with one more on top. */
  with(layer: PolicyLayer | undefined): ContainerLayers {
    return layer === undefined ? this : new ContainerLayers([...this.layers, layer]);
  }

  /**
   * The merged policy of the layers that apply to a container; undefined when no layer does. Only layers that name them
   * apply to sidecars, init and mesh containers.
   *
   * @param isMain called only when a layer has `containers: main`
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
      if (policy !== undefined) {
        if (this.#named.size >= REMEMBERED_CONTAINERS) this.#named.clear();
        this.#named.set(key, policy);
      }
    }
    return policy;
  }

  #merged(isApplication: boolean, isMain: boolean, naming?: ReadonlySet<number>): ContainerPolicy | undefined {
    const speaking = this.layers.filter((layer, at) => {
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
