import { collectionOf } from '../observed-workload.ts';
import type { ObservedKind, ObservedWorkload } from '../observed-workload.ts';
import type { WorkloadRecords } from './workload-records.ts';

/**
 * Finds the workloads that disappeared while there was no watch: a list that begins later does not show them. Only what
 * was known when the list began counts, because a scan may read newer workloads meanwhile.
 */
export class UnlistedWorkloads {
  readonly #records: WorkloadRecords;
  /** The UIDs that a list has not shown yet, by the path of the list. */
  readonly #missing = new Map<string, Set<string>>();

  constructor(records: WorkloadRecords) {
    this.#records = records;
  }

  /** A list of all objects of the kind begins, for the first time or again. */
  began(kind: ObservedKind): void {
    const known = new Set<string>();
    this.#forEach(kind, ({ uid }) => known.add(uid));
    if (known.size === 0) this.#missing.delete(collectionOf(kind));
    else this.#missing.set(collectionOf(kind), known);
  }

  /** The list has shown an object. */
  shown(uid: string | undefined, kind: ObservedKind): void {
    if (uid !== undefined && this.#missing.size > 0) this.#missing.get(collectionOf(kind))?.delete(uid);
  }

  /** The list is complete. Returns the workloads that are gone. */
  listed(kind: ObservedKind): readonly ObservedWorkload[] {
    const missing = this.#missing.get(collectionOf(kind));
    this.#missing.delete(collectionOf(kind));
    const gone: ObservedWorkload[] = [];
    if (missing !== undefined && missing.size > 0)
      this.#forEach(kind, (workload) => {
        if (missing.has(workload.uid)) gone.push(workload);
      });
    return gone;
  }

  #forEach({ served: { apiVersion, group, kind } }: ObservedKind, call: (workload: ObservedWorkload) => void): void {
    this.#records.forEach((workload, { uid }) => {
      if (workload.group === group && workload.kind === kind) call({ ...workload, apiVersion, uid });
    });
  }
}
