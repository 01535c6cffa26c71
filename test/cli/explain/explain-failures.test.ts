import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startFakeApiServer, type FakeApiServer } from '../../cluster/client/fake-api-server.ts';
import { BUILT_INS, discovery, writeKubeconfig } from '../input/discovery.ts';
import { podOf, seededRandom } from '../../kubelet/pods.ts';
import { simulatePod } from '../../kubelet/simulated-pod.ts';
import { podAsListed } from '../../kubelet/watch-events.ts';
import { runProbewright } from '../run-probewright.ts';
import { NOW } from '../../support/now.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import type { ExplainOutput } from '../../../src/cli/output/json-outputs.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

let directory: string;
let api: FakeApiServer;
beforeEach(async () => {
  directory = await temporaryDirectory();
  api = await startFakeApiServer();
});
afterEach(async () => {
  await api.stop();
});

const readinessProbe = { httpGet: { path: '/ready', port: 8080 } };

async function explain(
  forbidden?: string,
  ...args: string[]
): Promise<{ code: number; stdout: string; stderr: string }> {
  const known = discovery(BUILT_INS);
  api.intercept((request) =>
    forbidden?.split(',').some((resource) => request.path.endsWith(`/${resource}`)) === true
      ? { status: 403 }
      : known(request),
  );
  api.put('/apis/apps/v1/namespaces/apps/deployments', {
    metadata: { name: 'web' },
    spec: { template: { spec: { containers: [{ name: 'app', image: 'x', readinessProbe }] } } },
  });
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-7d4b9c6f5', controller: true };
  const pod = podOf(
    [{ name: 'app', readinessProbe }],
    {},
    { labels: { 'pod-template-hash': '7d4b9c6f5' }, ownerReferences: [owner] },
  );
  const starts = [{ answersFrom: Infinity, before: { kind: 'status', status: 404 } as const }];
  const createdAt = Date.now() - 120_000;
  const history = simulatePod({ pod, createdAt, until: 120, containers: { app: { starts } } }, seededRandom(1));
  const { uid } = api.put('/api/v1/namespaces/apps/pods', podAsListed(history, Date.now()) ?? {}).metadata;
  for (const { event } of history.events) {
    const involvedObject = { ...(event['involvedObject'] as JsonObject), uid };
    api.put('/api/v1/namespaces/apps/events', { ...event, involvedObject });
  }
  const kubeconfig = await writeKubeconfig(directory, api, 'apps');
  return await runProbewright(['explain', 'deploy/web', '--kubeconfig', kubeconfig, ...args]);
}

it('explain tells why a named workload of a cluster is not Ready', async () => {
  const { code, stdout, stderr } = await explain();
  expect({ code, stderr }).toStrictEqual({ code: 0, stderr: '' });
  const facts = /^ {6}seen \d+ times, not Ready since \S+ \(\d+ s\)\n/m;
  expect(stdout).toMatch(facts);
  expect(stdout.slice(stdout.indexOf('Why is')).replace(facts, '')).toBe(
    [
      'Why is Deployment apps/web not Ready?',
      '  container "app": its readinessProbe (httpGet /ready on port 8080) gets HTTP status 404',
      '      Set httpGet.path to a path that the application serves on this port.',
      '',
    ].join('\n'),
  );
});

it.each(['pods', 'events'])(
  'explain names the right that is missing for %s, and explains the rest',
  async (resource) => {
    const { code, stdout, stderr } = await explain(resource);
    expect(code).toBe(0);
    expect(stdout).toContain('readiness from the manifest');
    expect(stdout).not.toContain('Why is');
    const effect = resource === 'events' ? ', so what the probes got is not known' : '';
    expect(stderr).toBe(
      `probewright explain: cannot list ${resource} in namespace apps: forbidden${effect}; ` +
        `the ClusterRole view has this right: kubectl auth can-i list ${resource} -n apps\n`,
    );
  },
);

it('explain lists the causes in JSON too', async () => {
  const { code, stdout, stderr } = await explain(undefined, '--output', 'json');
  expect({ code, stderr }).toStrictEqual({ code: 0, stderr: '' });
  const { workloads } = JSON.parse(stdout) as ExplainOutput;
  expect(workloads.map(({ name, failures }) => ({ name, failures }))).toStrictEqual([
    {
      name: 'web',
      failures: [
        {
          cause: 'http-404',
          container: 'app',
          probe: 'readinessProbe',
          message: 'container "app": its readinessProbe (httpGet /ready on port 8080) gets HTTP status 404',
          remedy: 'Set httpGet.path to a path that the application serves on this port.',
          times: expect.any(Number) as number,
          pods: 1,
          since: expect.stringMatching(/^20/) as string,
        },
      ],
    },
  ]);
});

it('explain names all missing rights, and lists no causes that it cannot know', async () => {
  const { code, stdout, stderr } = await explain('pods,events', '--output', 'json');
  expect(code).toBe(0);
  expect(stderr.split('\n').map((line) => line.replace(/(?:, so|;).*/, ''))).toEqual([
    'probewright explain: cannot list pods in namespace apps: forbidden',
    'probewright explain: cannot list events in namespace apps: forbidden',
    '',
  ]);
  const { workloads } = JSON.parse(stdout) as ExplainOutput;
  expect(workloads.map((workload) => [workload.name, 'failures' in workload])).toEqual([['web', false]]);
});

it('explain names who injected the probes of a live Pod, also where the safety did', async () => {
  api.intercept(discovery(BUILT_INS));
  const probe = { httpGet: { path: '/livez', port: 8080 } };
  const injected = { livenessProbe: 'ProbePolicy/apps/static', startupProbe: 'safety' };
  const annotations = { 'probewright.dev/injected': JSON.stringify({ app: injected }) };
  const pod = podOf(
    [{ name: 'app', livenessProbe: probe, startupProbe: probe, readinessProbe }],
    {},
    { labels: { app: 'web' }, annotations },
  );
  const { name } = api.put('/api/v1/namespaces/apps/pods', pod).metadata;
  const kubeconfig = await writeKubeconfig(directory, api, 'apps');
  const run = async (...args: string[]): Promise<string> =>
    (await runProbewright(['explain', `pod/${name}`, '--kubeconfig', kubeconfig, ...args])).stdout;
  expect(await run()).toContain(
    'probes   startup from ProbePolicy/apps/static (safety); liveness from ProbePolicy/apps/static; ',
  );
  const { workloads } = JSON.parse(await run('--output', 'json')) as ExplainOutput;
  const probes = workloads[0]?.containers[0]?.probes.map(({ kind, from, fields }) => [kind, from, fields[0]?.setBy]);
  const policy = { by: 'policy', source: 'ProbePolicy/apps/static' };
  expect(probes).toEqual([
    ['startupProbe', 'ProbePolicy/apps/static (safety)', policy],
    ['livenessProbe', 'ProbePolicy/apps/static', policy],
    ['readinessProbe', 'the manifest', expect.objectContaining({ by: 'manifest' })],
  ]);
});

it('explain lists the causes that Pods show, also without the right to read events', async () => {
  const known = discovery(BUILT_INS);
  api.intercept((request) => (request.path.endsWith('/events') ? { status: 403 } : known(request)));
  const status = {
    phase: 'Pending',
    conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: '2026-06-30T00:00:00Z' }],
    containerStatuses: [
      {
        name: 'app',
        ready: false,
        restartCount: 0,
        state: { waiting: { reason: 'ImagePullBackOff', message: 'no x' } },
      },
    ],
  };
  const pod = podOf([{ name: 'app', readinessProbe }], {}, { labels: { app: 'web' } });
  const { name } = api.put('/api/v1/namespaces/apps/pods', { ...pod, status }).metadata;
  const kubeconfig = await writeKubeconfig(directory, api, 'apps');
  const run = async (...args: string[]): Promise<string> =>
    (await runProbewright(['explain', `pod/${name}`, '--kubeconfig', kubeconfig, ...args], { now: () => NOW })).stdout;
  const { workloads } = JSON.parse(await run('--output', 'json')) as ExplainOutput;
  expect(workloads.map(({ failures }) => failures?.map(({ cause, reason }) => [cause, reason]))).toEqual([
    [['cannot-start', 'ImagePullBackOff']],
  ]);
  expect(await run()).toContain(`Why is Pod apps/${name} not Ready?`);
  expect(await run('--fields')).not.toContain('Why is');
});

it('explain --wait ends as soon as a cause of the new Pods is certain', async () => {
  await explain();
  const annotations = { 'deployment.kubernetes.io/revision': '2' };
  const web = api.put('/apis/apps/v1/namespaces/apps/deployments', {
    metadata: { name: 'web', annotations },
    spec: { template: { spec: { containers: [{ name: 'app', image: 'x', readinessProbe }] } } },
    status: { observedGeneration: 99, replicas: 1, updatedReplicas: 1 },
  });
  const hash = '7d4b9c6f5';
  const ownerReferences = [{ uid: web.metadata.uid, kind: 'Deployment', name: 'web', controller: true }];
  const metadata = { name: `web-${hash}`, annotations, labels: { 'pod-template-hash': hash }, ownerReferences };
  api.put('/apis/apps/v1/namespaces/apps/replicasets', { metadata });
  const line = ['explain', 'deploy/web', '--kubeconfig', join(directory, 'kubeconfig'), '--wait', '1s'];
  const { code, stdout, stderr } = await runProbewright(line, { now: Date.now });
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  expect(stdout).toMatch(/^Deployment apps\/web: it cannot complete: .*gets HTTP status 404; Set httpGet.path/);
});

it.each([
  [['web.yaml'], 'name a workload of a cluster, such as deploy/web'],
  [['deploy/web', '--output', 'json'], '--wait: prints the verdict alone'],
])('explain --wait %s is refused', async (args, problem) => {
  const { code, stderr } = await runProbewright(['explain', ...args, '--wait', '1s', '--kubeconfig', '/nowhere']);
  expect(code).toBe(2);
  if (args.length > 1) expect(stderr).toContain(problem);
});
