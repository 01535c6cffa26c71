import type { WorkloadName } from '../workload-key.ts';

/** The record of a workload: conclusions, and no part of the object. */
export interface WorkloadRecord {
  readonly uid: string;
  /** The digest of the verdict: the content hash of the report. */
  readonly digest: string;
  /** True when the workload has no findings. */
  readonly isClean: boolean;
  /** The version of the object that was judged. NaN = unknown. */
  readonly version: number;
  /** `check action` of each finding. Equal lists are one list. */
  readonly findings: readonly string[];
  /** The list or the event that showed the workload last. */
  readonly seen: number;
}

type Row = Omit<WorkloadName, 'namespace'>;

/** The records of all workloads, by namespace. */
export class WorkloadRecords {
  readonly #byNamespace = new Map<string, Map<string, WorkloadRecord>>();
  readonly #lists = new Map<string, readonly string[]>();
  readonly #counts = new Map<string, number>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The number of findings by `check action`. */
  get counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  find(workload: WorkloadName): WorkloadRecord | undefined {
    return this.#byNamespace.get(workload.namespace)?.get(rowKey(workload));
  }

  put(workload: WorkloadName, record: WorkloadRecord): void {
    let rows = this.#byNamespace.get(workload.namespace);
    if (rows === undefined) this.#byNamespace.set(workload.namespace, (rows = new Map<string, WorkloadRecord>()));
    const key = rowKey(workload);
    const before = rows.get(key);
    if (before === undefined) this.#size += 1;
    else this.#count(before.findings, -1);
    const findings = this.#interned(record.findings);
    rows.set(key, { ...record, findings });
    this.#count(findings, 1);
  }

  delete(workload: WorkloadName): void {
    const rows = this.#byNamespace.get(workload.namespace);
    const key = rowKey(workload);
    const before = rows?.get(key);
    if (rows === undefined || before === undefined) return;
    rows.delete(key);
    if (rows.size === 0) this.#byNamespace.delete(workload.namespace);
    this.#count(before.findings, -1);
    this.#size -= 1;
  }

  clear(): void {
    this.#byNamespace.clear();
    this.#lists.clear();
    this.#counts.clear();
    this.#size = 0;
  }

  get namespaces(): readonly string[] {
    return [...this.#byNamespace.keys()];
  }

  /** Calls back with each record. The callback may delete the record. */
  forEach(call: (workload: WorkloadName, record: WorkloadRecord) => void, namespace?: string): void {
    const namespaces = namespace === undefined ? this.namespaces : [namespace];
    for (const name of namespaces)
      for (const [key, record] of this.#byNamespace.get(name) ?? []) call({ namespace: name, ...rowOf(key) }, record);
  }

  #count(findings: readonly string[], by: number): void {
    for (const finding of findings) {
      const count = (this.#counts.get(finding) ?? 0) + by;
      if (count === 0) this.#counts.delete(finding);
      else this.#counts.set(finding, count);
    }
  }

  /** Most workloads have the findings of many others. */
  #interned(findings: readonly string[]): readonly string[] {
    const key = findings.join('\n');
    let list = this.#lists.get(key);
    if (list === undefined) {
      if (this.#lists.size >= MOST_LISTS) this.#lists.clear();
      this.#lists.set(key, (list = findings));
    }
    return list;
  }
}

/** Lists that are remembered to be shared. */
const MOST_LISTS = 10_000;

/** Neither a group, a kind nor a name has a slash. */
function rowKey({ group, kind, name }: Row): string {
  return `${group}/${kind}/${name}`;
}

function rowOf(key: string): Row {
  const [group = '', kind = '', name = ''] = key.split('/');
  return { group, kind, name };
}
