import { Counter, Gauge } from 'prom-client';
import type { Registry } from 'prom-client';

/** Written reports, deleted reports, and failed attempts, since the start of the process. */
export interface ReportCounts {
  readonly written: number;
  readonly deleted: number;
  readonly failed: number;
}

/** The metrics of reports. */
export interface ReportStatus {
  readonly counts: ReportCounts;
  /** Reports that wait to be written. */
  readonly waiting: number;
  /** Why reports cannot be written now. Undefined while they can. */
  readonly problem: string | undefined;
}

/** Registers the metrics of reports. */
export function registerReportMetrics(status: () => ReportStatus, registers: Registry[]): void {
  new Counter({
    name: 'probewright_report_writes_total',
    help: 'Writes of reports, by result: written, deleted or failed.',
    labelNames: ['result'],
    registers,
    collect() {
      this.reset();
      for (const [result, count] of Object.entries(status().counts)) this.inc({ result }, count as number);
    },
  });
  new Gauge({
    name: 'probewright_reports_waiting',
    help: 'Reports that wait to be written, on the leading observer.',
    registers,
    collect() {
      this.set(status().waiting);
    },
  });
  new Gauge({
    name: 'probewright_reports_problem',
    help: 'Whether reports cannot be written now. /readyz names the problem.',
    registers,
    collect() {
      this.set(Number(status().problem !== undefined));
    },
  });
}
