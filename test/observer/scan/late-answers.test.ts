import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { waitUntil } from '../../cluster/client/wait-until.ts';
import { policyDocument, policySet } from '../../support/worlds.ts';
import { resultOfLive } from '../../../src/observer/reports/report-result.ts';
import { LateWorld, SHOP } from '../late-world.ts';
import { deployment, DEPLOYMENTS, OPEN_REPORTS, PODS } from '../observed-cluster.ts';

const ROLLOUTS = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', resource: 'rollouts' };
const named = { namespace: 'shop', group: 'apps', kind: 'Deployment', name: 'web' };
const finding = resultOfLive({ rule: 'missed-pods', category: 'Live', severity: 'medium' }, undefined, 'missed', {});

let world: LateWorld;
beforeEach(async () => {
  world = await LateWorld.start();
});
afterEach(() => world.stop());

async function begin(): Promise<void> {
  world.api.put(SHOP, deployment('other', 'http'));
  world.scan.start();
  await waitUntil('all watches are open', () => world.api.openWatches() === 2 && world.recorded().includes('other'));
}
const put = (port: string): void => void world.api.put(SHOP, deployment('web', port));
const hasReports = (count: number): Promise<void> =>
  waitUntil(`there are ${count} reports`, () => world.reports().length === count);
/** Whatever is under way ends: an event after it is seen. */
async function settle(): Promise<void> {
  world.api.put(SHOP, deployment('last', 'http'));
  const { scan, client } = world;
  const isQuiet = (): boolean => client.underWay === 0 && scan.reports.waiting === 0;
  await waitUntil('all is quiet', () => world.recorded().includes('last') && isQuiet());
}

describe('what has gone', () => {
  it('does not come back with the page of a scan that was under way', async () => {
    put('htpp');
    await begin();
    await hasReports(1);
    const before = world.api.requests.length;
    const isList = ({ path, query }: (typeof world.api.requests)[number]): boolean =>
      path === SHOP && query['watch'] === undefined;
    world.client.lateness = { ...world.client.lateness, answers: [200] };
    world.policies = policySet(policyDocument({ checks: {} }, 'p', 'shop'));
    world.scan.policiesChanged();
    await waitUntil('the list is under way', () => world.api.requests.slice(before).some(isList));
    world.api.remove(SHOP, 'web');
    await waitUntil('the page has come', () => world.scan.reports.waiting === 0 && world.client.underWay === 0);
    await settle();
    expect([world.recorded(), world.reports()]).toEqual([['last', 'other'], []]);
  });

  it('while another replica led has no state any more', async () => {
    const conditions = [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'quota' }];
    world.api.put(SHOP, { ...deployment('web', 'http'), status: { replicas: 0, conditions } });
    await begin();
    const told = (): string[] => world.failing.findings(2_000_000).map(({ workload }) => workload.name);
    expect(told()).toEqual(['web']);
    world.leadAgain(() => world.api.remove(SHOP, 'web'));
    await waitUntil('all is known again', () => world.recorded().join() === 'other');
    expect(told()).toEqual([]);
  });
});

describe('a restored backup of the cluster', () => {
  it('counts, although its versions are lower', async () => {
    put('htpp');
    await begin();
    await hasReports(1);
    const restore = world.api.snapshot();
    put('http');
    await hasReports(0);
    await world.api.pause();
    restore();
    await world.api.resume();
    await waitUntil('the old version is judged', () => world.scan.verdicts.records.size === 2 && !isClean());
    await hasReports(1);
  });

  const isClean = (): boolean =>
    [...world.scan.verdicts.records.values()].find(({ workload }) => workload.name === 'web')?.isClean !== false;
});

describe('a report', () => {
  it('whose write was done without an answer goes when its workload is mended at once', async () => {
    await begin();
    world.client.lateness = { ...world.client.lateness, reports: [300] };
    world.api.intercept(({ method, path, body }) => {
      if (method !== 'POST') return undefined;
      world.api.intercept(undefined);
      world.api.put(path, body as object);
      return 'cut';
    });
    put('htpp');
    await hasReports(1);
    put('http');
    await hasReports(0);
    await settle();
    expect(world.reports()).toEqual([]);
  });

  it('has the findings about live Pods that came before its API', async () => {
    world.api.serve([DEPLOYMENTS, PODS]);
    let isInstalled = false;
    world.api.intercept(({ path }) =>
      path === `/apis/${OPEN_REPORTS.apiVersion}` && !isInstalled ? { status: 500 } : undefined,
    );
    put('http');
    world.scan.start();
    await waitUntil('the workload is known', () => world.recorded().join() === 'web');
    world.extraResults.replace('missed', [[named, [finding]]]);
    world.api.serve([DEPLOYMENTS, PODS, OPEN_REPORTS]);
    isInstalled = true;
    await hasReports(1);
  });

  it('stays when a new leader does not learn at once that its kind is served', async () => {
    world.api.serve([DEPLOYMENTS, PODS, OPEN_REPORTS, ROLLOUTS]);
    const rollouts = `/apis/${ROLLOUTS.apiVersion}/namespaces/shop/rollouts`;
    world.api.put(rollouts, { apiVersion: ROLLOUTS.apiVersion, kind: 'Rollout', ...deployment('canary') });
    world.pods.listed(new Set());
    world.scan.start();
    await hasReports(1);
    let asked = 0;
    world.leadAgain(() =>
      world.api.intercept(({ path }) =>
        path === `/apis/${ROLLOUTS.apiVersion}` && asked++ === 0 ? { status: 429 } : undefined,
      ),
    );
    await waitUntil('the others are watched', () => asked === 1 && world.api.openWatches() === 2);
    await settle();
    expect([world.recorded(), world.scan.isComplete, world.reports().length]).toEqual([['last'], false, 1]);
  });
});
