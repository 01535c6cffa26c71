import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { waitUntil } from '../../cluster/client/wait-until.ts';
import {
  ask,
  deployment,
  deploymentsOf,
  DEPLOYMENTS,
  ObservedCluster,
  OPEN_REPORTS,
  PODS,
  POLICY_REPORTS,
  reportsOf,
} from '../observed-cluster.ts';
import { clusterPolicyDocument } from '../../support/worlds.ts';
import type { FakeObject } from '../../cluster/client/fake-api-server.ts';

let cluster: ObservedCluster;

beforeEach(async () => {
  cluster = await ObservedCluster.start();
});
afterEach(async () => {
  await cluster.stop();
});

const uidOf = (namespace: string, name: string): string =>
  cluster.api.get(deploymentsOf(namespace), name)?.metadata.uid ?? '';
/** The label of the reports that the observer writes. */
const OURS = { 'app.kubernetes.io/managed-by': 'probewright' };
/** A Pod without a controller, unless the metadata name one. */
const putPod = (metadata: object, phase = 'Running'): unknown =>
  cluster.api.put('/api/v1/namespaces/shop/pods', { ...templateOf('web'), metadata, status: { phase } });
const templateOf = (name: string): object => (deployment(name) as { spec: { template: object } }).spec.template;
/** The paths of the lists of Deployments since so many requests. */
const listsSince = (requests: number): readonly string[] =>
  cluster.api.requests
    .slice(requests)
    .filter(({ path, query }) => path.endsWith('/deployments') && query['watch'] === undefined)
    .map(({ path }) => path);
const hasReports = (count: number): Promise<void> =>
  waitUntil(`there are ${count} reports`, () => cluster.reports('shop').length === count);
const rulesOf = (report: FakeObject | undefined): unknown[] =>
  ((report?.['results'] ?? []) as { rule: string }[]).map(({ rule }) => rule);

describe('a workload that would be denied, and was stored all the same', () => {
  const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';
  const POLICIES = '/apis/probewright.dev/v1alpha1/clusterprobepolicies';
  const SETTINGS = 'probewright.dev/settings';
  /** What the report says of the first violation. */
  const stored = (): string | undefined => {
    const [report] = cluster.reports('shop') as unknown as { results: { properties: Record<string, string> }[] }[];
    return report?.results[0]?.properties['stored'];
  };

  it('is told as such in reports, metrics and on the page, until a younger policy may be what denies it', async () => {
    const fieldsV1 = { 'f:metadata': { 'f:annotations': { [`f:${SETTINGS}`]: {} } } };
    const annotations = { [SETTINGS]: 'enforcement=Deny,mutation=On' };
    const metadata = { name: 'probewright', annotations, managedFields: [{ time: '2026-01-01T00:00:00Z', fieldsV1 }] };
    cluster.api.put(CONFIGURATIONS, { metadata, webhooks: [{ name: 'mutate.probewright.dev' }] });
    cluster.api.put(deploymentsOf('shop'), deployment('web'));
    const observer = await cluster.observe({ dashboardPort: 0 });
    await hasReports(1);
    const { creationTimestamp } = cluster.api.get(deploymentsOf('shop'), 'web')?.metadata ?? {};
    expect(stored()).toMatch(`without a verdict at ${creationTimestamp} or later: the webhook did not answer`);
    const { body } = await ask(observer, '/metrics');
    expect(body).toContain('probewright_scan_violations{rule="named-port",action="Deny",stored="without-verdict"} 1\n');
    const page = await ask(observer, '/', observer.dashboardPort);
    expect(page.body).toContain(`(stored without a verdict at ${creationTimestamp} or later`);

    cluster.api.put(POLICIES, clusterPolicyDocument({ port: 'http' }, 'later'));
    await waitUntil('nothing is said', () => stored() === undefined);
    expect(rulesOf(cluster.reports('shop')[0])).toEqual(['named-port']);
  });

  it('is reported as before, where the webhook does not tell its settings', async () => {
    cluster.api.put(deploymentsOf('shop'), deployment('web'));
    await cluster.observe();
    await hasReports(1);
    expect(rulesOf(cluster.reports('shop')[0])).toEqual(['named-port']);
    expect(stored()).toBeUndefined();
  });
});

describe('the reports of the observer', () => {
  it('tell of a workload that was there before the observer', async () => {
    cluster.api.put(deploymentsOf('shop'), deployment('web'));
    cluster.api.put(deploymentsOf('shop'), deployment('fine', 'http'));
    cluster.clockSkew = -(Date.now() % 1000);
    await cluster.observe();
    await hasReports(1);
    const uid = uidOf('shop', 'web');
    const { metadata, results, ...rest } = cluster.reports('shop')[0] as FakeObject & {
      results: Record<string, unknown>[];
    };
    const reference = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid };
    expect(rest).toEqual({
      apiVersion: 'openreports.io/v1alpha1',
      kind: 'Report',
      source: 'probewright',
      scope: { ...reference, namespace: 'shop' },
      summary: { pass: expect.any(Number) as number, fail: 1, warn: 0, error: 0, skip: 0 },
    });
    expect(metadata).toMatchObject({
      name: `probewright-${uid}`,
      namespace: 'shop',
      labels: { 'app.kubernetes.io/managed-by': 'probewright', 'probewright.dev/kind': 'Deployment' },
      annotations: { 'probewright.dev/content-hash': expect.stringMatching(/^sha256:[0-9a-f]{64}$/) as string },
      ownerReferences: [reference],
    });
    expect(results).toEqual([
      {
        source: 'probewright',
        policy: 'probewright',
        rule: 'named-port',
        category: 'Cannot work',
        severity: 'high',
        result: 'fail',
        scored: true,
        message:
          'spec.template.spec.containers[0].readinessProbe.httpGet.port: container "app" declares no port named "htpp"; did you mean "http"?',
        timestamp: { seconds: expect.any(Number) as number, nanos: 0 },
        properties: { container: 'app', probe: 'readinessProbe', action: 'Deny', fix: 'http' },
      },
    ]);
  });

  it('go when the workload is mended or deleted, and come when a workload gets a finding', async () => {
    cluster.api.put(deploymentsOf('shop'), deployment('web'));
    cluster.api.put(deploymentsOf('shop'), deployment('old'));
    await cluster.observe();
    await hasReports(2);
    cluster.api.put(deploymentsOf('shop'), deployment('web', 'http'));
    cluster.api.remove(deploymentsOf('shop'), 'old');
    await waitUntil('there is none', () => cluster.reports('shop').length === 0);
    cluster.api.put(deploymentsOf('shop'), deployment('new'));
    await waitUntil('there is one', () => cluster.reports('shop').length === 1);
    expect(rulesOf(cluster.reports('shop')[0])).toEqual(['named-port']);
  });

  it('are written once: another observer, or the next one, writes nothing', async () => {
    for (const name of ['a', 'b', 'c']) cluster.api.put(deploymentsOf('shop'), deployment(name));
    const first = await cluster.observe();
    await hasReports(3);
    await first.stop();
    const before = cluster.reportWrites().length;
    const finished = cluster.logged('scan_finished').length;
    await cluster.observe();
    await waitUntil('the next scan is finished', () => cluster.logged('scan_finished').length > finished);
    cluster.api.put(deploymentsOf('shop'), deployment('d'));
    await hasReports(4);
    expect(cluster.reportWrites().slice(before)).toEqual([`POST probewright-${uidOf('shop', 'd')}`]);
  });

  it('keep the time stamp of a finding that stays', async () => {
    cluster.api.put(deploymentsOf('shop'), deployment('web'));
    const first = (): Record<string, unknown>[] =>
      (cluster.reports('shop')[0]?.['results'] ?? []) as Record<string, unknown>[];
    await cluster.observe();
    await waitUntil('there is a report', () => first().length === 1);
    const [{ timestamp } = {}] = first();
    cluster.clockSkew = 100_000;
    const twice = JSON.parse(
      JSON.stringify(deployment('web')).replace(
        '"readinessProbe"',
        '"livenessProbe":{"httpGet":{"path":"/live","port":"htpp"}},"readinessProbe"',
      ),
    ) as object;
    cluster.api.put(deploymentsOf('shop'), twice);
    await waitUntil('there are more findings', () => first().length > 1);
    const seconds = (result: Record<string, unknown>): number => (result['timestamp'] as { seconds: number }).seconds;
    const { seconds: began } = timestamp as { seconds: number };
    const isOld = ({ properties, rule }: Record<string, unknown>): boolean =>
      rule === 'named-port' && (properties as { probe?: string }).probe === 'readinessProbe';
    expect(
      first().map((result) => (isOld(result) ? seconds(result) === began : seconds(result) >= began + 99)),
    ).toEqual(first().map(() => true));
  });

  it('of others are never touched', async () => {
    cluster.api.put(reportsOf('shop'), {
      metadata: { name: 'kyverno-1', labels: { 'app.kubernetes.io/managed-by': 'kyverno' } },
    });
    const web = cluster.api.put(deploymentsOf('shop'), deployment('web'));
    const name = `probewright-${web.metadata.uid ?? ''}`;
    cluster.api.put(reportsOf('shop'), { metadata: { name } });
    await cluster.observe();
    await waitUntil('the problem is told', () => cluster.logged('reports cannot be written now').length === 1);
    expect(cluster.reports('shop').map(({ metadata }) => metadata.name)).toEqual(['kyverno-1', name]);
    expect(cluster.reportWrites()).toEqual([]);
  });

  it('of another API are deleted: auto prefers openreports', async () => {
    cluster.api.serve([DEPLOYMENTS, PODS, OPEN_REPORTS, POLICY_REPORTS]);
    cluster.api.put(reportsOf('shop', POLICY_REPORTS), { metadata: { name: 'probewright-1', labels: OURS } });
    cluster.api.put(reportsOf('shop', POLICY_REPORTS), { metadata: { name: 'kyverno-1' } });
    cluster.api.put(deploymentsOf('shop'), deployment('web'));
    await cluster.observe();
    await hasReports(1);
    await waitUntil('the old one is gone', () => cluster.reports('shop', POLICY_REPORTS).length === 1);
    expect(cluster.reports('shop', POLICY_REPORTS)[0]?.metadata.name).toBe('kyverno-1');
  });

  it('use the older API when it is the only one, without a top-level source', async () => {
    cluster.api.serve([DEPLOYMENTS, PODS, POLICY_REPORTS]);
    cluster.api.put(deploymentsOf('shop'), deployment('web'));
    await cluster.observe();
    await waitUntil('there is a report', () => cluster.reports('shop', POLICY_REPORTS).length === 1);
    const report = cluster.reports('shop', POLICY_REPORTS)[0];
    expect(report).toMatchObject({ apiVersion: 'wgpolicyk8s.io/v1alpha2', kind: 'PolicyReport' });
    expect(report).not.toHaveProperty('source');
  });

  it('also tell of clean workloads, if asked', async () => {
    cluster.api.put(deploymentsOf('shop'), deployment('fine', 'http'));
    await cluster.observe({ reportsIncludeClean: true });
    await hasReports(1);
    expect(cluster.reports('shop')[0]).toMatchObject({ results: [], summary: { fail: 0, warn: 0 } });
  });

  it('count the checks that find nothing, without those that are off', async () => {
    cluster.api.put(deploymentsOf('shop'), deployment('fine', 'http'));
    await cluster.observe({ reportsIncludeClean: true });
    await hasReports(1);
    const passed = (): number => Number((cluster.reports('shop')[0]?.['summary'] as FakeObject | undefined)?.['pass']);
    const before = passed();
    expect(before).toBeGreaterThan(10);
    const { metadata, spec } = clusterPolicyDocument({ checks: { 'exec-cost': { action: 'Off' } } });
    cluster.api.put('/apis/probewright.dev/v1alpha1/clusterprobepolicies', { metadata, spec });
    await waitUntil('one check less has passed', () => passed() === before - 1);
  });

  it('are none without a report API, or if the setting says so', async () => {
    cluster.api.put(deploymentsOf('shop'), deployment('web'));
    await cluster.observe({ reports: 'none' });
    await waitUntil('the scan is finished', () => cluster.logged('scan_finished').length > 0);
    expect(cluster.logged('violation')).toMatchObject([
      { namespace: 'shop', kind: 'Deployment', name: 'web', check: 'named-port', action: 'Deny' },
    ]);
    expect(cluster.reportWrites()).toEqual([]);
  });

  it('are not asked for without reports, because the chart then grants no right to them', async () => {
    cluster.api.put(reportsOf('shop'), {
      metadata: { name: 'probewright-old', labels: OURS },
    });
    await cluster.observe({ reports: 'none' });
    await waitUntil('the scan is finished', () => cluster.logged('scan_finished').length > 0);
    expect(cluster.api.requests.filter(({ path }) => path.includes('reports'))).toEqual([]);
    expect(cluster.reports('shop')).toHaveLength(1);
  });
});

describe('namespaces that the webhook leaves out', () => {
  const label = (namespace: string, labels: Readonly<Record<string, string>>): void =>
    void cluster.api.put('/api/v1/namespaces', { metadata: { name: namespace, labels } });

  it('get no reports, and lose those of an older version', async () => {
    label('opted-out', { 'probewright.dev/webhook': 'disabled' });
    const exempt = ['kube-system', 'probewright', 'opted-out'];
    for (const namespace of exempt) {
      const { metadata } = cluster.api.put(deploymentsOf(namespace), deployment('web'));
      const name = `probewright-${metadata.uid ?? ''}`;
      cluster.api.put(reportsOf(namespace), { metadata: { name, labels: OURS } });
    }
    cluster.api.put(deploymentsOf('shop'), deployment('web'));
    const observer = await cluster.observe({ dashboardPort: 0 });
    await waitUntil('there is one report', () => cluster.reports('shop').length === 1);
    await waitUntil('the others are gone', () => exempt.every((namespace) => cluster.reports(namespace).length === 0));
    expect(cluster.logged('violation').map(({ namespace }) => namespace)).toEqual(['shop']);
    expect(cluster.logged('scan_finished')[0]).toMatchObject({ workloads: 1 });
    const { body } = await ask(observer, '/', observer.dashboardPort);
    expect(body).toContain('shop');
    expect(body).not.toContain('kube-system');
  });

  it('are those of --exempt-namespaces, if the flag is given', async () => {
    for (const namespace of ['kube-system', 'shop']) cluster.api.put(deploymentsOf(namespace), deployment('web'));
    await cluster.observe({ exemptNamespaces: ['shop'] });
    await waitUntil('there is a report', () => cluster.reports('kube-system').length === 1);
    expect(cluster.logged('violation').map(({ namespace }) => namespace)).toEqual(['kube-system']);
  });

  it('lose their reports when the label is set, and get them back when the label is removed', async () => {
    label('shop', {});
    cluster.api.put(deploymentsOf('shop'), deployment('web'));
    await cluster.observe();
    await hasReports(1);
    label('shop', { 'probewright.dev/webhook': 'disabled' });
    await waitUntil('the report is gone', () => cluster.reports('shop').length === 0);
    label('shop', {});
    await waitUntil('the report is back', () => cluster.reports('shop').length === 1);
  });
});

describe('the scan', () => {
  const policies = '/apis/probewright.dev/v1alpha1/namespaces/shop/probepolicies';
  const clusterPolicies = '/apis/probewright.dev/v1alpha1/clusterprobepolicies';

  it('judges the namespace of a changed policy again, by one list', async () => {
    for (const namespace of ['shop', 'blog']) cluster.api.put(deploymentsOf(namespace), deployment('web', 'http'));
    await cluster.observe();
    await waitUntil('the scan is finished', () => cluster.logged('scan_finished').length > 0);
    const before = cluster.api.requests.length;
    cluster.api.put(policies, {
      metadata: { name: 'strict' },
      spec: { checks: { 'required-liveness': { action: 'Warn' } } },
    });
    await hasReports(1);
    expect(cluster.reports('shop')[0]).toMatchObject({
      results: [
        {
          rule: 'required-liveness',
          policy: 'ProbePolicy/shop/strict',
          result: 'warn',
          scored: false,
          severity: 'medium',
          category: 'House rules',
        },
      ],
    });
    expect(cluster.reports('blog')).toEqual([]);
    expect(listsSince(before)).toEqual([deploymentsOf('shop')]);
    cluster.api.remove(policies, 'strict');
    await waitUntil('the report is gone', () => cluster.reports('shop').length === 0);
  });

  it('judges the namespace of a changed StartupProfile again, and no other', async () => {
    const profiles = (namespace: string): string =>
      `/apis/probewright.dev/v1alpha1/namespaces/${namespace}/startupprofiles`;
    const live = JSON.parse(
      JSON.stringify(deployment('web', 'http')).replace(
        '"readinessProbe"',
        '"livenessProbe":{"httpGet":{"path":"/live","port":"http"}},"readinessProbe"',
      ),
    ) as object;
    for (const namespace of ['shop', 'blog']) cluster.api.put(deploymentsOf(namespace), live);
    await cluster.observe();
    await waitUntil('the scan is finished', () => cluster.logged('scan_finished').length > 0);
    // A write that is under way reads the workload, and would judge it by the new facts before the list.
    await hasReports(1);
    const before = cluster.api.requests.length;
    const isLow = ({ rule }: { rule: string }): boolean => rule === 'observed-startup';
    const tells = (): boolean =>
      cluster.reports('shop').some((report) => (report['results'] as { rule: string }[]).some(isLow));
    expect(tells()).toBe(false);
    const at = '2026-01-01T00:00:00Z';
    const samples = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => ({
      seconds: 400,
      within: 2,
      basis: 'readiness',
      restart: false,
      node: 'n',
      at,
      id,
    }));
    cluster.api.put(profiles('shop'), {
      metadata: { name: 'deployment-web' },
      status: {
        workload: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        containers: [{ name: 'app', image: 'app', samples }],
      },
    });
    await waitUntil('the report tells of the start', tells);
    expect(listsSince(before)).toEqual([deploymentsOf('shop')]);
    cluster.api.remove(profiles('shop'), 'deployment-web');
    await waitUntil('the report tells of no start', () => !tells());
  });

  it('asks for no StartupProfiles if the settings say so', async () => {
    cluster.api.put(deploymentsOf('shop'), deployment('web'));
    await cluster.observe({}, { readsStartupProfiles: false });
    await hasReports(1);
    expect(cluster.api.requests.filter(({ path }) => path.includes('startupprofiles'))).toEqual([]);
  });

  it('judges everything again when a ClusterProbePolicy changes, and writes only what has changed', async () => {
    cluster.api.put(deploymentsOf('shop'), deployment('bad'));
    for (const name of ['a', 'b', 'c'])
      cluster.api.put(deploymentsOf('blog'), deployment(name, 'http', { tier: name === 'b' ? 'web' : 'none' }));
    await cluster.observe();
    await hasReports(1);
    const spec = {
      workloadSelector: { matchLabels: { tier: 'web' } },
      checks: { 'required-liveness': { action: 'Deny' } },
    };
    cluster.api.put(clusterPolicies, { metadata: { name: 'house' }, spec });
    await waitUntil('there is another', () => cluster.reports('blog').length === 1);
    expect(cluster.reportWrites()).toEqual([
      `POST probewright-${uidOf('shop', 'bad')}`,
      `POST probewright-${uidOf('blog', 'b')}`,
    ]);
  });

  it('deletes no report when the API server prefers another version of the kind', async () => {
    const newer = '/apis/apps/v2/deployments';
    cluster.api.put(deploymentsOf('shop'), deployment('web'));
    await cluster.observe({ scanInterval: 60_000 });
    await hasReports(1);
    await waitUntil('the first scan is over', () => cluster.logged('scan_finished').length === 1);
    const { metadata } = cluster.api.get(deploymentsOf('shop'), 'web') ?? {};
    cluster.api.put('/apis/apps/v2/namespaces/shop/deployments', { ...deployment('web'), metadata });
    cluster.api.serve([{ ...DEPLOYMENTS, apiVersion: 'apps/v2' }, PODS, OPEN_REPORTS]);
    cluster.api.intercept(({ path }) => (path === newer ? { status: 503 } : undefined));
    cluster.clockSkew = 61_000;
    // In this time the reports of a kind that is gone would be deleted.
    await waitUntil('the new version has been asked for', () => {
      return cluster.api.requests.filter(({ path }) => path === newer).length >= 4;
    });
    cluster.api.intercept(undefined);
    await waitUntil('the report names the new version', () => {
      return (cluster.reports('shop')[0]?.['scope'] as FakeObject | undefined)?.apiVersion === 'apps/v2';
    });
    const name = `probewright-${metadata?.uid ?? ''}`;
    expect(cluster.reportWrites()).toEqual([`POST ${name}`, `PUT ${name}`]);
  });

  it('judges Pods without a controller, and no others', async () => {
    const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: '1', controller: true };
    putPod({ name: 'single' });
    putPod({ name: 'owned', ownerReferences: [owner] });
    await cluster.observe();
    await hasReports(1);
    expect(cluster.reports('shop')[0]?.['scope']).toMatchObject({ apiVersion: 'v1', kind: 'Pod', name: 'single' });
    putPod({ name: 'single' }, 'Succeeded');
    await waitUntil('the report is gone', () => cluster.reports('shop').length === 0);
  });

  it('judges a Pod no longer once a controller has adopted it', async () => {
    putPod({ name: 'db-0' });
    await cluster.observe();
    await hasReports(1);
    const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', uid: '1', controller: true };
    putPod({ name: 'db-0', ownerReferences: [owner] });
    await hasReports(0);
  });

  it('names objects whose controller Kubernetes does not have, once for each pair of kinds', async () => {
    const owners = (apiVersion: string, kind: string): object => ({
      ownerReferences: [{ apiVersion, kind, name: 'o', uid: '1', controller: true }],
    });
    const put = (name: string, apiVersion: string, kind: string): unknown =>
      putPod({ name, ...owners(apiVersion, kind) });
    put('a', 'v1', 'ConfigMap');
    put('b', 'v1', 'ConfigMap');
    put('c', 'apps/v1', 'ReplicaSet');
    put('d', 'tekton.dev/v1', 'TaskRun');
    cluster.api.put(deploymentsOf('shop'), { ...deployment('web'), metadata: { name: 'web', ...owners('v1', 'Pod') } });
    await cluster.observe();
    const named = (): unknown[] =>
      cluster.lines
        .filter(({ msg }) => msg === 'the object has a controller that Kubernetes does not have')
        .map(({ kind, owner, namespace }) => `${String(namespace)}: ${String(kind)} of ${String(owner)}`)
        .toSorted();
    await waitUntil('both are named', () => named().length === 2);
    expect(named()).toEqual(['shop: Deployment of v1/Pod', 'shop: Pod of v1/ConfigMap']);
  });

  it('deletes no report of a Pod without a controller when another observer begins', async () => {
    for (const name of ['one', 'two']) putPod({ name });
    const first = await cluster.observe();
    await waitUntil('there are reports', () => cluster.reports('shop').length === 2);
    await first.stop();
    cluster.api.put(reportsOf('gone'), { metadata: { name: 'probewright-0', labels: OURS } });
    const before = cluster.reportWrites().length;
    const finished = cluster.logged('scan_finished').length;
    // Pods are listed later than all other workloads.
    cluster.api.intercept(({ path }) => (path === '/api/v1/pods' ? { status: 503 } : undefined));
    await cluster.observe();
    await waitUntil('workloads are judged', () => cluster.logged('scan_finished').length > finished);
    cluster.api.put(deploymentsOf('blog'), deployment('web'));
    await waitUntil('reports are written', () => cluster.reports('blog').length === 1);
    cluster.api.intercept(undefined);
    await waitUntil('the stale report is gone', () => cluster.reports('gone').length === 0);
    expect(cluster.reportWrites().slice(before)).toEqual([
      `POST probewright-${uidOf('blog', 'web')}`,
      'DELETE probewright-0',
    ]);
  });

  it('is done by the leader alone, and another replica takes over', async () => {
    cluster.api.put(deploymentsOf('shop'), deployment('web'));
    const first = await cluster.observe();
    await hasReports(1);
    await cluster.observe();
    expect(cluster.logged('scan_started')).toHaveLength(1);
    await first.stop();
    await waitUntil('the other scans', () => cluster.logged('scan_started').length === 2);
    cluster.api.put(deploymentsOf('shop'), deployment('new'));
    await waitUntil('the other writes', () => cluster.reports('shop').length === 2);
  });
});
