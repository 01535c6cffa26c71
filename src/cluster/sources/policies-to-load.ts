import { keyOf } from './namespace-policies.ts';
import type { PolicyRecord } from './policy-record.ts';
import type { PolicyReference } from './policy-reference.ts';

/** Something to load: one policy, or all policies of a namespace. */
export type ToLoad = { readonly policy: PolicyReference } | { readonly namespace: string };

/** Policies that a budget has room for, and whose content is not in memory. */
export class PoliciesToLoad {
  /** By namespace; undefined stands for the policies of the namespace that are not recorded. */
  readonly #waiting = new Map<string, Set<PolicyRecord | undefined>>();
  /** By namespace that is being read: names of policies that were deleted since its reading began. */
  readonly #deleted = new Map<string, Set<string>>();

  add(record: PolicyRecord): void {
    this.#add(keyOf(record), record);
  }

  /** Policies of the namespace that are not recorded have to be read. */
  addNamespace(key: string): void {
    this.#add(key, undefined);
  }

  delete(record: PolicyRecord): void {
    this.#waiting.get(keyOf(record))?.delete(record);
  }

  /** Takes out what is next. Namespaces take turns. */
  take(): ToLoad | undefined {
    for (const [key, records] of this.#waiting) {
      this.#waiting.delete(key);
      for (const record of records) {
        records.delete(record);
        if (records.size > 0) this.#waiting.set(key, records);
        if (record !== undefined) return { policy: record.reference };
        this.#deleted.set(key, new Set());
        return { namespace: key };
      }
    }
    return undefined;
  }

  /** Whether a namespace that was taken is still being read. */
  isBeingRead(key: string): boolean {
    return this.#deleted.has(key);
  }

  endReading(key: string): void {
    this.#deleted.delete(key);
  }

  /** A policy was deleted. While its namespace is being read, a page from before the deletion may still bring it. */
  noteDeleted(key: string, name: string): void {
    this.#deleted.get(key)?.add(name);
  }

  /**
   * Whether a policy that a page brings still exists, as far as the watch has reported. False when its namespace is not
   * being read.
   */
  isToKeep(key: string, name: string): boolean {
    return this.#deleted.get(key)?.has(name) === false;
  }

  #add(key: string, record: PolicyRecord | undefined): void {
    this.#waiting.set(key, (this.#waiting.get(key) ?? new Set()).add(record));
  }
}
