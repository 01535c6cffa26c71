import type { ApiCollection } from '../client/api-path.ts';
import { parseInstant } from '../../base/text/duration.ts';
import { without, type JsonObject } from '../../base/json/json-value.ts';
import { ownCopy } from '../../base/text/utf8.ts';
import { NO_USE, byAge, exceededBudget, firstWithoutRoom, plus } from '../../engine/policy/budget.ts';
import { formatProblem, type Problem } from '../../engine/policy/reader.ts';
import { isDeepStrictEqual } from 'node:util';
import { LeftOutObjects } from './left-out-objects.ts';
import type { LeftOut, LeftOutReason, OverBudgetChange, UnreadableObject } from './left-out-objects.ts';
import type { Age, Budget, BudgetLimits, Use } from '../../engine/policy/budget.ts';
import type { KubernetesObject } from '../client/kubernetes-object.ts';
import type { ReflectorListener } from '../client/reflector.ts';

/** The objects of one namespace. Objects of the cluster are those of namespace ''. */
interface NamespaceState<T> {
  /** Sorted by name. A Map takes twice the memory, and there may be thousands of namespaces. */
  list: T[];
  /** When each object of the list was created, in milliseconds since the epoch. */
  created: number[];
  /** Snapshots have the list, so it must not change. */
  isShared: boolean;
  use: Use;
  /** The oldest object that a budget of the namespace has no room for. */
  end: End | undefined;
}

/**
 * The oldest object that a budget has no room for. Nothing is kept of the object and of younger ones. Without use when
 * it is gone, or has no effect: nothing is known of the next object, which may fit.
 */
interface End extends Age, Use {
  readonly namespace: string;
  readonly reason: Budget;
}

/** How many times the budget of all namespaces may be kept during a list. */
const MOST_DURING_LIST = 4;

/**
 * The kept parts of all objects of one kind, within its budgets. What is kept is a function of the collection, so
 * replicas agree: of each namespace the oldest objects, until a budget has no room for the next; of these, the oldest.
 * Nothing is kept of the others. When the next one may fit again, `mayFit` asks for a new list.
 */
export class ObjectStore<T extends Named> implements ReflectorListener {
  readonly #kind: StoredKind<T>;
  readonly #listener: StoreListener<T>;
  readonly #namespaces = new Map<string, NamespaceState<T>>();
  /** Entries to report, and namespaces whose objects over budget may have changed. */
  readonly #touched = new Set<T>();
  readonly #touchedNamespaces = new Set<string>();
  readonly #leftOut = new LeftOutObjects();
  /** The objects that the list under way has brought. Undefined while there is no list. */
  #listed: Set<string> | undefined;
  /** The oldest object that the budget of all namespaces has no room for. */
  #end: End | undefined;
  #isChanged = false;
  isComplete = false;

  constructor(kind: StoredKind<T>, listener: StoreListener<T>) {
    this.#kind = kind;
    this.#listener = listener;
  }

  useOf(namespace: string): Use {
    return this.#namespaces.get(namespace)?.use ?? NO_USE;
  }

  find(namespace: string, name: string): T | undefined {
    const list = this.#namespaces.get(namespace)?.list ?? [];
    const entry = list[placeIn(list, name)];
    return entry?.name === name ? entry : undefined;
  }

  lists(): Map<string, readonly T[]> {
    const lists = new Map<string, readonly T[]>();
    for (const [namespace, state] of this.#namespaces) {
      // A copy has no room to grow, which takes less memory.
      if (!state.isShared) state.list = state.list.slice();
      state.isShared = true;
      if (state.list.length > 0) lists.set(namespace, state.list);
    }
    return lists;
  }

  all(): T[] {
    return [...this.lists().values()].flat();
  }

  counts(): StoreCounts {
    let used = 0;
    for (const { use } of this.#namespaces.values()) used += use.bytes;
    return { leftOut: this.#leftOut.counts(), used };
  }

  listing(): void {
    this.#listed = new Set();
    this.#end = undefined;
    for (const [namespace, state] of this.#namespaces) {
      state.end = undefined;
      this.#touchedNamespaces.add(namespace);
    }
  }

  seen(objects: readonly KubernetesObject[]): void {
    for (const object of objects) this.#put(object);
    this.#settle();
  }

  gone({ metadata: { namespace = '', name } }: KubernetesObject): void {
    this.#delete(namespace, name);
    this.#settle();
  }

  listed(): void {
    const ofNamespaces = [...this.#namespaces].flatMap(([namespace, { list, end }]) =>
      [...list, ...(end === undefined ? [] : [end])].map(({ name }) => [namespace, name] as const),
    );
    for (const [namespace, name] of [...ofNamespaces, ...this.#leftOut.places()])
      if (this.#listed?.has(keyOf(namespace, name)) === false) this.#delete(namespace, name);
    this.#listed = undefined;
    this.#isChanged ||= !this.isComplete;
    this.isComplete = true;
    this.#settle();
  }

  troubled(problem: string | undefined): void {
    this.#listener.troubled(problem);
  }

  #put(object: KubernetesObject): void {
    const { namespace = '', name, creationTimestamp } = object.metadata;
    this.#touchedNamespaces.add(namespace);
    this.#listed?.add(keyOf(namespace, name));
    const state = this.#state(namespace);
    const before = this.find(namespace, name);
    const created = typeof creationTimestamp === 'string' ? parseInstant(creationTimestamp) : undefined;
    const age = { name, namespace, created: created ?? 0 };
    const leaveOut = (reason: LeftOutReason, problem?: string): void =>
      this.#leaveOut(age, { reason, problem, object, entry: undefined });
    if (state.end !== undefined && byAge(age, state.end) > 0) return leaveOut(state.end.reason);
    const reading = this.#kind.read(object as unknown as JsonObject, before);
    const fact = reading?.problems === undefined ? reading?.fact : undefined;
    const read = fact && this.#kind.mirrored ? this.#kind.mirrored(fact) : fact;
    const entry = isDeepStrictEqual(read, before) ? before : read;
    const bytes = entry && this.#kind.bytes(entry);
    const isTooLarge = bytes !== undefined && bytes > this.#kind.limits.object;
    this.#noteEnd(namespace, name, bytes === undefined || isTooLarge ? NO_USE : { objects: 1, bytes });
    if (state.end?.name === name) return leaveOut(state.end.reason);
    if (this.#isBeyondEnd(age)) return leaveOut('total');
    if (reading?.problems !== undefined) {
      const [problem] = reading.problems;
      return leaveOut('invalid', problem === undefined ? 'cannot be read' : formatProblem(problem));
    }
    if (isTooLarge) return leaveOut('object');
    this.#leftOut.forget(namespace, name);
    this.#set(namespace, name, entry, age.created);
  }

  #delete(namespace: string, name: string): void {
    this.#touchedNamespaces.add(namespace);
    this.#leftOut.forget(namespace, name);
    this.#noteEnd(namespace, name, NO_USE);
    this.#set(namespace, name, undefined);
    this.#listener.gone?.(namespace, name);
  }

  /** Notes what an object would take of the budgets now, if the object is the end of one. */
  #noteEnd(namespace: string, name: string, use: Use): void {
    const state = this.#namespaces.get(namespace);
    if (state?.end?.name === name) state.end = { ...state.end, ...use };
    if (this.#end?.name === name && this.#end.namespace === namespace) this.#end = { ...this.#end, ...use };
  }

  /** @param entry undefined = the object is gone or left out */
  #set(namespace: string, name: string, entry: T | undefined, created = 0): void {
    const kind = this.#kind;
    const effectOf = (kept: T | undefined): unknown => (kind.effectOf === undefined ? kept : kind.effectOf(kept));
    const state = this.#state(namespace);
    const before = this.find(namespace, name);
    const place = placeIn(state.list, name);
    // An object that was deleted and created again may have the same contents, and is younger.
    if (entry !== undefined && before === entry) state.created[place] = created;
    if (before === entry) return;
    if (effectOf(before) !== effectOf(entry)) this.#isChanged = true;
    if (state.isShared) state.list = [...state.list];
    state.isShared = false;
    const [old, added] = [before === undefined ? 0 : 1, entry === undefined ? [] : [entry]];
    state.list.splice(place, old, ...added);
    state.created.splice(place, old, ...added.map(() => created));
    if (before !== undefined) {
      state.use = plus(state.use, { objects: -1, bytes: -kind.bytes(before) });
      this.#touched.delete(before);
    }
    if (entry !== undefined) {
      state.use = plus(state.use, { objects: 1, bytes: kind.bytes(entry) });
      if (this.#listener.kept !== undefined) this.#touched.add(entry);
    }
  }

  #leaveOut(age: Age & { readonly namespace: string }, left: Omit<LeftOut<T>, 'namespace' | 'name'>): void {
    const { namespace, name } = age;
    this.#touchedNamespaces.add(namespace);
    this.#set(namespace, name, undefined);
    const recorded = this.#leftOut.record(namespace, age, left.reason, left.problem);
    if (recorded !== undefined) this.#listener.leftOut?.({ ...left, namespace, ...recorded });
  }

  #settle(): void {
    const { limits } = this.#kind;
    for (const [namespace, state] of this.#namespaces)
      if (exceededBudget(state.use, limits) !== undefined) state.end = this.#cut([[namespace, state]], limits);
    // An object that is kept so far may still lose its place in its namespace. So the budget of all namespaces waits
    // for the end of the list, unless the memory needs the cut.
    const factor = this.#listed === undefined ? 1 : MOST_DURING_LIST;
    const most = { objects: factor * limits.total.objects, bytes: factor * limits.total.bytes };
    if (exceededBudget(this.#whole(), most) !== undefined)
      this.#end = this.#cut([...this.#namespaces], limits.total, 'total');
    // A list under way brings what fits.
    if (this.#listed !== undefined) return;
    if (this.#mayFit()) this.#listener.mayFit();
    this.#report();
  }

  /** Drops the oldest object that the limits have no room for, and younger ones. Returns it. */
  #cut(namespaces: readonly (readonly [string, NamespaceState<T>])[], limits: Use, reason?: Budget): End | undefined {
    const aged = namespaces.flatMap(([namespace, { list, created }]) =>
      list.map((entry, index) => {
        const age = { namespace, name: entry.name, created: created[index] ?? 0 };
        return { ...age, entry, objects: 1, bytes: this.#kind.bytes(entry) };
      }),
    );
    const first = firstWithoutRoom(aged, limits);
    if (first === undefined) return undefined;
    const { object: oldest, exceeded } = first;
    const end = { ...without(oldest, 'entry'), name: ownCopy(oldest.name), reason: reason ?? exceeded };
    const left = { reason: end.reason, problem: undefined, object: undefined };
    for (const object of aged) if (byAge(object, end) >= 0) this.#leaveOut(object, { ...left, entry: object.entry });
    return end;
  }

  #whole(): Use {
    return Array.from(this.#namespaces.values(), ({ use }) => use).reduce(plus, NO_USE);
  }

  /** True for the end of all namespaces, and for younger objects. */
  #isBeyondEnd(age: Age): boolean {
    return this.#end !== undefined && byAge(age, this.#end) >= 0;
  }

  #mayFit(): boolean {
    const { limits } = this.#kind;
    const fits = (end: End, use: Use, most: Use): boolean => exceededBudget(plus(use, end), most) === undefined;
    for (const { use, end } of this.#namespaces.values())
      if (end !== undefined && !this.#isBeyondEnd(end) && fits(end, use, limits)) return true;
    if (this.#end === undefined) return false;
    // Older objects may have ended its namespace in front of it, or have taken its room there.
    const { end, use = NO_USE } = this.#namespaces.get(this.#end.namespace) ?? {};
    const isEnded = (end !== undefined && !this.#isBeyondEnd(end)) || !fits(this.#end, use, limits);
    return isEnded || fits(this.#end, this.#whole(), limits.total);
  }

  #report(): void {
    for (const object of this.#leftOut.takeUnreadable()) this.#listener.unreadable?.(object);
    for (const namespace of this.#touchedNamespaces) this.#reportNamespace(namespace);
    this.#touchedNamespaces.clear();
    for (const entry of this.#touched) this.#listener.kept?.(entry);
    this.#touched.clear();
    const isChanged = this.#isChanged;
    this.#isChanged = false;
    if (isChanged && this.isComplete) this.#listener.changed();
  }

  #reportNamespace(namespace: string): void {
    const state = this.#namespaces.get(namespace);
    const isCut = state?.end !== undefined || this.#end !== undefined;
    const news = this.#leftOut.overBudgetNews(namespace, isCut);
    if (news !== undefined) this.#listener.overBudget?.({ namespace, ...news, use: this.useOf(namespace) });
    if (state?.list.length === 0 && state.end === undefined) this.#namespaces.delete(namespace);
  }

  #state(namespace: string): NamespaceState<T> {
    const known = this.#namespaces.get(namespace);
    if (known !== undefined) return known;
    const state = { list: [], created: [], isShared: false, use: NO_USE, end: undefined };
    this.#namespaces.set(namespace, state);
    return state;
  }
}

function keyOf(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}

/** Where a name is, or belongs, in a list that is sorted by name. */
function placeIn(list: readonly Named[], name: string): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle]?.name ?? '') < name) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** What is kept of an object. The name orders the objects of a namespace. */
export interface Named {
  readonly name: string;
}

/** What is kept of an object, all problems, or undefined if there is nothing to keep. */
export type StoredReading<T> =
  { readonly fact: T; readonly problems?: undefined } | { readonly problems: readonly Problem[] } | undefined;

/** A kind whose objects are mirrored. */
export interface StoredKind<T extends Named = Named> extends ApiCollection {
  readonly kind: string;
  readonly metadataOnly?: boolean;
  /** The server waits for the first list, because a decision without this kind would be wrong. */
  readonly isRequired: boolean;
  /** Older objects get their budget first. */
  readonly limits: BudgetLimits;
  /** Reads an object. Must not throw, and the result must not refer to the object. `before`: what is kept so far. */
  read(object: JsonObject, before?: T): StoredReading<T>;
  /** Reduces what a mirror of a cluster keeps; undefined = nothing. Commands keep all that was read. */
  mirrored?(fact: T): T | undefined;
  /** The bytes of what is kept as JSON, after `mirrored`. */
  bytes(fact: T): number;
  /** The part of what is kept that users of the store see. Absent: all of it. */
  effectOf?(fact: T | undefined): unknown;
}

/** The reports of a store. During a list, nothing but `leftOut` is reported before the end. */
export interface StoreListener<T> extends Pick<ReflectorListener, 'troubled'> {
  readonly changed: () => void;
  readonly kept?: (entry: T) => void;
  /** An object is left out. Reported at every event and list of the object, as far as objects are recorded. */
  readonly leftOut?: (left: LeftOut<T>) => void;
  readonly gone?: (namespace: string, name: string) => void;
  readonly overBudget?: ((change: OverBudgetChange) => void) | undefined;
  /** An object cannot be read. Reported once for each problem, and for few objects of a namespace at once. */
  readonly unreadable?: ((object: UnreadableObject) => void) | undefined;
  /** An object that is left out may fit now, so the collection has to be listed again. */
  readonly mayFit: () => void;
}

export interface StoreCounts {
  readonly leftOut: Readonly<Record<LeftOutReason, number>>;
  readonly used: number;
}
