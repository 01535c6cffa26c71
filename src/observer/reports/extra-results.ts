import { isDeepStrictEqual } from 'node:util';
import { workloadKey } from '../observed-workload.ts';
import type { WorkloadName } from '../observed-workload.ts';
import type { ReportResult } from './report-result.ts';

/** The producers of results, in the order in which reports hold their results. */
const PRODUCERS = ['failing', 'missed'] as const;
type Producer = (typeof PRODUCERS)[number];

/** All results of a producer, by workload. A workload without results has no entry. */
type Results = ReadonlyMap<string, { readonly workload: WorkloadName; readonly results: readonly ReportResult[] }>;

/**
 * Findings about workloads that no check makes: missed Pods, probes that fail. The report of a workload holds the
 * results of all producers.
 */
export class ExtraResults {
  readonly #byProducer = new Map<Producer, Results>();
  #changed: (workload: WorkloadName) => void = () => undefined;

  /** Calls back with each workload whose results have changed. */
  onChange(changed: (workload: WorkloadName) => void): void {
    this.#changed = changed;
  }

  /** Replaces all results of a producer. A workload without results loses its old ones. */
  replace(producer: Producer, all: readonly (readonly [WorkloadName, readonly ReportResult[]])[]): void {
    const before = this.#byProducer.get(producer);
    const after: Results = new Map(
      all.flatMap(([workload, results]) =>
        results.length === 0 ? [] : [[workloadKey(workload), { workload, results }]],
      ),
    );
    this.#byProducer.set(producer, after);
    for (const [key, { workload, results }] of after)
      if (!isDeepStrictEqual(before?.get(key)?.results, results)) this.#changed(workload);
    for (const [key, { workload }] of before ?? []) if (!after.has(key)) this.#changed(workload);
  }

  /** The results of all producers about a workload. */
  of(workload: WorkloadName): readonly ReportResult[] {
    const key = workloadKey(workload);
    return PRODUCERS.flatMap((producer) => this.#byProducer.get(producer)?.get(key)?.results ?? []);
  }
}
