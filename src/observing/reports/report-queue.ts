import type { WorkloadName } from '../workload-key.ts';
import type { ReportContent } from './report-object.ts';

/** A report that may have to be written. */
export interface QueuedReport {
  readonly namespace: string;
  readonly uid: string;
  /** Undefined = the workload is gone, so its report goes, too. */
  readonly workload: WorkloadName | undefined;
  /** What the report says. Undefined = the workload is read and judged again when its turn comes. */
  readonly content: ReportContent | undefined;
}

/** Contents that wait. Of further reports only the workloads are kept: a cluster may need 50,000 reports at once. */
const MOST_CONTENTS = 500;

/** Reports that wait for their turn, each once, in the order in which they were asked for. */
export class ReportQueue {
  readonly #queued = new Map<string, QueuedReport>();
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
  }

  /** Takes the first report out. */
  take(): QueuedReport | undefined {
    const [first] = this.#queued;
    if (first === undefined) return undefined;
    const [key, report] = first;
    this.#queued.delete(key);
    if (report.content !== undefined) this.#contents -= 1;
    return report;
  }

  clear(): void {
    this.#queued.clear();
    this.#contents = 0;
  }
}
