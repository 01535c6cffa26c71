import { Registry } from 'prom-client';
import { registerNativeMetrics } from '../../src/observer/native/native-metrics.ts';
import { registerReportMetrics } from '../../src/observer/reports/report-writer.ts';
import { registerScanMetrics, ScanStatus } from '../../src/observer/scan/scan-status.ts';
import { Metrics } from '../../src/webhook/http/metrics.ts';
import { markdownTable } from './markdown-table.ts';

/** A metric as prom-client keeps it. */
interface KeptMetric {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  readonly type?: string;
}

/** The metrics of the webhook, with the help of `/metrics`, as a Markdown table. */
export function metricTable(): string {
  const { registry } = new Metrics({
    policies: () => ({ loaded: 0, problems: 0, lastSync: undefined }),
    leader: () => false,
    now: () => 0,
  });
  return tableOf(registry);
}

/** The metrics of scans, reports and the native policy, which only the observer has, as a Markdown table. */
export function observerMetricTable(): string {
  const registry = new Registry();
  registerScanMetrics(new ScanStatus(), () => undefined, [registry]);
  registerReportMetrics(() => undefined, [registry]);
  registerNativeMetrics(() => undefined, [registry]);
  return tableOf(registry);
}

function tableOf(registry: Registry): string {
  const own = (registry.getMetricsAsArray() as unknown as readonly KeptMetric[]).filter(({ name }) =>
    name.startsWith('probewright_'),
  );
  return markdownTable(
    ['metric', 'type', 'labels', 'meaning'],
    own.map(({ name, help, labelNames, constructor }) => [
      `\`${name}\``,
      constructor.name.toLowerCase(),
      labelNames.map((label) => `\`${label}\``).join(', '),
      help,
    ]),
  );
}
