import { Backoff } from '../../cluster/client/timing.ts';
import type { WorkloadName } from '../observed-workload.ts';

export interface QueuedReport {
  readonly namespace: string;
  readonly uid: string;
  /** Undefined = the workload is gone, so its report goes, too. */
  readonly workload: WorkloadName | undefined;
}

export const PAUSES = { minimum: 1_000, maximum: 60_000 };

/** Reports to write, each once. Namespaces take turns, and one with a failed write waits: it delays no other. */
export class ReportQueue {
  readonly #random: () => number;
  /** By UID, in the order in which the reports were asked for. The namespace whose turn is next comes first. */
  readonly #waiting = new Map<string, Map<string, QueuedReport>>();
  readonly #paused = new Map<string, { readonly backoff: Backoff; until: number }>();

  constructor(random: () => number) {
    this.#random = random;
  }

  get size(): number {
    return [...this.#waiting.values()].reduce((sum, { size }) => sum + size, 0);
  }

  add(report: QueuedReport): void {
    const { namespace, uid } = report;
    const ofNamespace = this.#waiting.get(namespace);
    if (ofNamespace === undefined) this.#waiting.set(namespace, new Map([[uid, report]]));
    else ofNamespace.set(uid, report);
  }

  has(namespace: string, uid: string): boolean {
    return this.#waiting.get(namespace)?.has(uid) === true;
  }

  /** Takes out the next report of a namespace without a pause. `now`: a clock that never goes back, in milliseconds. */
  take(now: number): QueuedReport | undefined {
    for (const [namespace, reports] of this.#waiting) {
      if ((this.#paused.get(namespace)?.until ?? 0) > now) continue;
      const [report] = reports.values();
      if (report === undefined) continue;
      reports.delete(report.uid);
      this.#waiting.delete(namespace);
      if (reports.size > 0) this.#waiting.set(namespace, reports);
      return report;
    }
    return undefined;
  }

  /** A write in the namespace has failed, so the namespace waits: longer with each failure. */
  failed(namespace: string, now: number): void {
    const paused = this.#paused.get(namespace) ?? { backoff: new Backoff(PAUSES, this.#random), until: 0 };
    paused.until = now + paused.backoff.next();
    this.#paused.set(namespace, paused);
  }

  succeeded(namespace: string): void {
    this.#paused.delete(namespace);
  }

  clear(): void {
    this.#waiting.clear();
    this.#paused.clear();
  }
}
