import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { CHART } from '../../scripts/chart/chart-files.ts';
import { Registry } from 'prom-client';
import { registerReportMetrics } from '../../src/observer/reports/report-writer.ts';
import { registerScanMetrics, ScanStatus } from '../../src/observer/scan/scan-status.ts';
import { Metrics } from '../../src/webhook/http/metrics.ts';
import { isWithoutHelm, MONITORING_API, one, render } from './helm.ts';

/** Of k8s.io/apiserver, pkg/admission/metrics. */
const API_SERVER_METRICS = [
  'apiserver_admission_webhook_admission_duration_seconds_bucket',
  'apiserver_admission_webhook_fail_open_count',
  'apiserver_admission_webhook_rejection_count',
];

/** The metrics of the observer that the webhook does not have. */
async function observerMetrics(): Promise<readonly { readonly name: string; readonly type: unknown }[]> {
  const registry = new Registry();
  registerScanMetrics(new ScanStatus(), () => undefined, [registry]);
  registerReportMetrics(() => undefined, [registry]);
  return await registry.getMetricsAsJSON();
}

async function knownMetrics(): Promise<Set<string>> {
  const metrics = new Metrics({
    policies: () => ({ loaded: 0, problems: 0, lastSync: undefined }),
    statusesSetAside: () => ({ failed: 0 }),
    leader: () => false,
    now: () => 0,
    build: { version: '', commit: '' },
  });
  const ours = [...(await metrics.registry.getMetricsAsJSON()), ...(await observerMetrics())];
  const names = ours.flatMap(({ name, type }) =>
    String(type) === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  );
  return new Set([...names, ...LIVE_METRICS, ...API_SERVER_METRICS]);
}

/** The metrics that the observer's parts about Pods register: observer.md and the observer's tests name them, too. */
const LIVE_METRICS = ['failing/failing-part.ts', 'missed/missed-part.ts', 'native/native-metrics.ts'].flatMap(
  (file) => readFileSync(`src/observer/${file}`, 'utf8').match(/probewright_[a-z_]+/g) ?? [],
);

/** Metrics that a PromQL expression asks for: names that are neither functions, keywords, labels nor in quotes. */
function metricsIn(expression: string): string[] {
  const bare = expression
    .replace(/\{[^}]*\}/g, '')
    .replace(/"[^"]*"/g, '')
    .replace(/\[[^\]]*\]/g, '')
    .replace(/\b(by|without)\s*\([^)]*\)/g, '');
  return [...bare.matchAll(/\b([a-z_][a-z0-9_]+)\b(?!\s*\()/gi)]
    .map(([, name = '']) => name)
    .filter((name) => !['or', 'and', 'unless', 'offset', 'sum', 'min', 'max', 'count'].includes(name));
}

interface Panel {
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string }[];
}

const dashboard = JSON.parse(readFileSync(`${CHART}/files/dashboard.json`, 'utf8')) as {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly query: unknown }[] };
};

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string; readonly runbook_url: string };
}

function alerts(set: readonly string[] = []): Alert[] {
  const manifests = render({
    set: ['monitoring.prometheusRule.enabled=true', 'observer.enabled=true', ...set],
    apiVersions: [MONITORING_API],
  });
  return one<{ spec: { groups: { rules: Alert[] }[] } }>(manifests, 'PrometheusRule').spec.groups[0]?.rules ?? [];
}

describe('the dashboard', () => {
  it('asks for metrics that exist, and for each of ours', async () => {
    const known = await knownMetrics();
    const asked = dashboard.panels.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => metricsIn(expr)));
    expect(asked.filter((name) => !known.has(name))).toEqual([]);
    const ours = [...known].filter((name) => name.startsWith('probewright_') && !/_(sum|count)$/.test(name));
    // The age says the same as the timestamp.
    expect(ours.filter((name) => !asked.includes(name))).toEqual(['probewright_config_last_sync_timestamp_seconds']);
  });

  it('shows what fails now and which Pods lack probes, by the namespace of the workloads', () => {
    const panels = dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr]));
    for (const metric of ['probewright_failing_workloads', 'probewright_missed_pods'])
      expect(panels.filter(([, expr]) => expr?.includes(metric)).map(([, expr]) => expr)).toEqual([
        `sum by (exported_namespace, cause) (${metric}{namespace="$namespace"})`,
      ]);
  });

  it('has a query in every panel, and no panel over another', () => {
    const taken = new Set<string>();
    for (const { type, title, targets, gridPos } of dashboard.panels) {
      if (type !== 'row') expect(targets?.length, title).toBeGreaterThan(0);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(x < 24 && !taken.has(`${x}/${y}`), title).toBe(true);
          taken.add(`${x}/${y}`);
        }
      }
    }
  });

  it.skipIf(isWithoutHelm('monitoring.tools.test.ts'))(
    'gets into a ConfigMap as it is, for the sidecar to find',
    () => {
      const config = one<{ metadata: { labels: object }; data: Record<string, string> }>(
        render({ set: ['monitoring.dashboard.enabled=true'] }),
        'ConfigMap',
        'probewright-dashboard',
      );
      expect(config.metadata.labels).toMatchObject({ grafana_dashboard: '1' });
      expect(JSON.parse(config.data['probewright.json'] ?? '')).toEqual(dashboard);
    },
  );
});

describe.skipIf(isWithoutHelm('monitoring.tools.test.ts'))('the alerts', () => {
  it('ask for metrics that exist', async () => {
    const known = await knownMetrics();
    for (const { alert, expr } of alerts()) {
      const asked = metricsIn(expr);
      expect(asked.length, alert).toBeGreaterThan(0);
      expect(
        asked.filter((name) => !known.has(name)),
        alert,
      ).toEqual([]);
    }
  });

  it('name the webhooks of the configurations', () => {
    const manifests = render();
    const names = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'].flatMap((kind) =>
      one<{ webhooks: { name: string }[] }>(manifests, kind)
        .webhooks.map(({ name }) => name)
        // Reviews of policies may take longer, and nothing depends on them.
        .filter((name) => name !== 'review-policies.probewright.dev'),
    );
    const pattern = /name=~"([^"]+)"/.exec(alerts()[0]?.expr ?? '')?.[1] ?? '';
    expect(names.filter((name) => !new RegExp(`^(${pattern})$`).test(name))).toEqual([]);
    const inDashboard = /name=~\\"([^"]+)\\"/.exec(JSON.stringify(dashboard))?.[1] ?? '';
    expect(names.filter((name) => !new RegExp(`^(${inDashboard})$`).test(name))).toEqual([]);
  });

  it('go by the values', () => {
    const expr = (alert: string, ...set: string[]): string =>
      alerts(set).find((candidate) => candidate.alert === alert)?.expr ?? '';
    expect(expr('ProbewrightSlow')).toMatch(/> 1\.25$/);
    expect(expr('ProbewrightSlow', 'webhooks.timeoutSeconds=10')).toMatch(/> 2\.5$/);
    expect(expr('ProbewrightReplicasMissing')).toMatch(/< 2$/);
    expect(expr('ProbewrightReplicasMissing', 'replicas=1')).toMatch(/< 1$/);
    expect(expr('ProbewrightReplicasMissing', 'replicas=null')).toMatch(/< 2$/);
    expect(expr('ProbewrightReplicasMissing', 'replicas=1', 'autoscaling.enabled=true')).toMatch(/< 2$/);
  });

  it('go by how long certificates last, unless thresholds are given', () => {
    const hours = (alert: string, ...set: string[]): number =>
      Number(/< (\d+)$/.exec(alerts(set).find((candidate) => candidate.alert === alert)?.expr ?? '')?.[1]) / 3600;
    expect(hours('ProbewrightLeafExpires')).toBe(36);
    expect(hours('ProbewrightLeafExpires', 'certificates.own.leafLifetime=14d')).toBe(72);
    expect(hours('ProbewrightLeafExpires', 'certificates.mode=cert-manager')).toBe(360);
    expect(hours('ProbewrightLeafExpires', 'certificates.mode=secret', 'certificates.secret.name=pair')).toBe(36);
    expect(hours('ProbewrightLeafExpires', 'monitoring.prometheusRule.leafExpirySeconds=7200')).toBe(2);
    expect(hours('ProbewrightCaExpires')).toBe((365 * 24) / 6);
    expect(hours('ProbewrightCaExpires', 'certificates.own.caLifetime=90d')).toBe(15 * 24);
    expect(hours('ProbewrightCaExpires', 'monitoring.prometheusRule.caExpirySeconds=7200')).toBe(2);
  });

  it('see a counter whose first value is 1: of a failed call that is the first of its kind', () => {
    const counters = {
      ProbewrightFailOpen: 'apiserver_admission_webhook_fail_open_count',
      ProbewrightCallsFail: 'apiserver_admission_webhook_rejection_count',
    };
    for (const [name, counter] of Object.entries(counters)) {
      const { expr } = alerts().find(({ alert }) => alert === name) ?? { expr: '' };
      const [, selector = ''] = /increase\((.*?)\[5m\]\)/.exec(expr) ?? [];
      expect(selector).toMatch(new RegExp(`^${counter}\\{`));
      expect(expr).toBe(
        `(sum by (name) (increase(${selector}[5m])) > 0) or ` +
          `(sum by (name) (${selector} unless max_over_time(${selector}[1h] offset 5m)) > 0)`,
      );
    }
  });

  it('each say what to do, behind a link of their own', () => {
    const all = alerts();
    for (const { alert, annotations, labels } of all) {
      expect(labels.severity).toMatch(/^(warning|critical)$/);
      expect(annotations.summary.length, alert).toBeGreaterThan(10);
      expect(annotations.runbook_url).toMatch(
        new RegExp(`^https://github\\.com/.*/docs/troubleshooting\\.md#${alert.toLowerCase()}$`),
      );
    }
    expect(new Set(all.map(({ alert }) => alert)).size).toBe(all.length);
  });

  const page = 'docs/troubleshooting.md';
  if (!existsSync(page))
    console.warn(`monitoring.tools.test.ts: the runbooks are not looked for: there is no ${page} yet.`);
  it.skipIf(!existsSync(page))('have runbooks that exist', () => {
    const headings = [...readFileSync(page, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading.toLowerCase(),
    );
    expect(
      alerts()
        .map(({ alert }) => alert.toLowerCase())
        .filter((alert) => !headings.includes(alert)),
    ).toEqual([]);
  });

  it('can be sent to runbooks of one’s own', () => {
    const [alert] = alerts(['monitoring.prometheusRule.runbookUrl=https://example.com/runbooks']);
    expect(alert?.annotations.runbook_url).toBe('https://example.com/runbooks#probewrightfailopen');
  });
});

describe.skipIf(isWithoutHelm('monitoring.tools.test.ts'))('the ServiceMonitor', () => {
  it('can be in another namespace, and still looks for the release in its own', () => {
    const values = [`${CHART}/ci/monitoring-values.yaml`];
    const monitor = one(render({ values, apiVersions: [MONITORING_API] }), 'ServiceMonitor');
    expect(monitor.metadata.namespace).toBe('shop');
    expect(monitor).toMatchObject({
      spec: {
        namespaceSelector: { matchNames: ['probewright'] },
        endpoints: [
          {
            relabelings: [{ targetLabel: 'cluster', replacement: 'east' }],
            metricRelabelings: [{ action: 'drop', sourceLabels: ['__name__'], regex: 'nodejs_.*' }],
          },
        ],
      },
    });
    const rule = one(render({ values, apiVersions: [MONITORING_API] }), 'PrometheusRule');
    expect(rule.metadata.namespace).toBe('probewright');
    const set = ['monitoring.prometheusRule.namespace=rules'];
    expect(one(render({ values, set, apiVersions: [MONITORING_API] }), 'PrometheusRule').metadata.namespace).toBe(
      'rules',
    );
  });
});

describe('Chart.yaml', () => {
  it('links to where the runbooks are', () => {
    const { home, sources } = parse(readFileSync(`${CHART}/Chart.yaml`, 'utf8')) as { home: string; sources: string[] };
    expect(sources).toEqual([home]);
  });
});
