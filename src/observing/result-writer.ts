import { workloadKey } from './workload-key.ts';
import type { ExtraResults } from './reports/extra-results.ts';
import type { ReportResult } from './reports/report-result.ts';
import type { WorkloadName } from './workload-key.ts';

/** What one producer says of all workloads, in turns: a workload that is not among the next ones loses its results. */
export class ResultWriter {
  readonly #producer: string;
  readonly #results: ExtraResults;
  #told = new Map<string, WorkloadName>();

  constructor(producer: string, results: ExtraResults) {
    this.#producer = producer;
    this.#results = results;
  }

  /** Replaces all results of the producer. */
  replace(all: readonly (readonly [WorkloadName, readonly ReportResult[]])[]): void {
    const before = this.#told;
    this.#told = new Map(all.map(([workload]) => [workloadKey(workload), workload]));
    for (const [workload, results] of all) this.#results.set(this.#producer, workload, results);
    for (const [key, workload] of before) if (!this.#told.has(key)) this.#results.set(this.#producer, workload, []);
  }
}
