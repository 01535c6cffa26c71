import { Counter, type Registry } from 'prom-client';
import { gauge } from '../gauges.ts';

export type ReportWrites = Counter<'result'>;

/** Writes since the start of the process. `registerReportMetrics` registers the counter. */
export function reportWrites(): ReportWrites {
  const writes = new Counter({
    name: 'probewright_report_writes_total',
    help: 'Writes of reports, by result: written, deleted or failed.',
    labelNames: ['result'] as const,
    registers: [],
  });
  for (const result of ['written', 'deleted', 'failed']) writes.inc({ result }, 0);
  return writes;
}

export interface ReportStatus {
  readonly waiting: number;
  /** Why reports cannot be written now. Undefined while they can. */
  readonly problem: string | undefined;
}

/** Registers the metrics of reports. `status` is undefined while this replica does not lead. */
export function registerReportMetrics(
  writes: ReportWrites,
  status: () => ReportStatus | undefined,
  registers: Registry[],
): void {
  for (const registry of registers) registry.registerMetric(writes);
  const waiting = 'Reports that wait to be written, on the leading observer.';
  gauge('probewright_reports_waiting', waiting, registers, () => status()?.waiting ?? 0);
  const problem = 'Whether reports cannot be written now. /readyz names the problem.';
  gauge('probewright_reports_problem', problem, registers, () => Number(status()?.problem !== undefined));
}
