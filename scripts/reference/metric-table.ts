import { Metrics } from '../../src/webhook/http/metrics.ts';

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
  const own = (registry.getMetricsAsArray() as unknown as readonly KeptMetric[]).filter(({ name }) =>
    name.startsWith('probewright_'),
  );
  const rows = own.map(({ name, help, labelNames, constructor }) => {
    const labels = labelNames.map((label) => `\`${label}\``).join(', ');
    return `| \`${name}\` | ${constructor.name.toLowerCase()} | ${labels} | ${help} |\n`;
  });
  return `| metric | type | labels | meaning |\n|---|---|---|---|\n${rows.join('')}`;
}
