import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startFakeApiServer, type FakeApiServer } from '../cluster/client/fake-api-server.ts';
import { policyDocument } from '../support/worlds.ts';
import { BUILT_INS, discovery, POLICIES, writeKubeconfig } from './input/discovery.ts';
import { runProbewright } from './run-probewright.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import type { CheckOutput, ExplainOutput } from '../../src/cli/output/json-outputs.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

let directory: string;
let kubeconfig: string;
let api: FakeApiServer;
beforeEach(async () => {
  directory = await temporaryDirectory();
  api = await startFakeApiServer();
  api.intercept(discovery([...BUILT_INS, ...POLICIES]));
  kubeconfig = await writeKubeconfig(directory, api, 'apps');
});
afterEach(async () => {
  await api.stop();
});

const MINUTE = 60_000;
const ago = (milliseconds: number): string => new Date(Date.now() - milliseconds).toISOString();
const app = { name: 'app', image: 'x', ports: [{ name: 'http', containerPort: 8080 }] };
const httpGet = { path: '/livez', port: 'http' };

function webhook(more: JsonObject = {}, ...args: string[]): void {
  const service = { name: 'probewright', namespace: 'probewright-system', path: '/mutate' };
  const labels = { app: 'probewright' };
  api.put('/api/v1/namespaces/probewright-system/services', {
    metadata: { name: 'probewright' },
    spec: { selector: labels },
  });
  api.put('/api/v1/namespaces/probewright-system/pods', {
    metadata: { name: 'probewright-0', labels },
    spec: { containers: [{ name: 'webhook', args: ['serve', ...args] }] },
  });
  api.put('/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations', {
    metadata: { name: '00-probewright' },
    webhooks: [{ name: 'mutate.probewright.dev', clientConfig: { service }, ...more }],
  });
}

function policy(): void {
  api.put(
    '/apis/probewright.dev/v1alpha1/namespaces/apps/probepolicies',
    policyDocument({ containers: ['app'], kubernetesProbeEndpoints: { livenessProbe: '/livez' } }, 'static'),
  );
}

function workload(resource: string, name: string, container: JsonObject = app): void {
  const template = { metadata: { labels: { app: name } }, spec: { containers: [container] } };
  api.put(`/apis/apps/v1/namespaces/apps/${resource}`, { metadata: { name }, spec: { template } });
}

/** What a kubelet writes into the status of a container. */
interface PodScene {
  readonly container?: JsonObject;
  readonly status?: JsonObject;
  readonly conditions?: readonly JsonObject[];
  readonly metadata?: JsonObject;
}

const RUNNING = { ready: true, started: true, restartCount: 0, state: { running: { startedAt: ago(60 * MINUTE) } } };

function pod(kind: string, owner: string, serial: number, scene: PodScene = {}): string {
  const isReplica = kind === 'Deployment';
  const reference = isReplica
    ? { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `${owner}-7d4b9c6f5`, controller: true }
    : { apiVersion: 'apps/v1', kind, name: owner, controller: true };
  const name = `${owner}-7d4b9c6f5-${serial}`;
  api.put('/api/v1/namespaces/apps/pods', {
    metadata: {
      name,
      creationTimestamp: ago(60 * MINUTE),
      labels: { app: owner, ...(isReplica && { 'pod-template-hash': '7d4b9c6f5' }) },
      ownerReferences: [reference],
      ...scene.metadata,
    },
    spec: { containers: [scene.container ?? app] },
    status: {
      phase: 'Running',
      conditions: scene.conditions ?? [],
      containerStatuses: [{ name: 'app', ...RUNNING, ...scene.status }],
    },
  });
  return name;
}

const run = async (...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> =>
  await runProbewright([...args, '--kubeconfig', kubeconfig], { now: () => Date.now() });

describe('the Pods of a workload that lack the probes of policies', () => {
  const LINE = '6 of 6 Pods lack these probes: kubectl rollout restart deployment/web -n apps';
  beforeEach(() => {
    webhook();
    policy();
    workload('deployments', 'web');
    for (let serial = 0; serial < 6; serial += 1) pod('Deployment', 'web', serial);
  });

  it('are counted by explain, with the command, in text and in JSON', async () => {
    const { code, stdout, stderr } = await run('explain', 'deploy/web');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('\n').slice(0, 2)).toEqual([
      'web (Deployment in namespace apps)  (cluster:apps/deployment/web)',
      `  ${LINE}`,
    ]);
    expect((await run('explain', 'deploy/web', '--details')).stdout).toContain(`\n  ${LINE}\n`);
    const { workloads } = JSON.parse((await run('explain', 'deploy/web', '--output', 'json')).stdout) as ExplainOutput;
    expect(workloads.map(({ lacking }) => lacking)).toEqual([LINE]);
  });

  it('are in the picture of explain', async () => {
    await run('explain', 'deploy/web', '--output', 'svg', '--output-dir', directory);
    expect(await readFile(join(directory, 'deployment-apps-web.svg'), 'utf8')).toContain('6 of 6 Pods lack these');
  });

  it.each([[['deploy/web']], [['--cluster']]])('are counted by check of %s, in text and in JSON', async (args) => {
    const { stdout, stderr } = await run('check', ...args);
    expect(stderr).toBe('');
    expect(stdout).toContain(`\nLive Pods:\n  Deployment apps/web: ${LINE}\n`);
    const { lacking } = JSON.parse((await run('check', ...args, '--output', 'json')).stdout) as CheckOutput;
    expect(lacking).toEqual([{ kind: 'Deployment', namespace: 'apps', name: 'web', message: LINE }]);
  });

  it('are counted by report, in the tile, the namespace and the row alike', async () => {
    const { stdout } = await run('report', '--cluster');
    expect(stdout).toMatch(/data-check="missed-pods"><b>6<\/b> <span>Pods lack probes</);
    expect(stdout).toContain('<td data-l="Pods that lack probes">6</td>');
    expect(stdout).toContain('<span>6 of 6 Pods lack probes that new Pods get: they are older than the policy;');
    expect(stdout).toContain('<code>kubectl rollout restart deployment/web -n apps</code>');
  });

  it('are not counted where the webhook does not look: in a namespace that a label exempts', async () => {
    const optOut = { matchExpressions: [{ key: 'probewright.dev/webhook', operator: 'NotIn', values: ['disabled'] }] };
    api.remove('/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations', '00-probewright');
    webhook({ namespaceSelector: optOut });
    api.put('/api/v1/namespaces', { metadata: { name: 'apps', labels: { 'probewright.dev/webhook': 'disabled' } } });
    expect((await run('explain', 'deploy/web')).stdout).not.toContain('lack');
    expect((await run('check', '--cluster')).stdout).not.toContain('Live Pods');
  });

  it('are not counted when they have the probes, and one is a Pod', async () => {
    const own = { ...app, livenessProbe: { httpGet } };
    const annotations = { 'probewright.dev/injected': '{"app":{"livenessProbe":"ProbePolicy/apps/static"}}' };
    workload('deployments', 'api');
    pod('Deployment', 'api', 0, { container: own, metadata: { annotations } });
    pod('Deployment', 'api', 1);
    expect((await run('explain', 'deploy/api')).stdout).toMatch(/\n {2}[12] of 2 Pods /);
    expect((await run('explain', 'pod/web-7d4b9c6f5-3')).stdout).toContain(
      '\n  1 of 1 Pod lacks these probes: kubectl rollout restart deployment/web -n apps\n',
    );
  });

  it('are told with other words for a kind that kubectl cannot restart', async () => {
    workload('replicasets', 'old');
    pod('ReplicaSet', 'old', 0);
    expect((await run('explain', 'rs/old')).stdout).toContain(
      '\n  1 of 1 Pod lacks these probes. Delete its Pods one after the other. kubectl rollout restart does not',
    );
    workload('statefulsets', 'db');
    pod('StatefulSet', 'db', 0);
    expect((await run('explain', 'sts/db')).stdout).toContain(': kubectl rollout restart statefulset/db -n apps\n');
  });

  it('get no command when a restart would not help', async () => {
    for (const args of [['--mutation=Audit'], ['--enforcement', 'Deny', '--mutation', 'Audit']]) {
      webhook({}, ...args);
      expect((await run('explain', 'deploy/web')).stdout).toContain(
        '\n  6 of 6 Pods lack these probes: the webhook runs with mutation: Audit, and injects nothing\n',
      );
    }
    api.remove('/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations', '00-probewright');
    expect((await run('check', 'deploy/web')).stdout).toContain(': the cluster has no webhook of Probewright\n');
    const { stdout: page } = await run('report', '--cluster');
    expect(page).not.toContain('rollout restart');
    expect(page).toContain('; the cluster has no webhook of Probewright</span>');
  });

  it('get a restart under a condition where nobody can see with which mode the server runs', async () => {
    api.remove('/api/v1/namespaces/probewright-system/pods', 'probewright-0');
    expect((await run('explain', 'deploy/web')).stdout).toContain(
      '\n  6 of 6 Pods lack these probes: if mutation is On (unknown here): ' +
        'kubectl rollout restart deployment/web -n apps\n',
    );
    expect((await run('report', '--cluster')).stdout).not.toContain('<code>kubectl rollout restart');
  });

  it('get no command that names a Deployment which does not exist', async () => {
    api.remove('/apis/apps/v1/namespaces/apps/deployments', 'web');
    expect((await run('explain', 'pod/web-7d4b9c6f5-3')).stdout).toContain(
      '\n  1 of 1 Pod lacks these probes. Delete its Pods one after the other. ',
    );
  });
});

describe('workloads that fail now', () => {
  const readinessProbe = { httpGet: { path: '/ready', port: 8080 } };
  const NOT_READY = [{ type: 'ContainersReady', status: 'False', lastTransitionTime: ago(20 * MINUTE) }];
  const terminated = { startedAt: ago(3 * MINUTE), finishedAt: ago(2 * MINUTE), exitCode: 3, reason: 'Error' };
  const LOOP = {
    ready: false,
    started: false,
    restartCount: 7,
    state: { waiting: { reason: 'CrashLoopBackOff' } },
    lastState: { terminated },
  };
  const tile = (page: string, label: string): string | undefined =>
    new RegExp(`<b>(\\d+)</b> <span>${label}</span>`).exec(page)?.[1];
  const stateOf = (page: string, name: string): string | undefined =>
    new RegExp(`<i class=\\w+>(\\w+)</i><span class=what><b>${name}</b>`).exec(page)?.[1];

  it('are the first of a report without an observer, by the status alone, each once', async () => {
    workload('deployments', 'calm', { ...app, readinessProbe });
    pod('Deployment', 'calm', 0);
    workload('deployments', 'slow', { ...app, readinessProbe });
    for (const serial of [0, 1])
      pod('Deployment', 'slow', serial, {
        container: { ...app, readinessProbe },
        status: { ready: false },
        conditions: NOT_READY,
      });
    workload('deployments', 'loop');
    pod('Deployment', 'loop', 0, { status: LOOP });
    workload('statefulsets', 'pull');
    pod('StatefulSet', 'pull', 0, { status: { ready: false, state: { waiting: { reason: 'ImagePullBackOff' } } } });
    const { code, stdout: page, stderr } = await run('report', '--cluster');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(['slow', 'loop', 'pull', 'calm'].map((name) => stateOf(page, name))).toEqual([
      'Failing',
      'Failing',
      'Failing',
      expect.not.stringMatching('Failing'),
    ]);
    expect([tile(page, 'failing now'), tile(page, 'workloads')]).toEqual(['3', '4']);
    const rows = [...page.matchAll(/<span class=what><b>([^<]+)/g)].map(([, name]) => name);
    expect(rows.indexOf('calm')).toBe(3);
    const counts = [...page.matchAll(/data-verdict="\w+"><b>(\d+)/g)].map(([, one]) => Number(one));
    expect(counts.reduce((sum, one) => sum + one)).toBe(4);
    expect(page).toContain(
      'container &quot;app&quot; ends again and again; exit code: 3; restarts: 7; Pods: 1; Read the',
    );
    expect(page).toContain('container &quot;app&quot; does not start; reason: ImagePullBackOff; Pods: 1; ');
    expect(page).toMatch(/its readinessProbe \(httpGet \/ready on port 8080\) fails; Pods: 2; since: 20/);
  });

  it.each([
    ['that crashes between two back-offs', { ...LOOP, state: { running: { startedAt: ago(MINUTE) } } }, true],
    ['that crashed once', { ...LOOP, restartCount: 1, state: { running: { startedAt: ago(MINUTE) } } }, false],
    [
      'that crashed twice, and has run for a month before',
      {
        ...LOOP,
        restartCount: 2,
        state: { running: { startedAt: ago(MINUTE) } },
        lastState: { terminated: { ...terminated, startedAt: ago(43_200 * MINUTE) } },
      },
      false,
    ],
    ['that has run for an hour since', { ...LOOP, state: { running: { startedAt: ago(60 * MINUTE) } } }, false],
  ])('a container %s', async (_, status, isFailing) => {
    workload('deployments', 'web');
    pod('Deployment', 'web', 0, { status });
    const { stdout } = await run('report', '--cluster');
    expect(stateOf(stdout, 'web') === 'Failing').toBe(isFailing);
  });

  it('are told by the status alone without the right to read events, and the missing right is named', async () => {
    const known = discovery(BUILT_INS);
    api.intercept((request) => (request.path.endsWith('/events') ? { status: 403 } : known(request)));
    workload('deployments', 'loop');
    pod('Deployment', 'loop', 0, { status: LOOP });
    workload('deployments', 'calm');
    pod('Deployment', 'calm', 0);
    const RIGHT =
      'cannot list events in namespace apps: forbidden, so what the probes got is not known; ' +
      'the ClusterRole view has this right: kubectl auth can-i list events -n apps\n';
    const report = await run('report', '--cluster');
    expect(report).toMatchObject({ code: 0, stderr: `probewright report: ${RIGHT}` });
    expect(['loop', 'calm'].map((name) => stateOf(report.stdout, name) === 'Failing')).toEqual([true, false]);
    const explained = await run('explain', 'deploy/loop');
    expect(explained).toMatchObject({ code: 0, stderr: `probewright explain: ${RIGHT}` });
    expect(explained.stdout).toContain('Why is Deployment apps/loop not Ready?\n  container "app" ends again and');
    // Nothing is told of a workload whose status tells nothing, because its events may.
    const { workloads } = JSON.parse((await run('explain', '--cluster', '--output', 'json')).stdout) as ExplainOutput;
    expect(workloads.map(({ name, failures }) => [name, failures?.length])).toEqual([
      ['calm', undefined],
      ['loop', 1],
    ]);
  });

  it('explain gives a Pod the cause of its Deployment, with the facts', async () => {
    workload('deployments', 'web', { ...app, readinessProbe });
    const name = pod('Deployment', 'web', 0, {
      container: { ...app, readinessProbe },
      status: { ready: false },
      conditions: NOT_READY,
    });
    const { uid } = api.get('/api/v1/namespaces/apps/pods', name)?.metadata ?? {};
    api.put('/api/v1/namespaces/apps/events', {
      metadata: { name: 'e' },
      involvedObject: { kind: 'Pod', namespace: 'apps', uid, fieldPath: 'spec.containers{app}' },
      reason: 'Unhealthy',
      message: 'Readiness probe failed: HTTP probe failed with statuscode: 503',
      firstTimestamp: ago(20 * MINUTE),
      lastTimestamp: ago(MINUTE),
      count: 121,
    });
    const cause = [
      '  container "app": its readinessProbe (httpGet /ready on port 8080) gets an HTTP status of 500 or more',
      `      status 503, seen 121 times, not Ready since ${NOT_READY[0]?.lastTransitionTime} (20 min)`,
      '      Read the log of the container. Where the endpoint asks another service, readiness may fail for it,',
      '      and liveness must not.',
      '',
    ].join('\n');
    for (const given of ['deploy/web', `pod/${name}`]) {
      const { stdout } = await run('explain', given);
      expect(stdout.slice(stdout.indexOf('\n', stdout.indexOf('Why is')) + 1)).toBe(cause.replace('.000Z', 'Z'));
    }
  });
});
