import { Counter, type Registry } from 'prom-client';
import { gauge } from '../gauges.ts';

/** The results of writes, as the metric names them. */
export type ReportWrites = Counter<'result'>;

/** The counter of writes since the start of the process. It is registered by `registerReportMetrics`. */
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

/** The state of the writer of reports. */
export interface ReportStatus {
  /** Reports that wait to be written. */
  readonly waiting: number;
  /** Why reports cannot be written now. Undefined while they can. */
  readonly problem: string | undefined;
}

/**
 * Registers the metrics of reports.
 *
 * @param status undefined while this replica does not lead
 */
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
