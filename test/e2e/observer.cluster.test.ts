import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { clusterPolicyDocument } from '../support/worlds.ts';
import { controlPlaneProblem, startControlPlane, type ControlPlane } from './control-plane.ts';
import { waitUntil } from './processes.ts';
import { applyCrds } from './custom-resource-definitions.ts';
import { deployment as deploymentNamed, deploymentsOf } from './pods.ts';
import { slowdownNow } from '../support/slowdown.ts';
import { describeUnless, endedAfterAll } from '../support/started.ts';
import { temporaryDirectory } from './temporary-directory.ts';
import { type StartedProgram, startProgram } from './webhook-process.ts';
import { readWrittenRules, type PolicyRule } from './written-rbac.ts';

/** The CRDs of the report APIs stay out of the repository. Without them, a CRD that allows everything stands in. */
const crds = process.env['REPORT_CRDS'];
if (crds === undefined)
  console.info('observer.cluster.test.ts: REPORT_CRDS names no directory, so reports meet no real schema');

const WORKLOADS = 2000;
const deployments = deploymentsOf('shop');
const reports = '/apis/openreports.io/v1alpha1/namespaces/shop/reports';

const deployment = (name: string, port: string, tier = 'other'): object =>
  deploymentNamed(name, {
    namespace: 'shop',
    container: { readinessProbe: { httpGet: { path: '/ready', port } } },
    template: { labels: { app: name, tier } },
  });

interface Report {
  readonly metadata: { readonly name: string; readonly ownerReferences: readonly { readonly name: string }[] };
  readonly source?: string;
  readonly scope: { readonly name: string };
  readonly summary: Readonly<Record<string, number>>;
  readonly results: readonly Readonly<Record<string, unknown>>[];
}

/** A stand-in for the CRD of reports. */
const permissiveCrd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: {
    name: 'reports.openreports.io',
    annotations: { 'api-approved.kubernetes.io': 'unapproved, for a test' },
  },
  spec: {
    group: 'openreports.io',
    scope: 'Namespaced',
    names: { plural: 'reports', singular: 'report', kind: 'Report', listKind: 'ReportList' },
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

describeUnless(controlPlaneProblem({ controllers: true }), 'the observer on a real API server', () => {
  const keep = endedAfterAll();
  let cluster: ControlPlane;
  let kubeconfig: string;
  let observer: StartedProgram | undefined;

  const listed = async (): Promise<readonly Report[]> => {
    const { body } = await cluster.request('GET', reports);
    return (JSON.parse(body) as { items?: Report[] }).items ?? [];
  };
  const logged = (message: string): Record<string, unknown>[] =>
    (observer?.output() ?? '')
      .split('\n')
      .filter((line) => line.includes(`"msg":"${message}"`))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  /** Writes of reports in the audit log, as `verb name`. */
  const writes = async (): Promise<readonly string[]> =>
    (await cluster.auditEvents())
      .filter(({ objectRef, stage }) => objectRef?.resource === 'reports' && stage === 'ResponseComplete')
      .filter(({ verb }) => !['get', 'list', 'watch'].includes(verb))
      .map(({ verb, objectRef }) => `${verb} ${objectRef?.name ?? ''}`);
  const refused = async (): Promise<readonly string[]> =>
    (await cluster.auditEvents())
      .filter(({ responseStatus }) => responseStatus?.code === 403)
      .map(({ verb, requestURI }) => `${verb} ${requestURI}`);

  beforeAll(async () => {
    cluster = await keep(startControlPlane({ controllers: true, users: ['observer'], auditedUsers: ['observer'] }));
    const directory = await keep(temporaryDirectory('observer'));
    await applyCrds(cluster);
    const definitions =
      crds === undefined
        ? [permissiveCrd]
        : readdirSync(crds).map((file) => parse(readFileSync(join(crds, file), 'utf8')) as object);
    await cluster.apply(...definitions);
    await cluster.create('/api/v1/namespaces', { metadata: { name: 'shop' } });
    await cluster.create('/api/v1/namespaces', { metadata: { name: 'probewright' } });
    // Until then no Pod can be created, and reports say so.
    const account = '/api/v1/namespaces/shop/serviceaccounts/default';
    await waitUntil('Pods have an account', async () => (await cluster.request('GET', account)).status === 200);
    await waitUntil('reports are served', async () => (await cluster.request('GET', reports)).status === 200);
    const rbac = '/apis/rbac.authorization.k8s.io/v1';
    const subjects = [{ kind: 'User', name: 'observer', apiGroup: 'rbac.authorization.k8s.io' }];
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', name: 'observer' };
    await cluster.create(`${rbac}/clusterroles`, { metadata: { name: 'observer' }, rules: await clusterRules() });
    await cluster.create(`${rbac}/clusterrolebindings`, {
      metadata: { name: 'observer' },
      subjects,
      roleRef: { ...roleRef, kind: 'ClusterRole' },
    });
    const rules = observerRules('probewright-observer').namespace;
    await cluster.create(`${rbac}/namespaces/probewright/roles`, { metadata: { name: 'observer' }, rules });
    await cluster.create(`${rbac}/namespaces/probewright/rolebindings`, {
      metadata: { name: 'observer' },
      subjects,
      roleRef: { ...roleRef, kind: 'Role' },
    });
    kubeconfig = join(directory.path, 'config');
    await writeFile(kubeconfig, cluster.kubeconfigOf('observer'), { mode: 0o600 });
  });

  beforeEach(({ onTestFailed }) => {
    onTestFailed(() => console.info(observer?.output().trimEnd().split('\n').slice(-15).join('\n')));
  });

  it('reports a bad Deployment that existed before it, within 5 s on a machine that is not slowed down', async () => {
    await cluster.create(deployments, deployment('static', 'htpp'));
    const slowdown = slowdownNow();
    const start = performance.now();
    // Nobody else wants to lead, and 2,000 Deployments may keep a slow API server busy for longer than a short lease.
    const lease = ['--lease-duration', '30s', '--lease-renew', '2s'];
    const flags = ['--kubeconfig', kubeconfig, '--namespace', 'probewright', ...lease];
    observer = await keep(startProgram('observe', flags));
    await waitUntil('the observer has scanned', () => logged('scan_finished').length > 0);
    await waitUntil('there is a report', async () => (await listed()).length === 1);
    const seconds = (performance.now() - start) / 1000;
    const [report] = await listed();
    expect(report).toMatchObject({
      source: 'probewright',
      scope: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'static' },
      summary: { fail: 1 },
      results: [
        {
          source: 'probewright',
          rule: 'named-port',
          result: 'fail',
          severity: 'high',
          scored: true,
          timestamp: { nanos: 0 },
          properties: { fix: 'http' },
        },
      ],
    });
    expect(seconds / slowdown).toBeLessThan(5);
  });

  it('removes the report when the Deployment is mended', async () => {
    const mended = await cluster.request('PUT', `${deployments}/static`, deployment('static', 'http'));
    expect(mended.status).toBe(200);
    await waitUntil('there is no report', async () => (await listed()).length === 0);
  });

  it('removes the report when the Deployment is deleted', async () => {
    await cluster.create(deployments, deployment('doomed', 'htpp'));
    await waitUntil('there is a report', async () => (await listed()).length === 1);
    await cluster.delete(`${deployments}/doomed`);
    await waitUntil('there is no report', async () => (await listed()).length === 0);
  });

  it(`judges ${WORKLOADS} workloads again after a policy change, in one scan with the writes that changed`, async () => {
    const batch = 50;
    for (let index = 0; index < WORKLOADS; index += batch)
      await Promise.all(
        Array.from({ length: batch }, (_, offset) => {
          const number = index + offset;
          return cluster.create(
            deployments,
            deployment(`web-${number}`, 'http', number % 200 === 0 ? 'front' : 'back'),
          );
        }),
      );
    const before = await writes();
    const scans = logged('scan_finished').length;
    const spec = {
      workloadSelector: { matchLabels: { tier: 'front' } },
      checks: { 'required-liveness': { action: 'Warn' } },
    };
    await cluster.create('/apis/probewright.dev/v1alpha1/clusterprobepolicies', clusterPolicyDocument(spec, 'front'));
    await waitUntil('there are ten reports', async () => (await listed()).length === WORKLOADS / 200);
    // Reports are written during the scan.
    await waitUntil('the scan is over', () => logged('scan_finished').length > scans);
    expect(logged('scan_finished').slice(scans)).toMatchObject([
      { reason: 'change', workloads: WORKLOADS + 1, problems: 0 },
    ]);
    const after = (await writes()).slice(before.length);
    expect(after).toHaveLength(WORKLOADS / 200);
    expect(after.every((write) => write.startsWith('create'))).toBe(true);
  });

  it('needs no right that the chart does not give', async () => {
    expect(await refused()).toEqual([]);
  });

  it('writes nothing wrong when a right is revoked, and recovers', async () => {
    const role = '/apis/rbac.authorization.k8s.io/v1/clusterroles/observer';
    const all = await clusterRules();
    const put = (rules: readonly PolicyRule[]): Promise<unknown> =>
      cluster.request('PUT', role, {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata: { name: 'observer' },
        rules,
      });
    await put(all.filter(({ resources }) => !resources.includes('deployments') && !resources.includes('reports')));
    const before = await writes();
    await cluster.create(deployments, deployment('late', 'htpp'));
    await waitUntil(
      'the refusal is told',
      () => logged('reports cannot be written now').length > 0 || logged('workloads cannot be watched now').length > 0,
    );
    expect(await listed()).toHaveLength(WORKLOADS / 200);
    await put(all);
    await waitUntil('the late one has a report', async () =>
      (await listed()).some(({ scope }) => scope.name === 'late'),
    );
    expect(new Set((await writes()).slice(before.length).map((write) => write.split(' ')[0]))).toEqual(
      new Set(['create']),
    );
  });
});

type ObserverSection = 'cluster' | 'pods' | 'workloads' | 'missed' | 'reports' | 'startups' | 'namespace';

/** What the chart grants to the observer beside what the webhook reads, too. */
function observerRules(name: string): Record<ObserverSection, PolicyRule[]> {
  const file = join(import.meta.dirname, '../../charts/probewright/files/observer-rbac.yaml');
  return parse(
    readFileSync(file, 'utf8')
      .replaceAll('{{ .name }}', name)
      .replaceAll('{{ .webhook }}', '00-probewright')
      .replaceAll(/^#.*$/gm, ''),
  ) as ReturnType<typeof observerRules>;
}

async function clusterRules(): Promise<readonly PolicyRule[]> {
  const { cluster } = await readWrittenRules({ name: 'probewright', caSecret: 'probewright-ca' });
  const isRead = ({ verbs, apiGroups }: PolicyRule): boolean =>
    verbs.every((verb) => ['get', 'list', 'watch'].includes(verb)) &&
    !apiGroups.includes('admissionregistration.k8s.io');
  const own = observerRules('probewright-observer');
  const ofCluster = [own.cluster, own.pods, own.workloads, own.missed, own.reports, own.startups];
  return [...cluster.filter(isRead), ...ofCluster.flat()];
}
