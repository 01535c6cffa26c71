import { resolve } from 'node:path';
import type { Kustomization } from './kustomizations.ts';

/** Which kustomizations contain which others. */
export class KustomizationGraph {
  readonly #all: readonly Kustomization[];

  constructor(all: readonly Kustomization[]) {
    this.#all = all;
  }

  /** The kustomizations that no other one contains: what people apply. */
  roots(): readonly Kustomization[] {
    const contained = new Set(this.#all.flatMap(({ resources }) => [...resources]));
    const roots = this.#all.filter(({ directory, isComponent }) => !isComponent && !contained.has(resolve(directory)));
    const reached = this.#reachedFrom([...roots, ...this.#all.filter(({ isComponent }) => isComponent)]);
    // Kustomizations that contain each other have no root. kustomize reports the cycle.
    const cyclic = this.#all.find((each) => !reached.has(each));
    return cyclic === undefined ? roots : [...roots, cyclic];
  }

  /** The absolute paths that are parts of these kustomizations, also through other kustomizations. */
  partsOf(roots: readonly Kustomization[]): ReadonlySet<string> {
    return new Set([...this.#reachedFrom(roots)].flatMap(({ resources }) => [...resources]));
  }

  #reachedFrom(roots: readonly Kustomization[]): ReadonlySet<Kustomization> {
    const byDirectory = new Map(this.#all.map((each) => [resolve(each.directory), each]));
    const reached = new Set(roots);
    // The loop also visits what is added to the set meanwhile.
    for (const { resources } of reached)
      for (const path of resources) {
        const next = byDirectory.get(path);
        if (next !== undefined) reached.add(next);
      }
    return reached;
  }
}
