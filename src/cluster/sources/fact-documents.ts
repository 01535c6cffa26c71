import { NO_FACTS, type Facts, type LabelsOfNamespace } from '../../engine/facts/facts.ts';
import { FACT_KINDS, type FactKind } from './fact-kinds.ts';
import type { Named } from './stored-kind.ts';

/** Facts that are collected from documents, one by one. */
export class CollectedFacts {
  readonly #namespaceLabels = new Map<string, LabelsOfNamespace>();
  readonly #objects = new Map<FactKind, Map<string, Named[]>>();
  #facts: Facts | undefined;

  addNamespace(name: string, labels: LabelsOfNamespace): void {
    this.#namespaceLabels.set(name, labels);
    this.#facts = undefined;
  }

  add(kind: FactKind, namespace: string, fact: Named): void {
    const byNamespace = this.#objects.get(kind) ?? new Map<string, Named[]>();
    this.#objects.set(kind, byNamespace);
    const list = byNamespace.get(namespace);
    if (list === undefined) byNamespace.set(namespace, [fact]);
    else list.push(fact);
    this.#facts = undefined;
  }

  /** Notes that all objects of a kind have been read, even if there are none. */
  addKind(kind: FactKind): void {
    if (!this.#objects.has(kind)) this.#objects.set(kind, new Map());
    this.#facts = undefined;
  }

  /** The facts of all documents so far. */
  get facts(): Facts {
    this.#facts ??= Object.assign(
      { ...NO_FACTS, namespaceLabels: this.#namespaceLabels },
      ...FACT_KINDS.map((kind) => kind.facts(sorted(this.#objects.get(kind)))),
    ) as Facts;
    return this.#facts;
  }
}

function sorted(
  objects: ReadonlyMap<string, readonly Named[]> | undefined,
): ReadonlyMap<string, readonly Named[]> | undefined {
  if (objects === undefined) return undefined;
  return new Map(
    [...objects].map(([namespace, list]) => [namespace, list.toSorted((a, b) => (a.name < b.name ? -1 : 1))] as const),
  );
}
