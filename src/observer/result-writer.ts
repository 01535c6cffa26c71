import { workloadKey } from './workload-key.ts';
import type { ExtraResults } from './reports/extra-results.ts';
import type { ReportResult } from './reports/report-result.ts';
import type { WorkloadName } from './workload-key.ts';

/** The results of one producer for all workloads, in turns. A workload without results in a turn loses its old ones. */
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
