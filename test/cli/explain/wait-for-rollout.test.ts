import { afterEach, beforeEach, expect, it } from 'vitest';
import { without } from '../../../src/base/json/json-value.ts';
import { ApiClient } from '../../../src/cluster/client/api-client.ts';
import { pausesUntilSignal, waitForRollout } from '../../../src/cli/explain/wait-for-rollout.ts';
import { startFakeApiServer, type FakeApiServer, type Fault } from '../../cluster/client/fake-api-server.ts';
import { NOW } from '../../support/now.ts';
import { inputsFrom } from '../try/planned.ts';
import type { CommandIo } from '../../../src/cli/io.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { Live } from '../../../src/cli/input/live.ts';

let api: FakeApiServer;
let said = { out: '', err: '' };
beforeEach(async () => {
  api = await startFakeApiServer();
});
afterEach(() => api.stop());

const ioUntil = (signal: Promise<'SIGINT'>): CommandIo => ({
  env: {},
  stdout: { write: (text) => (said.out += text) },
  stderr: { write: (text) => (said.err += text) },
  ...{ stdoutColumns: undefined, stderrColumns: undefined, readStdin: () => Promise.resolve('') },
  now: () => NOW,
  monotonic: () => 0,
  untilSignal: () => signal,
});
const NO_SIGNAL = new Promise<'SIGINT'>(() => undefined);

const [OLD, NEW] = ['5c9d8f7b4', '7d4b9c6f5'];

const named = (kind: string, apiVersion = 'apps/v1', name = 'web'): string =>
  `${JSON.stringify({ apiVersion, kind, metadata: { name, namespace: 'apps' }, spec: { template: {} } })}\n---\n`;

/** Waits for what a text names. The person has had enough after so many looks. */
async function wait(text: string, looks = 1, liveOf: (live: Live) => Live | undefined = (live) => live) {
  const webhook = { tier: undefined, scope: undefined, stepOf: (step: string) => step, unread: [] };
  const client = new ApiClient(api.access, 'test');
  const live = liveOf({ client, webhook, namespace: 'apps', isNamed: true, states: [] });
  const pause = () => Promise.resolve((looks -= 1) === 0);
  said = { out: '', err: '' };
  const code = await waitForRollout({ ...inputsFrom(text), ...(live && { live }) }, 60_000, ioUntil(NO_SIGNAL), pause);
  return { code, ...said };
}

const metadata = { name: 'web', annotations: { 'deployment.kubernetes.io/revision': '2' } };
const RUNNING = { observedGeneration: 9, replicas: 1, updatedReplicas: 1 };

/** What the API server has of the workload `web`. Without a status, its controller has not seen it. */
function workload(status: JsonObject | undefined, kind = 'Deployment'): void {
  api.put(`/apis/apps/v1/namespaces/apps/${kind.toLowerCase()}s`, {
    ...{ kind, metadata, spec: { replicas: 1, template: { spec: {} } }, ...(status && { status }) },
  });
}

function replicaSet(hash: string, revision: string): void {
  const { uid } = api.get('/apis/apps/v1/namespaces/apps/deployments', 'web')?.metadata ?? {};
  const owner = { kind: 'Deployment', apiVersion: 'apps/v1', name: 'web', uid, controller: true };
  const annotations = { 'deployment.kubernetes.io/revision': revision };
  const own = { name: `web-${hash}`, annotations, labels: { 'pod-template-hash': hash }, ownerReferences: [owner] };
  api.put('/apis/apps/v1/namespaces/apps/replicasets', { metadata: own });
}

/** A Pod whose image cannot be pulled. */
function pod(
  name: string,
  labels: Readonly<Record<string, string>>,
  kind = 'ReplicaSet',
  owner = name.replace(/-1$/, ''),
): void {
  const waiting = { reason: 'ImagePullBackOff' };
  api.put('/api/v1/namespaces/apps/pods', {
    metadata: {
      name,
      labels,
      ownerReferences: [{ apiVersion: 'apps/v1', kind, name: owner, uid: 'o', controller: true }],
    },
    spec: { containers: [{ name: 'app', image: 'x' }] },
    status: {
      phase: 'Pending',
      conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: '2026-06-30T00:00:00Z' }],
      containerStatuses: [{ name: 'app', ready: false, restartCount: 0, state: { waiting } }],
    },
  });
}

const listed = (resource: string): readonly unknown[] =>
  api.requests.filter(({ path }) => path.endsWith(`/${resource}`)).map(({ query }) => query['labelSelector']);

const NOT_NAMED = '--wait: name a workload of a cluster, such as deploy/web';
const NOT_ONE = '--wait: name one Deployment, StatefulSet or DaemonSet';
const WEB = named('Deployment');

it.each<[string, string, string, ((live: Live) => Live | undefined)?]>([
  ['files', WEB, NOT_NAMED, () => undefined],
  ['all workloads of a cluster', WEB, NOT_NAMED, (live) => ({ ...live, isNamed: false })],
  ['a cluster whose webhook was not read', WEB, NOT_NAMED, (live) => without(live, 'webhook')],
  ['a workload that is not there', '', '--wait: there is no such workload'],
  ['a workload that cannot be read', 'a: [', '--wait: Flow sequence in block collection'],
  ['two workloads', WEB + named('Deployment', 'apps/v1', 'api'), NOT_ONE],
  ['a Job', named('Job', 'batch/v1'), NOT_ONE],
  ['a Deployment of another group', named('Deployment', 'example.com/v1'), NOT_ONE],
])('a wait for %s is refused before a request', async (_what, text, problem, liveOf) => {
  await expect(wait(text, 1, liveOf)).rejects.toThrow(problem);
  expect(api.requests).toEqual([]);
});

it.each([
  ['Deployment', { ...RUNNING, availableReplicas: 1 }],
  ['StatefulSet', { ...RUNNING, readyReplicas: 1 }],
  ['DaemonSet', { observedGeneration: 9, desiredNumberScheduled: 1, updatedNumberScheduled: 1, numberAvailable: 1 }],
])('the verdict on a %s is a line with its name', async (kind, status) => {
  workload(status, kind);
  const out = `${kind} apps/web: it is complete: 1 of 1 Pods are updated, 1 of 1 are available\n`;
  expect(await wait(named(kind))).toEqual({ code: 0, out, err: '' });
});

it.each<[string, Fault | undefined, unknown]>([
  ['is gone', undefined, { code: 1, out: 'Deployment apps/web: there is none\n', err: '' }],
  ['is no object', { status: 200, body: [] }, { code: 1, out: 'Deployment apps/web: there is none\n', err: '' }],
  [
    'may not be read',
    { status: 403, body: { kind: 'Status', code: 403, message: 'no right' } },
    {
      code: 2,
      out: '',
      err: expect.stringMatching(/^probewright explain: the rollout cannot be followed: .*no right\n$/) as unknown,
    },
  ],
])('a workload that %s ends the wait', async (_what, answer, verdict) => {
  api.intercept(() => answer);
  expect(await wait(WEB)).toEqual(verdict);
});

const interrupted = 'Deployment apps/web: the wait was interrupted: 1 of 1 Pods are updated, 0 of 1 are available\n';
/** The remedy follows. */
const failed = (kind: string, cause: string): unknown =>
  expect.stringMatching(new RegExp(`^${kind} apps/web: it cannot complete: ${cause}; .+\\n$`));

it('a cause is told of the Pods of this rollout alone, and no other Pod is read', async () => {
  workload(RUNNING);
  replicaSet(OLD, '1');
  pod(`web-${OLD}-1`, { 'pod-template-hash': OLD });
  expect(await wait(WEB)).toEqual({ code: 2, out: interrupted, err: '' });
  expect(listed('pods')).toEqual([]);
  replicaSet(NEW, '2');
  expect(await wait(WEB)).toEqual({ code: 2, out: interrupted, err: '' });
  pod(`web-${NEW}-1`, { 'pod-template-hash': NEW });
  expect(await wait(WEB)).toEqual({ code: 1, out: failed('Deployment', 'container "app" does not start'), err: '' });
  expect(new Set(listed('pods'))).toEqual(new Set([`pod-template-hash=${NEW}`]));
});

it('a cause is told that the workload itself has', async () => {
  const given = { type: 'Failed', status: 'True', reason: 'Broken', lastTransitionTime: '2026-06-30T00:00:00Z' };
  workload({ ...RUNNING, conditions: [given] });
  replicaSet(NEW, '2');
  const cause = 'the controller of the workload has given up';
  expect(await wait(WEB)).toEqual({ code: 1, out: failed('Deployment', cause), err: '' });
});

it('a workload without a status is waited for', async () => {
  workload(undefined);
  replicaSet(NEW, '2');
  const out = 'Deployment apps/web: the wait was interrupted: the controller has not seen the change yet\n';
  expect(await wait(WEB)).toEqual({ code: 2, out, err: '' });
  expect(listed('pods')).toHaveLength(1);
});

it('a StatefulSet has no ReplicaSets, which are not read', async () => {
  workload({ ...RUNNING, updateRevision: 'web-2' }, 'StatefulSet');
  pod('web-0', { 'controller-revision-hash': 'web-2' }, 'StatefulSet', 'web');
  const out = failed('StatefulSet', 'container "app" does not start');
  expect(await wait(named('StatefulSet'))).toEqual({ code: 1, out, err: '' });
  expect([listed('pods'), listed('replicasets')]).toEqual([['controller-revision-hash=web-2'], []]);
});

it('a right that is missing is told once, however often it is looked', async () => {
  workload(RUNNING);
  replicaSet(NEW, '2');
  api.intercept(({ path }) => (/\/(?:pods|events)$/.test(path) ? { status: 403 } : undefined));
  const { code, out, err } = await wait(WEB, 3);
  expect({ code, out }).toEqual({ code: 2, out: interrupted });
  expect(listed('pods')).toHaveLength(3);
  expect(err.split('\n').map((line) => line.replace(/(?:, so|;).*/, ''))).toEqual([
    'probewright explain: cannot list pods in namespace apps: forbidden',
    'probewright explain: cannot list events in namespace apps: forbidden',
    '',
  ]);
});

it('a pause ends with its time, or with the signal', async () => {
  expect(await pausesUntilSignal(ioUntil(NO_SIGNAL))(1)).toBe(false);
  expect(await pausesUntilSignal(ioUntil(Promise.resolve('SIGINT')))(3_600_000)).toBe(true);
});
