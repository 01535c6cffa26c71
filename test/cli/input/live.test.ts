import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startFakeApiServer, type FakeApiServer } from '../../cluster/client/fake-api-server.ts';
import { policyDocument } from '../../support/worlds.ts';
import { BUILT_INS, discovery, POLICIES, writeKubeconfig } from './discovery.ts';
import { runProbewright } from '../run-probewright.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import type { CheckOutput, ExplainOutput, PlanOutput } from '../../../src/cli/output/json-outputs.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

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

function webhook(more: JsonObject = {}, settings = 'enforcement=Deny,mutation=On'): void {
  api.put('/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations', {
    metadata: { name: '00-probewright', annotations: { 'probewright.dev/settings': settings } },
    webhooks: [{ name: 'mutate.probewright.dev', ...more }],
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

const tileOf = (page: string, label: string): string | undefined =>
  new RegExp(`<b>(\\d+)</b> <span>${label}</span>`).exec(page)?.[1];

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
    expect(stdout.split('\n').slice(0, 3)).toEqual([
      'web (Deployment in namespace apps)  (cluster:apps/deployment/web)',
      expect.stringMatching(/^ {2}The webhook injects \w+Probe/),
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
    expect(stdout).toContain('<span>6 of 6 Pods lack probes that new Pods get: they are older than the policy</span>');
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
    webhook({}, 'enforcement=Deny,mutation=Audit');
    expect((await run('explain', 'deploy/web')).stdout).toContain(
      '\n  6 of 6 Pods lack these probes: the webhook runs with mutation: Audit, and injects nothing\n',
    );
    api.remove('/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations', '00-probewright');
    expect((await run('check', 'deploy/web')).stdout).toContain(': the cluster has no webhook of Probewright\n');
    const { stdout: page } = await run('report', '--cluster');
    expect(page).not.toContain('rollout restart');
    expect(page).toContain('<strong>the cluster has no webhook of Probewright</strong>');
  });

  it('get a restart under a condition where nobody can see with which mode the server runs', async () => {
    webhook({}, '');
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

describe('workloads that the webhook never sees', () => {
  const NAME = { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kube-system', 'probewright-system'] };
  const LABEL = { key: 'probewright.dev/webhook', operator: 'NotIn', values: ['disabled'] };
  const wrong = { ...app, livenessProbe: { httpGet: { path: '/', port: 'htpp' } } };
  const deployment = (namespace: string): void => {
    const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [wrong] } };
    api.put(`/apis/apps/v1/namespaces/${namespace}/deployments`, { metadata: { name: 'web' }, spec: { template } });
  };
  const BY_NAME =
    'cluster: note: 1 workload of namespace kube-system is exempt: the webhook only sees namespaces with ' +
    'kubernetes.io/metadata.name notin (kube-system,probewright-system)\n';
  const BY_LABEL =
    'cluster: note: 1 workload of namespace lab is exempt: the webhook only sees namespaces with ' +
    'probewright.dev/webhook notin (disabled)\n';
  const EXEMPT = [
    { namespace: 'kube-system', workloads: 1, reason: expect.stringContaining('kube-system') as string },
    { namespace: 'lab', workloads: 1, reason: 'probewright.dev/webhook notin (disabled)' },
  ];
  const plan = ['plan', '--policies', 'examples/policies', '--output', 'json'];
  beforeEach(() => {
    for (const namespace of ['apps', 'kube-system', 'lab']) {
      const labels = namespace === 'lab' ? { 'probewright.dev/webhook': 'disabled' } : {};
      api.put('/api/v1/namespaces', { metadata: { name: namespace, labels } });
      deployment(namespace);
    }
    webhook({ namespaceSelector: { matchExpressions: [NAME, LABEL] } });
  });

  it('are counted apart by check, plan and report, with the reason', async () => {
    const { stdout, stderr } = await run('check', '-A', '--output', 'json');
    const checked = JSON.parse(stdout) as CheckOutput;
    expect(checked.violations.map(({ namespace }) => namespace)).toEqual(['apps']);
    expect([checked.summary.workloads, checked.exempt, stderr]).toEqual([1, EXEMPT, BY_NAME + BY_LABEL]);
    const planned = await run(...plan, '-A');
    const { exempt, summary } = JSON.parse(planned.stdout) as PlanOutput;
    expect([summary.workloads, exempt]).toEqual([1, EXEMPT]);
    expect(planned.stderr).toContain(BY_NAME + BY_LABEL);
    for (const output of ['text', 'markdown'])
      expect((await run('plan', '--policies', 'examples/policies', '--output', output, '-A')).stdout).toContain(
        ' 2 exempt workloads are not counted.',
      );
    const report = await run('report', '-A');
    expect([tileOf(report.stdout, 'workload'), report.stderr]).toEqual(['1', BY_NAME + BY_LABEL]);
  });

  it('are no green result, and no empty cluster, where a namespace has no others', async () => {
    expect(await run('check', '-n', 'lab')).toEqual({
      code: 2,
      stdout: '0 workloads in 0 objects: 0 errors, 0 warnings; 1 input problem\n',
      stderr:
        BY_LABEL +
        `cluster: nothing is checked: ${BY_LABEL.replace(/.*note: |\n/g, '')}; ` +
        'kubectl get deploy,ds,sts -n lab -o yaml | probewright check -; --allow-empty accepts that\n',
    });
    const { code, stderr } = await run(...plan, '-n', 'lab');
    expect({ code, stderr }).toEqual({ code: 0, stderr: BY_LABEL });
  });

  it('are explained all the same', async () => {
    const { code, stdout } = await run('explain', 'deploy/web', '-n', 'kube-system');
    expect([code, stdout.split('  ')[0]]).toEqual([0, 'web (Deployment in namespace kube-system)']);
  });

  it.each([
    ['there is no webhook', '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations', undefined],
    ['its configuration may not be read', undefined, /mutatingwebhookconfigurations$/],
  ])('are none where %s', async (_what, removed, forbidden) => {
    if (removed !== undefined) api.remove(removed, '00-probewright');
    const known = discovery([...BUILT_INS, ...POLICIES]);
    api.intercept((request) => (forbidden?.test(request.path) === true ? { status: 403 } : known(request)));
    const checked = JSON.parse((await run('check', '-A', '--output', 'json')).stdout) as CheckOutput;
    expect([checked.summary.workloads, checked.exempt]).toEqual([3, undefined]);
  });

  it('are those of exempt names, where labels of namespaces may not be read', async () => {
    const known = discovery([...BUILT_INS, ...POLICIES]);
    api.intercept((request) => (/^\/api\/v1\/namespaces$/.test(request.path) ? { status: 403 } : known(request)));
    webhook({ namespaceSelector: { matchExpressions: [NAME], matchLabels: { probes: 'on' } } });
    const { stdout, stderr } = await run('check', '-A', '--output', 'json');
    expect((JSON.parse(stdout) as CheckOutput).summary.workloads).toBe(2);
    expect(stderr).toBe(BY_NAME);
  });

  it('are not all known, where a condition of somebody else decides', async () => {
    api.remove('/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations', '00-probewright');
    webhook({ matchConditions: [{ name: 'not-a-mirror-pod' }, { name: 'only-ours', expression: 'true' }] });
    expect((await run('check', '-A')).stderr).toBe(
      'cluster: note: only the API server can tell what only-ours of the webhook exempts\n',
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
    expect([tileOf(page, 'failing now'), tileOf(page, 'workloads')]).toEqual(['3', '4']);
    const rows = [...page.matchAll(/<span class=what><b>([^<]+)/g)].map(([, name]) => name);
    expect(rows.indexOf('calm')).toBe(3);
    const counts = [...page.matchAll(/data-verdict="\w+"><b>(\d+)/g)].map(([, one]) => Number(one));
    expect(counts.reduce((sum, one) => sum + one)).toBe(4);
    expect(page).toContain(
      'container &quot;app&quot; ends again and again</span></p><ul><li>exit code: 3\n<li>restarts: 7\n<li>Pods: 1\n</ul><strong>Read the',
    );
    expect(page).toMatch(
      /container &quot;app&quot; does not start<\/span><\/p><ul><li>reason: ImagePullBackOff\n<li>Pods: 1\n<li>since: 20\S+\n<\/ul><strong>/,
    );
    expect(page).toMatch(
      /its readinessProbe \(httpGet \/ready on port 8080\) fails<\/span><\/p><ul><li>Pods: 2\n<li>since: 20/,
    );
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
    [
      'that has run for an hour since',
      { ...LOOP, ready: true, state: { running: { startedAt: ago(60 * MINUTE) } } },
      false,
    ],
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
      type: 'Warning',
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
