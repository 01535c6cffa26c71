import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { Counter } from 'prom-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiClient } from '../../../src/cluster/client/api-client.ts';
import type { Snapshot } from '../../../src/engine/facts/snapshot.ts';
import { KNOWN_KINDS } from '../../../src/engine/workload/kinds.ts';
import { OBSERVED_POD } from '../../../src/observer/observed-workload.ts';
import { InForce } from '../../../src/observer/missed/missed-verdicts.ts';
import { FailingWorkloads } from '../../../src/observer/failing/failing-workloads.ts';
import { ExtraResults } from '../../../src/observer/reports/report-result.ts';
import { LeadingScan } from '../../../src/observer/scan/leading-scan.ts';
import { ScanStatus } from '../../../src/observer/scan/scan-status.ts';
import { StandalonePods } from '../../../src/observer/scan/standalone-pods.ts';
import { startFakeApiServer, type FakeApiServer } from '../../cluster/client/fake-api-server.ts';
import { waitUntil } from '../../cluster/client/wait-until.ts';
import { exceptionDocument, withExceptionsInApps } from '../../support/exceptions.ts';
import { policyDocument, policySet } from '../../support/worlds.ts';
import { deployment, deploymentsOf, DEPLOYMENTS, OPEN_REPORTS, PODS, reportsOf } from '../observed-cluster.ts';
import { DEPLOYMENT } from '../observed-kinds.ts';
import type { ScanDependencies } from '../../../src/observer/scan/verdicts.ts';

const LIST = '/apis/apps/v1/deployments';
const STATEFUL_SETS = { apiVersion: 'apps/v1', kind: 'StatefulSet', resource: 'statefulsets' };
const INTERVAL = 3_600_000;

let api: FakeApiServer;
let scan: LeadingScan;
let status: ScanStatus;
let pods: StandalonePods;
let logged: Record<string, unknown>[];
let clock: number;
let current: Snapshot | undefined;
let exempt: (namespace: string) => boolean;
/** How often the policies were asked for: once a round, and once a verdict. */
let looks: number;

beforeEach(async () => {
  api = await startFakeApiServer();
  api.serve([DEPLOYMENTS, PODS]);
  [status, pods, logged, clock, exempt, looks] = [
    new ScanStatus(),
    new StandalonePods(),
    [],
    1_000_000,
    () => false,
    0,
  ];
  current = policySet();
  let ticks = 0;
  const write = (line: string): void => void logged.push(JSON.parse(line) as Record<string, unknown>);
  const client = new ApiClient(api.access, 'test');
  const dependencies = {
    client,
    kinds: KNOWN_KINDS,
    log: pino({ base: null, timestamp: false }, { write }),
    now: () => clock,
    // No turn has to be waited for, and no pause after a failure.
    monotonic: () => (ticks += 1000),
    random: () => -1,
    watchRenewal: 60_000,
    store: {
      get current() {
        looks += 1;
        return current;
      },
    },
    isExempt: (namespace: string) => exempt(namespace),
    failing: new FailingWorkloads(),
    extraResults: new ExtraResults(),
    inForce: new InForce(client, 'probewright'),
    settings: { enforcement: 'Deny', addsProbes: true },
    reportSettings: { setting: 'auto', includeClean: false },
    scanInterval: INTERVAL,
  } as unknown as ScanDependencies;
  const writes = new Counter({ name: 'writes', help: 'writes', labelNames: ['result'], registers: [] });
  scan = new LeadingScan(dependencies, status, pods, writes);
});
afterEach(async () => {
  scan.stop();
  await api.stop();
});

const of = (message: string): Record<string, unknown>[] => logged.filter(({ msg }) => msg === message);
const scans = (): string[] =>
  of('scan_started').map(({ reason, namespaces }) => `${String(reason)} ${String(namespaces)}`);
const hasEnded = (count: number): Promise<void> =>
  waitUntil(`${count} scans have ended`, () => of('scan_finished').length >= count);
const known = (): string[] =>
  [...scan.verdicts.records.values()].map(({ workload: { namespace, name } }) => `${namespace}/${name}`);
/** The paths of the lists of workloads since so many requests. */
const listsSince = (requests: number): string[] =>
  api.requests
    .slice(requests)
    .filter(({ path, query }) => /(deployments|statefulsets|pods)$/.test(path) && query['watch'] === undefined)
    .map(({ path }) => path);
const put = (namespace: string, name: string, port?: string): string =>
  api.put(deploymentsOf(namespace), deployment(name, port)).metadata.uid ?? '';
/** Another policy in these namespaces. */
function change(...namespaces: readonly string[]): void {
  current = policySet(...namespaces.map((namespace) => policyDocument({ checks: {} }, 'p', namespace)));
  scan.policiesChanged();
}
/** Starts, and waits until the first scan has ended and its watches are open. */
async function start(count = 1): Promise<void> {
  scan.start();
  await hasEnded(1);
  await waitUntil('the watches are open', () => api.openWatches() === count);
}
/** The watch of Pods has read a list with these Pods without a controller. */
function podsAre(...given: readonly (readonly [uid: string, namespace: string])[]): void {
  pods.clear();
  for (const [uid, namespace] of given) pods.set(uid, namespace);
  pods.listed(new Set(pods.keys()));
  scan.podsListed(new Set(pods.keys()));
}

describe('the first scan', () => {
  it('waits for policies, reads each kind once, and is told with one id', async () => {
    put('shop', 'web');
    put('blog', 'web', 'http');
    current = undefined;
    scan.start();
    await sleep(20);
    expect([logged.filter(({ msg }) => msg !== 'report API chosen'), listsSince(0)]).toEqual([[], []]);
    current = policySet();
    clock = 2_000_000;
    scan.policiesChanged();
    scan.policiesChanged();
    await hasEnded(1);
    expect(known().toSorted()).toEqual(['blog/web', 'shop/web']);
    expect(scans()).toEqual(['start all']);
    expect(of('scan_finished')[0]).toMatchObject({ reason: 'start', workloads: 2, problems: 0, durationMs: 0 });
    const ids = ['scan_started', 'violation', 'scan_finished'].map((message) => of(message)[0]?.['scan']);
    expect([new Set(ids).size, typeof ids[0]]).toEqual([1, 'string']);
    expect(listsSince(0)).toEqual([LIST]);
    expect(status).toMatchObject({ runs: 1, isRunning: false, lastStart: 2_000_000, lastEnd: 2_000_000 });
  });

  it('is followed by a scan of everything when policies changed meanwhile', async () => {
    put('shop', 'web');
    api.intercept(({ path }) => (path === LIST ? { delay: 30 } : undefined));
    scan.start();
    await waitUntil('the list is read', () => listsSince(0).length >= 1);
    change('blog');
    podsAre();
    await hasEnded(2);
    expect(scans()).toEqual(['start all', 'change all']);
    expect(scan.isComplete).toBe(true);
  });

  it('ends although a kind cannot be read, which is told once', async () => {
    api.serve([DEPLOYMENTS, STATEFUL_SETS, PODS]);
    put('shop', 'web');
    let isRefused = true as boolean;
    const path = '/apis/apps/v1/statefulsets';
    api.intercept((request) => (request.path === path && isRefused ? { status: 503 } : undefined));
    scan.start();
    await hasEnded(1);
    expect(known()).toEqual(['shop/web']);
    podsAre();
    expect(scan.isComplete).toBe(false);
    isRefused = false;
    await waitUntil('the kind can be read', () => scan.isComplete);
    expect(of('workloads cannot be watched now')).toMatchObject([
      { path, problem: expect.stringContaining('503') as string },
    ]);
    await waitUntil('the end is told', () => of('workloads can be watched again').length === 1);
    expect(of('workloads can be watched again')).toMatchObject([{ path }]);
  });

  it('does not end after a stop, also while the kinds cannot be found out', async () => {
    api.intercept(({ path }) => (path === '/apis' ? { status: 401 } : undefined));
    scan.start();
    await waitUntil('the kinds are asked for', () => of('kinds of workloads cannot be found out').length === 1);
    scan.stop();
    await sleep(20);
    expect([of('scan_finished'), listsSince(0)]).toEqual([[], []]);
  });
});

describe('all workloads are known', () => {
  it('once the Pods without a controller are known to be none, without a further list', async () => {
    put('shop', 'web');
    await start();
    expect(scan.isComplete).toBe(false);
    const requests = api.requests.length;
    podsAre();
    expect([scan.isComplete, scans(), listsSince(requests)]).toEqual([true, ['start all'], []]);
  });

  it('once their namespaces have been read, whatever else is asked for meanwhile', async () => {
    put('shop', 'web');
    api.put('/api/v1/namespaces/docs/pods', { metadata: { name: 'single' }, spec: { containers: [{ name: 'app' }] } });
    await start();
    const requests = api.requests.length;
    api.intercept(({ path }) => (path.endsWith('/pods') || path === deploymentsOf('shop') ? { delay: 20 } : undefined));
    change('shop');
    podsAre(['1', 'docs']);
    expect(scan.isComplete).toBe(false);
    change('shop', 'blog');
    await hasEnded(3);
    expect(scans()).toEqual(['start all', 'change 1', 'start 3']);
    expect(scan.isComplete).toBe(true);
    expect(known().toSorted()).toEqual(['docs/single', 'shop/web']);
    expect(listsSince(requests)).toEqual([
      deploymentsOf('shop'),
      deploymentsOf('shop'),
      '/api/v1/namespaces/docs/pods',
    ]);
    scan.podsListed(new Set());
    expect(scans()).toHaveLength(3);
  });

  it('at the end of the first scan when the Pods were known before', async () => {
    podsAre();
    scan.podsListed(new Set());
    expect(scan.isComplete).toBe(false);
    await start();
    expect(scan.isComplete).toBe(true);
  });

  it('not while a list of the scan fails: it is read again, and nothing is forgotten', async () => {
    put('shop', 'web');
    await start();
    podsAre();
    let isRefused = true;
    api.intercept(({ path, query }) => (path === LIST && !query['watch'] && isRefused ? { status: 500 } : undefined));
    clock += INTERVAL;
    change('shop');
    await hasEnded(2);
    expect([scan.isComplete, known()]).toEqual([false, ['shop/web']]);
    isRefused = false;
    const [started] = of('scan_started').slice(1);
    expect(of('workloads cannot be listed')[0]).toMatchObject({
      scan: started?.['scan'],
      problem: expect.stringContaining('500') as string,
    });
    expect(of('scan_finished')[1]).toMatchObject({ reason: 'interval', problems: 1 });
    isRefused = false;
    await waitUntil('all are listed', () => scan.isComplete);
    expect(scans().slice(0, 3)).toEqual(['start all', 'interval all', 'retry all']);
  });

  it('so reports of other workloads are deleted then, not before, and missing ones are written', async () => {
    api.serve([DEPLOYMENTS, PODS, OPEN_REPORTS]);
    const labels = { 'app.kubernetes.io/managed-by': 'probewright' };
    api.put(reportsOf('gone'), { metadata: { name: 'probewright-0', labels } });
    const uid = put('shop', 'web');
    await start(2);
    await waitUntil('there is a report', () => api.list(reportsOf('shop')).length === 1);
    expect(api.list(reportsOf('gone'))).toHaveLength(1);
    podsAre();
    await waitUntil('the stale report is gone', () => api.list(reportsOf('gone')).length === 0);
    api.remove(reportsOf('shop'), `probewright-${uid}`);
    // A write that still waited may bring it back at once.
    const isBack = (): boolean => api.list(reportsOf('shop')).length === 1;
    await waitUntil('the report is missing', () => scan.reports.details()['reports'] === 0 || isBack());
    clock += INTERVAL;
    change('shop');
    await waitUntil('the report is back', isBack);
  });
});

describe('a change of policies', () => {
  it('is judged by one list of each namespace that it affects', async () => {
    for (const namespace of ['shop', 'blog']) put(namespace, 'web');
    await start();
    const requests = api.requests.length;
    change('shop');
    await hasEnded(2);
    expect([scans(), listsSince(requests)]).toEqual([['start all', 'change 1'], [deploymentsOf('shop')]]);
    expect(known().toSorted()).toEqual(['blog/web', 'shop/web']);
    scan.policiesChanged();
    change('shop');
    change('shop');
    await hasEnded(4);
    await sleep(20);
    expect(scans()).toHaveLength(4);
  });

  it('that affects no namespace with workloads lists nothing', async () => {
    put('shop', 'web');
    await start();
    const requests = api.requests.length;
    current = policySet();
    scan.policiesChanged();
    await sleep(20);
    expect([scans(), listsSince(requests)]).toEqual([['start all'], []]);
  });

  it('judges only its namespaces, also where one list of all is read, and forgets what that list lacks', async () => {
    for (const name of ['a', 'b', 'c']) put(name, 'web');
    await start();
    api.disturbWatches('silence');
    put('c', 'web', 'http');
    put('a', 'web', 'http');
    api.remove(deploymentsOf('b'), 'web');
    const requests = api.requests.length;
    change('a', 'b');
    await hasEnded(2);
    expect(listsSince(requests)).toEqual([LIST]);
    const clean = [...scan.verdicts.records.values()].map(({ workload, isClean }) => [workload.namespace, isClean]);
    expect(clean).toEqual([
      ['a', true],
      ['c', false],
    ]);
  });

  it('also reaches namespaces that are exempt now, and those that are exempt no longer', async () => {
    for (const namespace of ['shop', 'blog']) put(namespace, 'web');
    await start();
    exempt = (namespace) => namespace === 'blog';
    change('shop');
    await hasEnded(2);
    expect(known()).toEqual(['shop/web']);
    exempt = () => false;
    change('docs');
    await hasEnded(3);
    expect(scans()).toEqual(['start all', 'change 2', 'change all']);
    expect(known().toSorted()).toEqual(['blog/web', 'shop/web']);
  });

  it('reads a list that was refused again, in the same namespaces', async () => {
    put('shop', 'web');
    await start();
    let refusals = 1;
    api.intercept(({ path }) => (path === deploymentsOf('shop') && refusals-- > 0 ? { status: 500 } : undefined));
    change('shop');
    await hasEnded(3);
    expect(scans()).toEqual(['start all', 'change 1', 'retry 1']);
  });
});

describe('a scan of all namespaces', () => {
  it('is made when the interval after the last one is over, and finds new kinds', async () => {
    put('shop', 'web');
    await start();
    clock += INTERVAL - 1;
    change('shop');
    await hasEnded(2);
    api.serve([DEPLOYMENTS, STATEFUL_SETS, PODS]);
    api.put('/apis/apps/v1/namespaces/shop/statefulsets', deployment('db'));
    clock += 1;
    change('shop');
    await hasEnded(3);
    expect(scans()).toEqual(['start all', 'change 1', 'interval all']);
    expect(known()).toContain('shop/db');
    clock += INTERVAL - 1;
    change('shop');
    await hasEnded(4);
    expect(scans().at(-1)).toBe('change 1');
    clock += 1;
    change('shop');
    await hasEnded(5);
    expect(scans().at(-1)).toBe('interval all');
  });

  it('is not made when an exception ends: its namespace is judged with the next round', async () => {
    const expires = new Date(clock + 10_000).toISOString().replace('.000Z', 'Z');
    const before = withExceptionsInApps(policySet(), [exceptionDocument({ expires })]);
    current = before;
    for (const namespace of ['apps', 'shop']) put(namespace, 'web');
    await start();
    const changed = (name: string): void => {
      current = policySet(policyDocument({ checks: {} }, name, 'docs')).withFacts(before.facts);
      scan.policiesChanged();
    };
    clock += 9_999;
    changed('a');
    await hasEnded(2);
    clock += 1;
    changed('b');
    await hasEnded(3);
    changed('c');
    await hasEnded(4);
    expect(scans()).toEqual(['start all', 'change 1', 'expiry 2', 'change 1']);
    const seen = looks;
    await sleep(20);
    expect(looks).toBe(seen);
  });
});

describe('workloads of the watches', () => {
  it('are judged as they come, and forgotten as they go', async () => {
    await start();
    put('shop', 'web');
    await waitUntil('the workload is known', () => known().length === 1);
    put('shop', 'other');
    await waitUntil('both are known', () => known().length === 2);
    api.remove(deploymentsOf('shop'), 'web');
    await waitUntil('one is forgotten', () => known().join() === 'shop/other');
    await api.pause();
    api.remove(deploymentsOf('shop'), 'other');
    put('shop', 'new');
    api.compact();
    await api.resume();
    await waitUntil('the new list is read', () => known().join() === 'shop/new');
  });

  it('are forgotten by kind: a list of Pods without one says nothing about Deployments', async () => {
    put('shop', 'web');
    await start();
    const pod = { metadata: { name: 'p', namespace: 'shop', uid: 'p' }, spec: { containers: [{ name: 'app' }] } };
    scan.take(pod, OBSERVED_POD);
    expect(known()).toEqual(['shop/web', 'shop/p']);
    scan.podsListed(new Set(['p']));
    expect(known()).toHaveLength(2);
    scan.podsListed(new Set());
    expect(known()).toEqual(['shop/web']);
    scan.take(pod, OBSERVED_POD);
    scan.gone({ metadata: { name: 'p' } }, OBSERVED_POD);
    expect(known()).toHaveLength(2);
    scan.gone(pod, OBSERVED_POD);
    expect(known()).toEqual(['shop/web']);
  });

  it('that cannot be judged are told, and hold nothing up', () => {
    exempt = () => {
      throw new Error('no such namespace');
    };
    const object = { ...deployment('web'), metadata: { name: 'web', namespace: 'shop', uid: 'u' } };
    expect(scan.take(object, DEPLOYMENT)).toBeUndefined();
    expect(of('a workload cannot be judged')).toMatchObject([
      { level: 50, path: LIST, namespace: 'shop', name: 'web', err: { message: 'no such namespace' } },
    ]);
  });
});

describe('a workload that is read', () => {
  const named = { namespace: 'shop', group: 'apps', kind: 'Deployment', name: 'web' };

  it('is judged as it is now', async () => {
    put('shop', 'web', 'http');
    await start();
    api.disturbWatches('silence');
    put('shop', 'web');
    const content = await scan.read(named);
    expect(content).toMatchObject({ results: [{ rule: 'named-port' }] });
    expect(api.requests.at(-1)?.path).toBe(`${deploymentsOf('shop')}/web`);
  });

  it('is a Pod, too, and nothing of a kind or group that is not watched', async () => {
    const pod = { metadata: { name: 'p' }, spec: { containers: [{ name: 'app' }] } };
    const stored = api.put('/api/v1/namespaces/shop/pods', pod);
    await start();
    scan.take(stored, OBSERVED_POD);
    expect(await scan.read({ ...named, group: '', kind: 'Pod', name: 'p' })).toMatchObject({ results: [] });
    const requests = api.requests.length;
    expect(await scan.read({ ...named, group: '' })).toBeUndefined();
    expect(await scan.read({ ...named, kind: 'DaemonSet' })).toBeUndefined();
    expect(api.requests).toHaveLength(requests);
  });

  it('is older than what a watch has shown while it was read, and brings nothing back that has gone', async () => {
    const uid = put('shop', 'web');
    await start();
    const body = api.get(deploymentsOf('shop'), 'web');
    api.intercept(({ path }) => (path.endsWith('/web') ? { status: 200, body } : undefined));
    put('shop', 'web', 'http');
    await waitUntil('the change is seen', () => [...scan.verdicts.records.values()][0]?.isClean === true);
    expect(await scan.read(named)).toBe('outdated');
    const [record] = scan.verdicts.records.values();
    if (record !== undefined)
      scan.verdicts.records.set('shop', 'shop/apps/Deployment/web', {
        ...record,
        workload: { ...record.workload, uid: 'another' },
        version: 0,
      });
    expect(await scan.read(named)).toBe('outdated');
    if (record !== undefined) scan.verdicts.note(record);
    api.remove(deploymentsOf('shop'), 'web');
    await waitUntil('the end is seen', () => known().length === 0);
    expect([body?.metadata.uid, await scan.read(named), known()]).toEqual([uid, undefined, []]);
  });

  it('is missing, or an answer that is no object', async () => {
    await start();
    await expect(scan.read(named)).rejects.toThrow('404');
    api.intercept(({ path }) => (path.endsWith('/web') ? { status: 200, body: {} } : undefined));
    expect(await scan.read(named)).toBeUndefined();
  });
});

describe('the end of the lead', () => {
  it('ends all watches and rounds', async () => {
    api.serve([DEPLOYMENTS, PODS, OPEN_REPORTS]);
    put('shop', 'web');
    await start(2);
    scan.stop();
    await waitUntil('no watch is open', () => api.openWatches() === 0);
    const requests = api.requests.length;
    change('shop');
    await sleep(20);
    expect(api.requests).toHaveLength(requests);
  });

  it('ends the scan under way: no further list, and no end is told', async () => {
    api.serve([DEPLOYMENTS, STATEFUL_SETS, PODS]);
    put('blog', 'web');
    api.put('/apis/apps/v1/namespaces/blog/statefulsets', deployment('db'));
    await start(2);
    const requests = api.requests.length;
    api.intercept(({ path, query }) => {
      if (/namespaces\/\w+\/deployments$/.test(path) && !query['watch']) scan.stop();
      return undefined;
    });
    change('blog');
    await waitUntil('a list is read', () => listsSince(requests).length >= 1);
    await sleep(20);
    expect([listsSince(requests).length, of('scan_finished').length]).toEqual([1, 1]);
    expect(of('workloads cannot be listed')).toEqual([]);
  });
});
