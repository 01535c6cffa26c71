import { spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { controlPlaneProblem, startControlPlane, waitUntil, type ControlPlane } from './control-plane.ts';
import { applyCrds } from './custom-resource-definitions.ts';
import { temporaryDirectory } from './temporary-directory.ts';
import { readWrittenRules, type PolicyRule } from './written-rbac.ts';

const problem = controlPlaneProblem({ controllers: true });
if (problem !== undefined) console.warn(`observer.test.ts is skipped: ${problem}`);
/** The CRDs of the report APIs stay out of the repository. Without them, a CRD that allows everything stands in. */
const crds = process.env['REPORT_CRDS'];
if (crds === undefined)
  console.info('observer.test.ts: REPORT_CRDS names no directory, so reports meet no real schema');

const WORKLOADS = 2000;
const deployments = '/apis/apps/v1/namespaces/shop/deployments';
const reports = '/apis/openreports.io/v1alpha1/namespaces/shop/reports';

const deployment = (name: string, port: string, tier = 'other'): object => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    replicas: 0,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name, tier } },
      spec: {
        containers: [
          {
            name: 'app',
            image: 'registry.example/app:1',
            ports: [{ name: 'http', containerPort: 8080 }],
            readinessProbe: { httpGet: { path: '/ready', port } },
          },
        ],
      },
    },
  },
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

describe.skipIf(problem !== undefined)('the observer on a real API server', () => {
  let cluster: ControlPlane;
  let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
  let observer: ChildProcess | undefined;
  let output = '';

  const create = async (path: string, object: object): Promise<void> => {
    const { status, body } = await cluster.request('POST', path, object);
    if (status !== 201) throw new Error(`${path}: ${status} ${body}`);
  };
  const listed = async (): Promise<readonly Report[]> => {
    const { body } = await cluster.request('GET', reports);
    return (JSON.parse(body) as { items?: Report[] }).items ?? [];
  };
  const logged = (message: string): Record<string, unknown>[] =>
    output
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
    cluster = await startControlPlane({ controllers: true, users: ['observer'], auditedUsers: ['observer'] });
    directory = await temporaryDirectory('observer');
    await applyCrds(cluster);
    const definitions =
      crds === undefined
        ? [permissiveCrd]
        : readdirSync(crds).map((file) => parse(readFileSync(join(crds, file), 'utf8')) as object);
    for (const definition of definitions)
      await cluster.kubectl(['apply', '-f', '-'], { input: JSON.stringify(definition) });
    await create('/api/v1/namespaces', { metadata: { name: 'shop' } });
    await create('/api/v1/namespaces', { metadata: { name: 'probewright' } });
    await waitUntil('reports are served', async () => (await cluster.request('GET', reports)).status === 200);
    const rbac = '/apis/rbac.authorization.k8s.io/v1';
    const subjects = [{ kind: 'User', name: 'observer', apiGroup: 'rbac.authorization.k8s.io' }];
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', name: 'observer' };
    await create(`${rbac}/clusterroles`, { metadata: { name: 'observer' }, rules: await clusterRules() });
    await create(`${rbac}/clusterrolebindings`, {
      metadata: { name: 'observer' },
      subjects,
      roleRef: { ...roleRef, kind: 'ClusterRole' },
    });
    const rules = observerRules('probewright-observer').namespace;
    await create(`${rbac}/namespaces/probewright/roles`, { metadata: { name: 'observer' }, rules });
    await create(`${rbac}/namespaces/probewright/rolebindings`, {
      metadata: { name: 'observer' },
      subjects,
      roleRef: { ...roleRef, kind: 'Role' },
    });
    const admin = JSON.parse(await readFile(cluster.kubeconfig, 'utf8')) as { users: readonly object[] };
    // The user's token is in the API server's own file.
    const tokens = await readFile(join(dirname(cluster.kubeconfig), 'tokens.csv'), 'utf8');
    const token = /^([^,]+),observer,/m.exec(tokens)?.[1];
    const users = [{ name: 'admin', user: { token } }];
    await writeFile(join(directory.path, 'config'), JSON.stringify({ ...admin, users }), { mode: 0o600 });
  });
  afterAll(async () => {
    if (observer !== undefined) await ended(observer);
    await cluster.stop();
    await directory.remove();
  });

  async function observe(): Promise<void> {
    const main = join(import.meta.dirname, '../../src/main.ts');
    const flags = ['--kubeconfig', join(directory.path, 'config'), '--namespace', 'probewright'];
    const args = [main, 'observe', ...flags, '--health-port', '0', '--host', '127.0.0.1', '--lease-duration', '6s'];
    const started = spawn(process.execPath, [...args, '--lease-renew', '1s'], { stdio: ['ignore', 'pipe', 'pipe'] });
    observer = started;
    for (const stream of [started.stdout, started.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    await waitUntil('the observer has scanned', () => Promise.resolve(logged('scan_finished').length > 0));
  }

  it('reports a bad Deployment that existed before it, within 5 s', async () => {
    await create(deployments, deployment('static', 'htpp'));
    const start = performance.now();
    await observe();
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
    expect(seconds).toBeLessThan(5);
  });

  it('removes the report when the Deployment is mended', async () => {
    await cluster.request('PUT', `${deployments}/static`, deployment('static', 'http'));
    await waitUntil('there is no report', async () => (await listed()).length === 0);
  });

  it('removes the report when the Deployment is deleted', async () => {
    await create(deployments, deployment('doomed', 'htpp'));
    await waitUntil('there is a report', async () => (await listed()).length === 1);
    await cluster.request('DELETE', `${deployments}/doomed`);
    await waitUntil('there is no report', async () => (await listed()).length === 0);
  });

  it(`judges ${WORKLOADS} workloads again after a policy change, in one scan with the writes that changed`, async () => {
    const batch = 50;
    for (let index = 0; index < WORKLOADS; index += batch)
      await Promise.all(
        Array.from({ length: batch }, (_, offset) => {
          const number = index + offset;
          return create(deployments, deployment(`web-${number}`, 'http', number % 200 === 0 ? 'front' : 'back'));
        }),
      );
    const before = await writes();
    const scans = logged('scan_finished').length;
    const spec = {
      workloadSelector: { matchLabels: { tier: 'front' } },
      checks: { 'required-liveness': { action: 'Warn' } },
    };
    await create('/apis/probewright.dev/v1alpha1/clusterprobepolicies', {
      apiVersion: 'probewright.dev/v1alpha1',
      kind: 'ClusterProbePolicy',
      metadata: { name: 'front' },
      spec,
    });
    await waitUntil('there are ten reports', async () => (await listed()).length === WORKLOADS / 200);
    // Reports are written during the scan.
    await waitUntil('the scan is over', () => Promise.resolve(logged('scan_finished').length > scans));
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
    await create(deployments, deployment('late', 'htpp'));
    await waitUntil('the refusal is told', () =>
      Promise.resolve(
        logged('reports cannot be written now').length > 0 || logged('workloads cannot be watched now').length > 0,
      ),
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

async function ended(process_: ChildProcess): Promise<void> {
  const exit = new Promise((resolve) => process_.once('exit', resolve));
  process_.kill('SIGTERM');
  await exit;
}

type ObserverSection = 'cluster' | 'pods' | 'workloads' | 'missed' | 'reports' | 'startups' | 'namespace';

/** What the chart grants to the observer beside what the webhook reads, too. */
function observerRules(name: string): Record<ObserverSection, PolicyRule[]> {
  const file = join(import.meta.dirname, '../../charts/probewright/files/observer-rbac.yaml');
  return parse(
    readFileSync(file, 'utf8')
      .replaceAll('{{ .name }}', name)
      .replaceAll('{{ .webhook }}', 'probewright')
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
