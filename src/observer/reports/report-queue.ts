import { NamespaceTurns } from '../../cluster/sources/namespace-turns.ts';
import type { WorkloadName } from '../workload-key.ts';
import type { ReportContent } from './report-object.ts';

/** A report that may have to be written. */
export interface QueuedReport {
  readonly namespace: string;
  readonly uid: string;
  /** Undefined = the workload is gone, so its report goes, too. */
  readonly workload: WorkloadName | undefined;
  /** The content of the report. Undefined = the workload is read and judged again when its turn comes. */
  readonly content: ReportContent | undefined;
}

/** Contents that wait. Of further reports only the workloads are kept: a cluster may need 50,000 reports at once. */
const MOST_CONTENTS = 500;

/**
 * Reports that wait to be written, each once. Namespaces take turns, so a namespace with thousands of reports delays no
 * other. Within a namespace, the report that was asked for first comes first.
 */
export class ReportQueue {
  readonly #queued = new Map<string, QueuedReport>();
  readonly #turns = new NamespaceTurns();
  #contents = 0;

  get size(): number {
    return this.#queued.size;
  }

  add(report: QueuedReport): void {
    const key = `${report.namespace}/${report.uid}`;
    const before = this.#queued.get(key);
    if (before?.content !== undefined) this.#contents -= 1;
    const hasRoom = report.content !== undefined && this.#contents < MOST_CONTENTS;
    if (hasRoom) this.#contents += 1;
    this.#queued.set(key, hasRoom ? report : { ...report, content: undefined });
    this.#turns.add(report.namespace, key);
  }

  /**
   * Takes the next report out; undefined when none waits, except in namespaces that are passed over.
   *
   * @param isPassedOver true for a namespace whose reports cannot be written now
   */
  take(isPassedOver: (namespace: string) => boolean): QueuedReport | undefined {
    const key = this.#turns.take(isPassedOver);
    const report = key === undefined ? undefined : this.#queued.get(key);
    if (key === undefined || report === undefined) return undefined;
    this.#queued.delete(key);
    if (report.content !== undefined) this.#contents -= 1;
    return report;
  }

  clear(): void {
    this.#queued.clear();
    this.#turns.clear();
    this.#contents = 0;
  }
}
