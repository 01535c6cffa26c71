import { Gauge, Counter, type Registry } from 'prom-client';
import { gauge } from '../gauges.ts';
import type { Run, WorkloadRecords } from './verdicts.ts';

/** The state of scans, for metrics and `/readyz`. Instants are in milliseconds since the epoch. */
export class ScanStatus {
  readonly #now: () => number;
  runs = 0;
  lastStart: number | undefined;
  lastEnd: number | undefined;
  lastDuration: number | undefined;
  isRunning = false;

  constructor(now: () => number) {
    this.#now = now;
  }

  begin(): void {
    this.lastStart = this.#now();
    this.isRunning = true;
    this.runs += 1;
  }

  end({ now: start }: Pick<Run, 'now'>): void {
    this.lastEnd = this.#now();
    this.lastDuration = this.lastEnd - start;
    this.isRunning = false;
  }
}

export function registerScanMetrics(
  status: ScanStatus,
  records: () => Pick<WorkloadRecords, 'size' | 'findingCounts'> | undefined,
  registers: Registry[],
): void {
  const seconds = (milliseconds: number | undefined): number | undefined => milliseconds && milliseconds / 1000;
  gauge('probewright_scan_last_start_timestamp_seconds', 'The start of the last scan, as a Unix time.', registers, () =>
    seconds(status.lastStart),
  );
  gauge('probewright_scan_last_end_timestamp_seconds', 'The end of the last scan, as a Unix time.', registers, () =>
    seconds(status.lastEnd),
  );
  gauge('probewright_scan_duration_seconds', 'The duration of the last scan.', registers, () =>
    seconds(status.lastDuration),
  );
  new Counter({
    name: 'probewright_scans_total',
    help: 'Scans that have begun on this replica.',
    registers,
    collect() {
      this.reset();
      this.inc(status.runs);
    },
  });
  gauge(
    'probewright_scan_workloads',
    'Workloads that the leading observer knows.',
    registers,
    () => records()?.size ?? 0,
  );
  new Gauge({
    name: 'probewright_scan_violations',
    help: 'Violations of live workloads, by check and action, on the leading observer.',
    labelNames: ['rule', 'action'],
    registers,
    collect() {
      this.reset();
      for (const [finding, count] of records()?.findingCounts() ?? []) {
        const [rule = '', action = ''] = finding.split(' ');
        this.set({ rule, action }, count);
      }
    },
  });
}
