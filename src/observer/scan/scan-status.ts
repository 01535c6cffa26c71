import { Gauge, Counter, type Registry } from 'prom-client';
import { gauge } from '../gauges.ts';
import type { ScanRun, WorkloadRecords } from './verdicts.ts';

/** The state of scans, for metrics and `/readyz`. Instants are in milliseconds since the epoch. */
export class ScanStatus {
  runs = 0;
  lastStart: number | undefined;
  lastEnd: number | undefined;
  lastDuration: number | undefined;
  isRunning = false;

  begin(now: number): void {
    this.lastStart = now;
    this.isRunning = true;
    this.runs += 1;
  }

  end({ now: start }: Pick<ScanRun, 'now'>, now: number): void {
    this.lastEnd = now;
    this.lastDuration = now - start;
    this.isRunning = false;
  }
}

export function registerScanMetrics(
  status: ScanStatus,
  records: () => WorkloadRecords | undefined,
  registers: Registry[],
): void {
  const times = [
    ['lastStart', 'last_start_timestamp_seconds', 'The start of the last scan, as a Unix time.'],
    ['lastEnd', 'last_end_timestamp_seconds', 'The end of the last scan, as a Unix time.'],
    ['lastDuration', 'duration_seconds', 'The duration of the last scan.'],
  ] as const;
  for (const [field, name, help] of times)
    gauge(`probewright_scan_${name}`, help, registers, () => status[field] && status[field] / 1000);
  new Counter({
    name: 'probewright_scans_total',
    help: 'Scans that have begun on this replica.',
    registers,
    collect() {
      this.reset();
      this.inc(status.runs);
    },
  });
  const workloads = 'Workloads that the leading observer knows.';
  gauge('probewright_scan_workloads', workloads, registers, () => records()?.size ?? 0);
  new Gauge({
    name: 'probewright_scan_violations',
    help: 'Violations of live workloads, by check, action and how they were stored, on the leading observer.',
    labelNames: ['rule', 'action', 'stored'],
    registers,
    collect() {
      this.reset();
      for (const { findings } of records()?.values() ?? []) for (const finding of findings) this.inc(finding);
    },
  });
}
