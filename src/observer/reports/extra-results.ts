import { isDeepStrictEqual } from 'node:util';
import { workloadKey } from '../workload-key.ts';
import type { WorkloadName } from '../workload-key.ts';
import type { ReportResult } from './report-result.ts';

const NONE: readonly ReportResult[] = [];

/**
 * Findings about workloads that no check makes: missed Pods, probes that fail. Each producer sets its own results of a
 * workload, and the report of the workload holds the results of all producers.
 */
export class ExtraResults {
  readonly #byWorkload = new Map<string, Map<string, readonly ReportResult[]>>();
  #changed: (workload: WorkloadName) => void = () => undefined;

  /** Calls back with each workload whose results have changed. */
  onChange(changed: (workload: WorkloadName) => void): void {
    this.#changed = changed;
  }

  /** Replaces the results of one producer about a workload. An empty list removes them. */
  set(producer: string, workload: WorkloadName, results: readonly ReportResult[]): void {
    const key = workloadKey(workload);
    const producers = this.#byWorkload.get(key) ?? new Map<string, readonly ReportResult[]>();
    if (isDeepStrictEqual(producers.get(producer) ?? NONE, results)) return;
    if (results.length === 0) producers.delete(producer);
    else producers.set(producer, results);
    if (producers.size === 0) this.#byWorkload.delete(key);
    else this.#byWorkload.set(key, producers);
    this.#changed(workload);
  }

  /** The results of all producers about a workload, in the order of the producers' names. */
  of(workload: WorkloadName): readonly ReportResult[] {
    const producers = this.#byWorkload.get(workloadKey(workload));
    if (producers === undefined) return NONE;
    return [...producers].toSorted(([left], [right]) => (left < right ? -1 : 1)).flatMap(([, results]) => results);
  }
}
