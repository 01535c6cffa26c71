import type { KubernetesObject } from '../client/kubernetes-object.ts';
import type { Limits, Size, Use } from '../../engine/policy/budget.ts';
import type { LeftOutReason, UnreadableObject } from './left-out-objects.ts';

/** What is kept of an object. The name orders the objects of a namespace. */
export interface Named {
  readonly name: string;
}

/** What is kept of an object, why nothing can be read of it, or undefined if there is nothing to keep. */
export type StoredReading<T> = { readonly entry: T } | { readonly problem: string } | undefined;

/** What a store keeps of the objects of a kind. */
export interface StoredKind<T extends Named> {
  readonly limits: Limits;
  /**
   * Reads what is kept. Must not throw, and the result must not refer to the object. The same entry as before means
   * that nothing has changed.
   */
  readonly read: (object: KubernetesObject, before: T | undefined) => StoredReading<T>;
  readonly sizeOf: (entry: T) => Size;
  /** In milliseconds since the epoch: older objects get their budget first. Absent: objects go by name. */
  readonly createdOf?: (entry: T) => number;
  /** The part of an entry that users of the store see. Absent: the entry. */
  readonly effectOf?: (entry: T | undefined) => unknown;
}

/** An object that is left out, and what is known of it now: the whole object, or what was kept before. */
export interface LeftOut<T> {
  readonly namespace: string;
  readonly name: string;
  readonly reason: LeftOutReason;
  /** The problem of an object that cannot be read. */
  readonly problem: string | undefined;
  readonly object: KubernetesObject | undefined;
  readonly entry: T | undefined;
}

/** Objects of a namespace that are over a budget. `count` 0 = all objects are within the budgets again. */
export interface OverBudgetChange {
  readonly namespace: string;
  /** Of the objects that are recorded. */
  readonly count: number;
  /** The names of the oldest. */
  readonly first: readonly string[];
  /** What the other objects of the namespace use. */
  readonly use: Use;
}

/** The reports of a store. During a list, nothing but `leftOut` is reported before the end. */
export interface StoreListener<T> {
  /** Other objects are kept than before, or the first list is complete. */
  readonly changed: () => void;
  /** An entry is new or has changed. */
  readonly kept?: (entry: T) => void;
  /** An object is left out. Reported at every event and list of the object, as far as objects are recorded. */
  readonly leftOut?: (left: LeftOut<T>) => void;
  readonly gone?: (namespace: string, name: string) => void;
  /** Objects of a namespace are over a budget, or no longer. */
  readonly overBudget?: ((change: OverBudgetChange) => void) | undefined;
  /** An object cannot be read. Reported once for each problem, and for few objects of a namespace at once. */
  readonly unreadable?: ((object: UnreadableObject) => void) | undefined;
  /** An object that is left out may fit now, so the collection has to be listed again. */
  readonly mayFit: () => void;
}

/** How many objects are left out, by reason, and bytes of the budget of all namespaces that are used. */
export interface StoreCounts {
  readonly leftOut: Readonly<Record<LeftOutReason, number>>;
  readonly used: number;
}
