import { isDeepStrictEqual } from 'node:util';
import { FactBudgets } from './fact-budgets.ts';
import { LeftOutFact, unreadable } from './left-out-fact.ts';
import { FactReports } from './fact-reports.ts';
import type { Facts } from '../../engine/facts/facts.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { KubernetesObject } from '../client/kubernetes-object.ts';
import type { KindToMirror } from '../client/mirrored-kind.ts';
import type { ObjectName, ProjectionStore } from '../client/projection.ts';
import type { Listing } from '../client/reflector.ts';
import type { CheckCatalogue } from '../../engine/policy/check-catalogue.ts';
import type { FactKind, NamedFact } from './fact-kind.ts';
import type { FactCounts, FactListener, LeftOutObject } from './fact-reports.ts';
import type { Loading, StoreToLoad } from './object-loader.ts';
import type { FactToLoad } from './facts-to-load.ts';

/** The API server accepts names of at most 253 characters. */
const LONGEST_NAME = 253;

/**
 * The kept parts of all objects of one kind of facts in a cluster, within the budgets of the kind. Each namespace has
 * one sorted list, without a key for each object. A cluster may have tens of thousands of objects. A list is replaced
 * and never changed, so snapshots share the lists.
 */
export class FactStore implements ProjectionStore<NamedFact>, StoreToLoad<FactToLoad> {
  readonly omit: readonly string[];
  readonly kind: FactKind;
  /** How the kind is mirrored into this store. */
  readonly kindToMirror: KindToMirror<NamedFact>;
  readonly #listener: FactListener;
  readonly #lists = new Map<string, readonly NamedFact[]>();
  readonly #budgets: FactBudgets;
  readonly #reports: FactReports;
  /** Changes since `settle`, by namespace and name. Undefined = the object is gone. */
  #pending = new Map<string, Map<string, NamedFact | undefined>>();
  /** Names that the list under way has not brought yet, by namespace. Undefined while there is no list. */
  #unlisted: Map<string, Set<string>> | undefined;
  #isComplete = false;
  #facts: Partial<Facts> | undefined;

  constructor(kind: FactKind, catalogue: CheckCatalogue, listener: FactListener) {
    this.kind = kind;
    this.omit = kind.omit ?? [];
    this.#listener = listener;
    this.#budgets = new FactBudgets(kind, this.#lists);
    this.#reports = new FactReports(kind.kind, this.#budgets, listener);
    this.kindToMirror = {
      path: collectionPath(kind),
      omit: this.omit,
      project: (object, before) => project(kind, catalogue, object, before),
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

  /** How many objects are left out, and what the kept ones use of the budget of all namespaces. */
  counts(): FactCounts {
    return this.#reports.counts();
  }

  /** Objects that are left out. */
  leftOut(): Generator<LeftOutObject> {
    return this.#reports.leftOut();
  }

  find({ namespace = '', name }: ObjectName): NamedFact | undefined {
    const changes = this.#pending.get(namespace);
    return changes?.has(name) === true ? changes.get(name) : found(this.#lists.get(namespace) ?? [], name);
  }

  put(name: ObjectName, value: NamedFact): void {
    this.#noteWatched(name);
    if (this.find(name) !== value) this.#note(name, value);
  }

  delete(name: ObjectName): void {
    this.#noteWatched(name);
    const isLeftOut = this.#budgets.leftOut.get(name.namespace ?? '')?.byName.has(name.name) === true;
    if (isLeftOut || this.find(name) !== undefined) this.#note(name, undefined);
  }

  settle(): void {
    this.#settle(false);
  }

  startList(): void {
    this.#unlisted = new Map();
    for (const [namespace, list] of this.#lists) this.#noteUnlisted(namespace, list);
    for (const [namespace, known] of this.#budgets.leftOut) {
      this.#noteUnlisted(namespace, known.byName.values());
      known.end = undefined;
    }
  }

  endList(): void {
    for (const [namespace, names] of this.#unlisted ?? [])
      for (const name of names) this.#note({ namespace, name }, undefined);
    this.#unlisted = undefined;
    const wasComplete = this.#isComplete;
    this.#isComplete = true;
    this.#settle(!wasComplete);
  }

  /** The objects to load. An object is returned again only after a change, or after it was put back. */
  takeIncomplete(): FactToLoad | undefined {
    const what = this.#budgets.toLoad.take();
    if (what !== undefined && 'namespace' in what) this.#budgets.beginReading(what.namespace);
    return what;
  }

  /** Puts back the taken objects that could not be loaded. */
  putBack(what: FactToLoad): void {
    const { toLoad, leftOut } = this.#budgets;
    if ('namespace' in what) {
      toLoad.endReading(what.namespace);
      toLoad.add(what.namespace, undefined);
    } else {
      const { namespace = '', name } = what.object;
      if (leftOut.get(namespace)?.byName.has(name) === true) toLoad.add(namespace, name);
    }
  }

  loading(what: FactToLoad): Loading {
    if ('namespace' in what)
      return { path: collectionPath(this.kind, what.namespace), listing: this.#namespaceListing(what.namespace) };
    const { namespace, name } = what.object;
    return { path: collectionPath(this.kind, namespace), name, listing: this.#objectListing(what.object) };
  }

  /** Takes an object that a budget has room for. An object that is gone is left to the watch. */
  #objectListing({ namespace = '', name }: ObjectName): Listing {
    return {
      page: ([object]) => {
        if (object === undefined || this.#budgets.leftOut.get(namespace)?.byName.has(name) !== true) return;
        this.#note({ namespace, name }, this.kindToMirror.project(object, undefined));
        this.settle();
      },
      end: () => undefined,
    };
  }

  /** Takes the objects of a namespace that were not recorded, page by page. The watch is newer than these pages. */
  #namespaceListing(namespace: string): Listing {
    const { toLoad } = this.#budgets;
    return {
      page: (objects) => {
        for (const object of objects) {
          const name = { namespace, name: object.metadata.name };
          if (toLoad.isToTake(namespace, name.name) && this.find(name) === undefined)
            this.#note(name, this.kindToMirror.project(object, undefined));
        }
        this.settle();
      },
      end: () => {
        toLoad.endReading(namespace);
        this.settle();
      },
    };
  }

  /** @param isNews true to report the facts even if no list has changed */
  #settle(isNews: boolean): void {
    let isChanged = isNews;
    for (const [namespace, changes] of this.#pending) isChanged = this.#change(namespace, changes) || isChanged;
    this.#pending = new Map();
    isChanged = this.#budgets.settle() || isChanged;
    if (this.#unlisted === undefined) this.#reports.report();
    if (isChanged) this.#report();
  }

  #report(): void {
    this.#facts = undefined;
    if (this.#isComplete) this.#listener.changed();
  }

  #note({ namespace = '', name }: ObjectName, value: NamedFact | undefined): void {
    const changes = this.#pending.get(namespace);
    if (changes === undefined) this.#pending.set(namespace, new Map([[name, value]]));
    else changes.set(name, value);
  }

  #noteWatched({ namespace = '', name }: ObjectName): void {
    this.#unlisted?.get(namespace)?.delete(name);
    this.#budgets.toLoad.noteWatched(namespace, name);
  }

  #noteUnlisted(namespace: string, facts: Iterable<NamedFact>): void {
    const names = this.#unlisted?.get(namespace) ?? new Set();
    for (const { name } of facts) names.add(name);
    this.#unlisted?.set(namespace, names);
  }

  /** True if the list has changed. */
  #change(namespace: string, changes: ReadonlyMap<string, NamedFact | undefined>): boolean {
    const before = this.#lists.get(namespace) ?? [];
    const kept = before.filter(({ name }) => !changes.has(name));
    const added: NamedFact[] = [];
    for (const [name, value] of changes) {
      if (value instanceof LeftOutFact) {
        this.#budgets.record(namespace, value);
        continue;
      }
      this.#budgets.forget(namespace, name);
      if (value !== undefined && !this.#budgets.isBeyond(namespace, value)) added.push(value);
    }
    if (added.length === 0 && kept.length === before.length) return false;
    // The copy of slice has no room to grow, and there may be thousands of namespaces.
    const list = [...kept, ...added].sort((a, b) => (a.name < b.name ? -1 : 1)).slice();
    if (list.length === 0) this.#lists.delete(namespace);
    else this.#lists.set(namespace, list);
    this.#budgets.noteChange(namespace);
    return true;
  }
}

/** The path of the collection of a kind, or of the collection of a namespace. */
function collectionPath({ group, apiVersion, resource }: FactKind, namespace?: string): string {
  const within = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${group === '' ? '/api' : '/apis'}/${apiVersion}${within}/${resource}`;
}

function project(
  kind: FactKind,
  catalogue: CheckCatalogue,
  object: KubernetesObject,
  before: NamedFact | undefined,
): NamedFact | undefined {
  const { name, namespace = '' } = object.metadata;
  if (name.length > LONGEST_NAME || namespace.length > LONGEST_NAME) return undefined;
  const reading = kind.read(asJson(object), catalogue);
  if (reading === undefined) return undefined;
  if ('problems' in reading) return unreadable(kind, object, reading.problems[0]);
  const fact = kind.mirrored?.(reading.fact) ?? reading.fact;
  return before !== undefined && isDeepStrictEqual(before, fact) ? before : fact;
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
