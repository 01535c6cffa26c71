import type { FactLimits } from '../../engine/facts/fact-budget.ts';
import type { Facts } from '../../engine/facts/facts.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { CheckCatalogue } from '../../engine/policy/check-catalogue.ts';
import type { Problem } from '../../engine/policy/problems.ts';

/** The record of an object. The name orders the objects of a namespace. */
export interface NamedFact {
  readonly name: string;
}

/** The result of reading an object: what is kept, all problems, or undefined if nothing of the object is a fact. */
export type FactReading<T> =
  { readonly fact: T; readonly warnings?: readonly Problem[] } | { readonly problems: readonly Problem[] } | undefined;

/** The records of the objects of one kind, by namespace. Each list is sorted by name. */
export type FactsOfKind<T> = ReadonlyMap<string, readonly T[]>;

/**
 * A namespaced kind whose objects are facts. The webhook and the observer mirror the kind, and commands read it from
 * files and clusters. Each such kind is an entry of `FACT_KINDS` (fact-kinds.ts).
 */
export interface FactKind<T extends NamedFact = NamedFact> {
  readonly kind: string;
  /** The API group. Empty for core/v1. */
  readonly group: string;
  readonly apiVersion: string;
  /** The plural: `probeexceptions`. */
  readonly resource: string;
  /** The facts are in the status of the objects. */
  readonly isInStatus?: boolean;
  /** Members of `metadata` that the mirror need not receive. */
  readonly omit?: readonly string[];
  /**
   * The server waits for the first list of this kind, because a decision without the kind would be wrong. The facts of
   * other kinds are unknown until their first list.
   */
  readonly isRequired: boolean;
  /** Several objects of files may have one name: files may be for several clusters. Otherwise that is a problem. */
  readonly mayRepeat?: boolean;
  /** Reads an object. Must not throw, and the result must not refer to the object. */
  readonly read: (object: JsonObject, catalogue: CheckCatalogue) => FactReading<T>;
  /** Reduces what a mirror of a cluster keeps. Commands keep all that was read. */
  readonly mirrored?: (fact: T) => T;
  /** The budgets of the kind in a cluster. */
  readonly limits: FactLimits;
  /** How many bytes of memory a fact takes at most, after `mirrored`. */
  readonly bytes: (fact: T) => number;
  /** When the object was created, in milliseconds since the epoch: older objects go first. Absent: by name. */
  readonly created?: (fact: T) => number | undefined;
  /** The status of the object, for the writer of statuses. */
  readonly reported?: (fact: T) => string | undefined;
  /** The same, of an object that cannot be read. */
  readonly reportedOf?: (object: JsonObject) => string;
  /** Undefined = nothing has been read of the kind, so the facts are unknown. */
  readonly facts: (objects: FactsOfKind<T> | undefined) => Partial<Facts>;
}

/** The list of kinds holds kinds with different facts, and no type can express this. */
export function asFactKind<T extends NamedFact>(kind: FactKind<T>): FactKind {
  return kind as unknown as FactKind;
}
