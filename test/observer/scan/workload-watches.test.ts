import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiClient } from '../../../src/cluster/client/api-client.ts';
import { KNOWN_KINDS } from '../../../src/engine/workload/kinds.ts';
import { collectionPath } from '../../../src/cluster/client/api-path.ts';
import { WorkloadWatches } from '../../../src/observer/scan/workload-watches.ts';
import { startFakeApiServer, type FakeApiServer, type Fault } from '../../cluster/client/fake-api-server.ts';
import { waitUntil } from '../../cluster/client/wait-until.ts';
import { deployment, deploymentsOf, DEPLOYMENTS, PODS } from '../observed-cluster.ts';
import type { WorkloadKind } from '../../../src/engine/workload/kinds.ts';
import type { ScanDependencies } from '../../../src/observer/scan/verdicts.ts';

const STATEFUL_SETS = { apiVersion: 'apps/v1', kind: 'StatefulSet', resource: 'statefulsets' };
const ROLLOUTS = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', resource: 'rollouts' };
const [DEPLOYMENT_LIST, ROLLOUT_LIST] = ['/apis/apps/v1/deployments', '/apis/argoproj.io/v1alpha1/rollouts'];
const forbidden = { status: 403, body: { kind: 'Status', code: 403, reason: 'Forbidden', message: 'no' } };

let api: FakeApiServer;
let watches: WorkloadWatches;
let logged: Record<string, unknown>[];
let heard: string[];
let faults: Map<string, Fault>;

function watch(kinds: readonly WorkloadKind[] = KNOWN_KINDS): WorkloadWatches {
  const write = (line: string): void => void logged.push(JSON.parse(line) as Record<string, unknown>);
  const log = pino({ base: null, timestamp: false }, { write });
  const client = new ApiClient(api.access, 'test');
  const given = { client, kinds, log, now: Date.now, random: () => -1, watchRenewal: 60_000 };
  return new WorkloadWatches(given as unknown as ScanDependencies, ({ served }) => ({
    seen: (objects) => heard.push(...objects.map(({ metadata: { name } }) => `${served.apiVersion} seen ${name}`)),
    listed: (uids) => void heard.push(`${served.apiVersion} ${served.kind} listed ${uids.size}`),
    troubled: (problem) => void heard.push(`${served.kind} ${problem === undefined ? 'works' : 'is in trouble'}`),
  }));
}

beforeEach(async () => {
  api = await startFakeApiServer();
  api.serve([DEPLOYMENTS, PODS]);
  [logged, heard] = [[], []];
  faults = new Map();
  api.intercept(({ path }) => faults.get(path));
  watches = watch();
});
afterEach(async () => {
  watches.stop();
  await api.stop();
});

const watched = (): string[] => watches.kinds.map(({ served }) => collectionPath(served));
const isOpen = (count: number): Promise<void> =>
  waitUntil(`${count} watches are open`, () => api.openWatches() === count);
const lists = (path: string): number =>
  api.requests.filter((request) => request.path === path && request.query['watch'] === undefined).length;

describe('the watches of workloads', () => {
  it('are of all known kinds but Pods, which have a watch of their own', async () => {
    api.put(deploymentsOf('shop'), deployment('web'));
    expect(await watches.discover()).toBe(true);
    await watches.firstLists();
    expect([watched(), heard]).toEqual([[DEPLOYMENT_LIST], ['apps/v1 seen web', 'apps/v1 Deployment listed 1']]);
    expect(watches.isComplete).toBe(true);
  });

  it('are of kinds of namespaces only', async () => {
    const resources = [{ name: 'deployments', kind: 'Deployment', namespaced: false }];
    faults.set('/apis/apps/v1', { status: 200, body: { resources } });
    expect(await watches.discover()).toBe(true);
    expect(watched()).toEqual([]);
  });

  it('stay when kinds are found out again', async () => {
    await watches.discover();
    await watches.firstLists();
    await watches.discover();
    await watches.firstLists();
    expect([lists(DEPLOYMENT_LIST), watched()]).toEqual([1, [DEPLOYMENT_LIST]]);
  });

  it('are complete when each kind has been read whole, and tried when one could not be read', async () => {
    api.serve([DEPLOYMENTS, STATEFUL_SETS, PODS]);
    faults.set('/apis/apps/v1/statefulsets', { status: 503 });
    await watches.discover();
    expect(watches.isComplete).toBe(false);
    await watches.firstLists();
    expect(heard).toContain('StatefulSet is in trouble');
    await waitUntil('Deployments are read', () => heard.includes('apps/v1 Deployment listed 0'));
    expect(watches.isComplete).toBe(false);
    faults.clear();
    await waitUntil('all are read', () => watches.isComplete);
    expect(heard).toContain('StatefulSet works');
  });

  it('end with the kind: no workload of the kind is there any more', async () => {
    api.serve([DEPLOYMENTS, STATEFUL_SETS, PODS]);
    api.put(deploymentsOf('shop'), deployment('web'));
    await watches.discover();
    await watches.firstLists();
    await isOpen(2);
    heard.length = 0;
    api.serve([STATEFUL_SETS, PODS]);
    await watches.discover();
    expect([watched(), heard]).toEqual([['/apis/apps/v1/statefulsets'], ['apps/v1 Deployment listed 0']]);
    await isOpen(1);
  });

  it('change with the version of a kind: its workloads are still there', async () => {
    await watches.discover();
    await watches.firstLists();
    await isOpen(1);
    heard.length = 0;
    api.serve([{ ...DEPLOYMENTS, apiVersion: 'apps/v2' }, PODS]);
    await watches.discover();
    await watches.firstLists();
    expect([watched(), heard]).toEqual([['/apis/apps/v2/deployments'], ['apps/v2 Deployment listed 0']]);
    await isOpen(1);
  });

  it('stay while the kinds of their group cannot be found out', async () => {
    api.serve([DEPLOYMENTS, ROLLOUTS, PODS]);
    await watches.discover();
    await watches.firstLists();
    expect(watched().toSorted()).toEqual([DEPLOYMENT_LIST, ROLLOUT_LIST]);
    faults.set('/apis/argoproj.io/v1alpha1', { status: 503 });
    expect(await watches.discover()).toBe(true);
    expect(watched().toSorted()).toEqual([DEPLOYMENT_LIST, ROLLOUT_LIST]);
    expect(logged).toMatchObject([
      {
        level: 40,
        problem: expect.stringContaining('cannot list the resources of argoproj.io/v1alpha1') as string,
        msg: 'kinds of workloads cannot be found out',
      },
    ]);
    api.serve([DEPLOYMENTS, PODS]);
    faults.clear();
    await watches.discover();
    expect(watched()).toEqual([DEPLOYMENT_LIST]);
  });

  it('are not found out without an answer, and that is told', async () => {
    faults.set('/apis', { status: 401 });
    expect(await watches.discover()).toBe(false);
    expect(watched()).toEqual([]);
    expect(logged).toMatchObject([
      { level: 40, problem: expect.stringContaining('401') as string, msg: 'kinds of workloads cannot be found out' },
    ]);
  });

  it('end with a stop, and none begins after it', async () => {
    await watches.discover();
    await isOpen(1);
    api.serve([DEPLOYMENTS, STATEFUL_SETS, PODS]);
    faults.set('/apis/apps/v1', { delay: 20 });
    const asked = watches.discover();
    watches.stop();
    expect(await asked).toBe(true);
    expect(watched()).toEqual([DEPLOYMENT_LIST]);
    await isOpen(0);
  });
});

describe('a ready-made kind', () => {
  beforeEach(() => api.serve([DEPLOYMENTS, ROLLOUTS, PODS]));
  const leftOut = (): unknown[] =>
    logged
      .filter(({ msg }) => msg === 'the observer leaves out a kind that is not configured')
      .map(({ resource }) => resource);

  it('is watched where it may be listed', async () => {
    await watches.discover();
    expect([watched().toSorted(), leftOut()]).toEqual([[DEPLOYMENT_LIST, ROLLOUT_LIST], []]);
    expect(api.requests.find(({ path }) => path === ROLLOUT_LIST)?.query).toEqual({ limit: '1' });
  });

  it('is left out without the right, which is told once, and watched once the right is there', async () => {
    faults.set(ROLLOUT_LIST, forbidden);
    await watches.discover();
    await watches.discover();
    expect([watched(), leftOut()]).toEqual([[DEPLOYMENT_LIST], ['rollouts.argoproj.io']]);
    faults.clear();
    await watches.discover();
    expect(watched()).toContain(ROLLOUT_LIST);
    faults.set(ROLLOUT_LIST, forbidden);
    await watches.discover();
    expect(leftOut()).toHaveLength(1);
  });

  it.each([404, 503])('is watched after HTTP %d, which its watch tells', async (status) => {
    faults.set(ROLLOUT_LIST, { status });
    await watches.discover();
    expect([watched(), leftOut()]).toEqual([[DEPLOYMENT_LIST, ROLLOUT_LIST], []]);
    await waitUntil('the trouble is told', () => heard.includes('Rollout is in trouble'));
  });

  it('that is configured is watched without the right, too, as a built-in kind is', async () => {
    watches = watch(KNOWN_KINDS.map((kind) => ({ ...kind })));
    for (const path of [ROLLOUT_LIST, DEPLOYMENT_LIST]) faults.set(path, forbidden);
    await watches.discover();
    await watches.firstLists();
    expect(watched()).toEqual([DEPLOYMENT_LIST, ROLLOUT_LIST]);
    expect([heard.toSorted(), leftOut()]).toEqual([['Deployment is in trouble', 'Rollout is in trouble'], []]);
  });
});
