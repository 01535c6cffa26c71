import { isDeepStrictEqual } from 'node:util';
import type { Facts } from '../facts/facts.ts';
import type { JsonObject } from '../json/json-value.ts';
import type { KubernetesObject } from '../kubernetes/kubernetes-object.ts';
import type { KindToMirror } from '../kubernetes/mirrored-kind.ts';
import type { ObjectName, ProjectionStore } from '../kubernetes/projection.ts';
import type { CheckCatalogue } from '../policy/check-catalogue.ts';
import type { FactKind, NamedFact } from './fact-kind.ts';

/**
 * What is kept of the objects of one kind of facts in a cluster. There is one sorted list for each namespace, and no
 * key for each object, because there may be tens of thousands of objects. A list is replaced and never changed, so
 * snapshots share the lists.
 */
export class FactStore implements ProjectionStore<NamedFact> {
  readonly kind: FactKind;
  /** How the kind is mirrored into this store. */
  readonly kindToMirror: KindToMirror<NamedFact>;
  readonly #changed: (facts: FactStore) => void;
  readonly #lists = new Map<string, readonly NamedFact[]>();
  /** Changes since `settle`, by namespace and name. Undefined = the object is gone. */
  #pending = new Map<string, Map<string, NamedFact | undefined>>();
  /** What the list under way has brought. Undefined while there is no list. */
  #listed: Set<NamedFact> | undefined;
  #isComplete = false;
  #facts: Partial<Facts> | undefined;

  /** @param changed is called with this store after a page or an event with changes, and after the first list */
  constructor(kind: FactKind, catalogue: CheckCatalogue, changed: (facts: FactStore) => void) {
    this.kind = kind;
    this.#changed = changed;
    this.kindToMirror = {
      path: `${kind.group === '' ? '/api' : '/apis'}/${kind.apiVersion}/${kind.resource}`,
      ...(kind.omit !== undefined && { omit: kind.omit }),
      project: (object, before) => {
        const reading = kind.read(asJson(object), catalogue);
        if (reading === undefined || 'problems' in reading) return undefined;
        const fact = kind.mirrored?.(reading.fact) ?? reading.fact;
        return before !== undefined && isDeepStrictEqual(before, fact) ? before : fact;
      },
    };
  }

  /** The facts that the store knows. The same value is returned until something changes. */
  get facts(): Partial<Facts> {
    this.#facts ??= this.kind.facts(this.#isComplete ? new Map(this.#lists) : undefined);
    return this.#facts;
  }

  /** The number of objects that are kept. */
  get size(): number {
    let size = 0;
    for (const list of this.#lists.values()) size += list.length;
    return size;
  }

  find({ namespace = '', name }: ObjectName): NamedFact | undefined {
    const changes = this.#pending.get(namespace);
    return changes?.has(name) === true ? changes.get(name) : found(this.#lists.get(namespace) ?? [], name);
  }

  put(name: ObjectName, value: NamedFact): void {
    this.#listed?.add(value);
    if (this.find(name) !== value) this.#note(name, value);
  }

  delete(name: ObjectName): void {
    if (this.find(name) !== undefined) this.#note(name, undefined);
  }

  settle(): void {
    if (this.#pending.size === 0) return;
    for (const [namespace, changes] of this.#pending) this.#change(namespace, changes);
    this.#pending = new Map();
    this.#report();
  }

  startList(): void {
    this.#listed = new Set();
  }

  endList(): void {
    for (const [namespace, list] of this.#lists)
      for (const fact of list)
        if (this.#listed?.has(fact) === false) this.#note({ namespace, name: fact.name }, undefined);
    this.#listed = undefined;
    const wasComplete = this.#isComplete;
    this.#isComplete = true;
    if (this.#pending.size > 0) this.settle();
    else if (!wasComplete) this.#report();
  }

  #report(): void {
    this.#facts = undefined;
    if (this.#isComplete) this.#changed(this);
  }

  #note({ namespace = '', name }: ObjectName, value: NamedFact | undefined): void {
    const changes = this.#pending.get(namespace);
    if (changes === undefined) this.#pending.set(namespace, new Map([[name, value]]));
    else changes.set(name, value);
  }

  #change(namespace: string, changes: ReadonlyMap<string, NamedFact | undefined>): void {
    const before = this.#lists.get(namespace) ?? [];
    const kept = before.filter(({ name }) => !changes.has(name));
    const added = [...changes.values()].filter((value) => value !== undefined);
    // The copy of slice has no room to grow, and there may be thousands of namespaces.
    const list = [...kept, ...added].sort((a, b) => (a.name < b.name ? -1 : 1)).slice();
    if (list.length === 0) this.#lists.delete(namespace);
    else this.#lists.set(namespace, list);
  }
}

function asJson(object: KubernetesObject): JsonObject {
  return object as unknown as JsonObject;
}

function found(list: readonly NamedFact[], name: string): NamedFact | undefined {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle]?.name ?? '') < name) low = middle + 1;
    else high = middle;
  }
  const candidate = list[low];
  return candidate?.name === name ? candidate : undefined;
}
