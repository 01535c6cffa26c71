import type { WorkloadName } from '../observed-workload.ts';

/** The record of a workload: conclusions, and no part of the object. */
export interface WorkloadRecord {
  readonly uid: string;
  /** The digest of the verdict: the content hash of the report. */
  readonly digest: string;
  /** True when the workload has no findings. */
  readonly isClean: boolean;
  /** The version of the object that was judged. NaN = unknown. */
  readonly version: number;
  /** `check action` of each finding. */
  readonly findings: readonly string[];
  /** The number of the list that was the last to begin before the workload was shown last. */
  seen: number;
}

/** The records of all workloads, by namespace. */
export class WorkloadRecords {
  readonly #byNamespace = new Map<string, Map<string, WorkloadRecord>>();

  get size(): number {
    return [...this.#byNamespace.values()].reduce((sum, { size }) => sum + size, 0);
  }

  get namespaces(): readonly string[] {
    return [...this.#byNamespace.keys()];
  }

  find(workload: WorkloadName): WorkloadRecord | undefined {
    return this.#byNamespace.get(workload.namespace)?.get(rowKey(workload));
  }

  put(workload: WorkloadName, record: WorkloadRecord): void {
    const rows = this.#byNamespace.get(workload.namespace) ?? new Map<string, WorkloadRecord>();
    this.#byNamespace.set(workload.namespace, rows.set(rowKey(workload), record));
  }

  delete(workload: WorkloadName): void {
    const rows = this.#byNamespace.get(workload.namespace);
    if (rows?.delete(rowKey(workload)) === true && rows.size === 0) this.#byNamespace.delete(workload.namespace);
  }

  /** All records, or those of a namespace. Records may be deleted meanwhile. */
  *entries(namespace?: string): Generator<readonly [WorkloadName, WorkloadRecord]> {
    for (const name of namespace === undefined ? this.namespaces : [namespace])
      for (const [key, record] of this.#byNamespace.get(name) ?? []) yield [{ namespace: name, ...rowOf(key) }, record];
  }

  /** The number of findings by `check action`. */
  findingCounts(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const rows of this.#byNamespace.values())
      for (const { findings } of rows.values())
        for (const finding of findings) counts.set(finding, (counts.get(finding) ?? 0) + 1);
    return counts;
  }
}

type Row = Omit<WorkloadName, 'namespace'>;

/** Neither a group, a kind nor a name has a slash. */
function rowKey({ group, kind, name }: Row): string {
  return `${group}/${kind}/${name}`;
}

function rowOf(key: string): Row {
  const [group = '', kind = '', name = ''] = key.split('/');
  return { group, kind, name };
}
