import { parseInstant } from '../../base/text/duration.ts';
import { ownCopy } from '../../base/text/utf8.ts';
import { NO_USE, byAge, exceededBudget, firstWithoutRoom, plus } from '../../engine/policy/budget.ts';
import { formatProblem, type Problem } from '../../engine/policy/reader.ts';
import { LeftOutObjects } from './left-out-objects.ts';
import type { LeftOut, LeftOutReason, OverBudgetChange, UnreadableObject } from './left-out-objects.ts';
import type { Age, Budget, BudgetLimits, Use } from '../../engine/policy/budget.ts';
import type { KubernetesObject } from '../client/kubernetes-object.ts';
import type { ReflectorListener } from '../client/reflector.ts';

/** The objects of one namespace. Objects of the cluster are those of namespace ''. */
interface NamespaceState<T> {
  /** Sorted by name. A Map takes twice the memory, and there may be thousands of namespaces. */
  list: T[];
  /** Snapshots have the list, so it must not change. */
  isShared: boolean;
  use: Use;
  /** The oldest object that a budget of the namespace has no room for. */
  end: End | undefined;
}

/** The oldest object that a budget has no room for. Nothing is kept of the object and of younger ones. */
interface End extends Age, Use {
  readonly reason: Budget;
  /** True when nothing is known of the next object. */
  readonly isGone?: boolean;
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
    const leaveOut = (reason: LeftOutReason, problem?: string): void => {
      this.#set(namespace, name, undefined);
      this.#leaveOut(namespace, age, { reason, problem, object, entry: undefined });
    };
    if (state.end !== undefined && byAge(age, state.end) > 0) return leaveOut(state.end.reason);
    const reading = this.#kind.read(object, before);
    const entry = reading?.problems === undefined ? reading?.fact : undefined;
    const bytes = entry && this.#kind.bytesOf(entry);
    const isTooLarge = bytes !== undefined && bytes > this.#kind.limits.object;
    const next = bytes === undefined || isTooLarge ? { isGone: true } : { bytes };
    if (state.end?.name === name) {
      state.end = { ...state.end, ...next };
      return leaveOut(state.end.reason);
    }
    const place = this.#placeByEnd(age);
    if (this.#end !== undefined && place === 0) this.#end = { ...this.#end, ...next };
    if (place >= 0) return leaveOut('total');
    if (reading?.problems !== undefined) {
      const [problem] = reading.problems;
      return leaveOut('invalid', problem === undefined ? 'cannot be read' : formatProblem(problem));
    }
    if (isTooLarge) return leaveOut('object');
    this.#leftOut.forget(namespace, name);
    this.#set(namespace, name, entry);
  }

  #delete(namespace: string, name: string): void {
    this.#touchedNamespaces.add(namespace);
    this.#leftOut.forget(namespace, name);
    const state = this.#namespaces.get(namespace);
    // Nothing is known of the next object.
    if (state?.end?.name === name) state.end = { ...state.end, isGone: true };
    if (this.#end?.name === name && this.#end.namespace === namespace) this.#end = { ...this.#end, isGone: true };
    this.#set(namespace, name, undefined);
    this.#listener.gone?.(namespace, name);
  }

  /** @param entry undefined = the object is gone or left out */
  #set(namespace: string, name: string, entry: T | undefined): void {
    const { effectOf = (kept: T | undefined): unknown => kept, bytesOf } = this.#kind;
    const state = this.#state(namespace);
    const before = this.find(namespace, name);
    if (before === entry) return;
    if (effectOf(before) !== effectOf(entry)) this.#isChanged = true;
    if (state.isShared) state.list = [...state.list];
    state.isShared = false;
    const place = placeIn(state.list, name);
    state.list.splice(place, before === undefined ? 0 : 1, ...(entry === undefined ? [] : [entry]));
    if (before !== undefined) {
      state.use = plus(state.use, { objects: -1, bytes: -bytesOf(before) });
      this.#touched.delete(before);
    }
    if (entry !== undefined) {
      state.use = plus(state.use, { objects: 1, bytes: bytesOf(entry) });
      if (this.#listener.kept !== undefined) this.#touched.add(entry);
    }
  }

  #leaveOut(namespace: string, age: Age, left: Pick<LeftOut<T>, 'reason' | 'problem' | 'object' | 'entry'>): void {
    this.#touchedNamespaces.add(namespace);
    const recorded = this.#leftOut.record(namespace, age, left.reason, left.problem);
    if (recorded !== undefined) this.#listener.leftOut?.({ ...left, namespace, ...recorded });
  }

  #settle(): void {
    for (const [namespace, state] of this.#namespaces) this.#cut(namespace, state);
    this.#cutAll();
    // A list under way brings what fits.
    if (this.#listed !== undefined) return;
    if (this.#mayFit()) this.#listener.mayFit();
    this.#report();
  }

  #cut(namespace: string, state: NamespaceState<T>): void {
    const { limits } = this.#kind;
    if (exceededBudget(state.use, limits) === undefined) return;
    const first = firstWithoutRoom(this.#aged(namespace, state), limits);
    if (first !== undefined) state.end = endAt(first.object, first.exceeded);
    for (const object of this.#aged(namespace, state))
      if (first !== undefined && byAge(object, first.object) >= 0) this.#drop(object, first.exceeded);
  }

  /**
   * Cuts at the oldest object that the budget of all namespaces has no room for. During a list, an object that is kept
   * so far may still lose its place in its namespace, so the cut waits for the end, unless the memory needs it.
   */
  #cutAll(): void {
    const { total } = this.#kind.limits;
    const factor = this.#listed === undefined ? 1 : MOST_DURING_LIST;
    const most = { objects: factor * total.objects, bytes: factor * total.bytes };
    if (exceededBudget(this.#whole(), most) === undefined) return;
    const objects = [...this.#namespaces].flatMap(([namespace, state]) => this.#aged(namespace, state));
    const first = firstWithoutRoom(objects, total)?.object;
    if (first === undefined) return;
    this.#end = endAt(first, 'total');
    for (const object of objects) if (byAge(object, first) >= 0) this.#drop(object, 'total');
  }

  #whole(): Use {
    return Array.from(this.#namespaces.values(), ({ use }) => use).reduce(plus, NO_USE);
  }

  /** Negative for an object that is older than the end of all namespaces. */
  #placeByEnd(age: Age): number {
    return this.#end === undefined ? -1 : byAge(age, this.#end);
  }

  #mayFit(): boolean {
    const { limits } = this.#kind;
    const fits = (end: End, use: Use, most: Use): boolean =>
      end.isGone === true || exceededBudget(plus(use, end), most) === undefined;
    for (const { use, end } of this.#namespaces.values())
      if (end !== undefined && this.#placeByEnd(end) < 0 && fits(end, use, limits)) return true;
    if (this.#end === undefined) return false;
    // An older object may have ended the namespace of the object in front of it.
    const ofNamespace = this.#namespaces.get(this.#end.namespace ?? '')?.end;
    const isEnded = ofNamespace !== undefined && this.#placeByEnd(ofNamespace) < 0;
    return isEnded || fits(this.#end, this.#whole(), limits.total);
  }

  #aged(namespace: string, { list }: NamespaceState<T>): (Age & Use & { readonly entry: T })[] {
    const { bytesOf, createdOf } = this.#kind;
    return list.map((entry) => {
      const { name } = entry;
      return { entry, namespace, name, created: createdOf(entry), objects: 1, bytes: bytesOf(entry) };
    });
  }

  #drop({ entry, namespace = '', name, created }: Age & { readonly entry: T }, reason: Budget): void {
    this.#set(namespace, name, undefined);
    this.#leaveOut(namespace, { name, created }, { reason, problem: undefined, object: undefined, entry });
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
    const state = { list: [], isShared: false, use: NO_USE, end: undefined };
    this.#namespaces.set(namespace, state);
    return state;
  }
}

function endAt({ namespace = '', name, created, objects, bytes }: Age & Use, reason: Budget): End {
  return { namespace, name: ownCopy(name), created, objects, bytes, reason };
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

export interface StoredKind<T extends Named> {
  readonly limits: BudgetLimits;
  /** Must not throw or refer to the object. The same entry as before means that nothing has changed. */
  readonly read: (object: KubernetesObject, before: T | undefined) => StoredReading<T>;
  /** The bytes of an entry as JSON. */
  readonly bytesOf: (entry: T) => number;
  /** When the object was created, in milliseconds since the epoch: older objects get their budget first. */
  readonly createdOf: (entry: T) => number;
  /** The part of an entry that users of the store see. Absent: the entry. */
  readonly effectOf?: (entry: T | undefined) => unknown;
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
