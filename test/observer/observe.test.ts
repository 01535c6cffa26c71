import { hostname } from 'node:os';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { waitUntil } from '../cluster/client/wait-until.ts';
import { ask, ObservedCluster } from './observed-cluster.ts';

let cluster: ObservedCluster;

beforeEach(async () => {
  cluster = await ObservedCluster.start();
});
afterEach(async () => {
  await cluster.stop();
});

const holder = (): unknown => {
  const lease = cluster.api.get('/apis/coordination.k8s.io/v1/namespaces/probewright/leases', 'probewright-observer');
  return (lease?.['spec'] as Record<string, unknown> | undefined)?.['holderIdentity'];
};

describe('the observer', () => {
  it('is ready once it has read the policies, and leads by a Lease of its own', async () => {
    const observer = await cluster.observe();
    await observer.started;
    await waitUntil('there is a leader', () => typeof holder() === 'string');
    const { code, body } = await ask(observer, '/readyz');
    expect(code).toBe(200);
    expect(JSON.parse(body)).toMatchObject({
      status: 'ready',
      draining: false,
      policies: { inForce: 0, problems: [] },
    });
    const metrics = (await ask(observer, '/metrics')).body;
    expect(metrics).toMatch(/^probewright_build_info\{.*\} 1$/m);
    expect(metrics).toMatch(/^probewright_leader 1$/m);
    expect(metrics).not.toMatch(/^probewright_admission_/m);
  });

  it('waits for an API server that is away, and says so', async () => {
    await cluster.api.pause();
    const observer = await cluster.observe();
    expect((await ask(observer, '/livez')).code).toBe(200);
    expect((await ask(observer, '/readyz')).code).toBe(503);
    await cluster.api.resume();
    await observer.started;
    expect((await ask(observer, '/readyz')).code).toBe(200);
  });

  it('gives the Lease back when it stops, and another replica takes over', async () => {
    const first = await cluster.observe();
    await waitUntil('the first leads', () => typeof holder() === 'string' && holder() !== '');
    const before = holder();
    await cluster.observe();
    await first.stop();
    await waitUntil('the second leads', () => holder() !== before && holder() !== '');
    expect(cluster.logged('stopped')).toHaveLength(1);
  });

  it('writes no status of a policy', async () => {
    const spec = { defaults: { startup: 'nonsense' } };
    cluster.api.put('/apis/probewright.dev/v1alpha1/namespaces/shop/probepolicies', {
      metadata: { name: 'bad' },
      spec,
    });
    const observer = await cluster.observe();
    await observer.started;
    await waitUntil('there is a leader', () => typeof holder() === 'string');
    const writes = cluster.api.requests.filter(({ method }) => method !== 'GET');
    expect([...new Set(writes.map(({ path }) => path.replace(/.*\//, '')))]).toEqual(['leases']);
  });

  it('shows a page about all workloads, and reads them at most once in 30 s for all who ask', async () => {
    const template = { metadata: { labels: {} }, spec: { containers: [{ name: 'app', livenessProbe: { exec: {} } }] } };
    for (const name of ['web', 'api'])
      cluster.api.put('/apis/apps/v1/namespaces/shop/deployments', { metadata: { name }, spec: { template } });
    const observer = await cluster.observe({ dashboardPort: 0 });
    await observer.started;
    await waitUntil('the scan is finished', () => cluster.logged('scan_finished').length > 0);
    const lists = (): number =>
      cluster.api.requests.filter(({ path, query }) => path === '/apis/apps/v1/deployments' && !('watch' in query))
        .length;
    const before = lists();
    const pages = await Promise.all(Array.from({ length: 20 }, () => ask(observer, '/', observer.dashboardPort)));
    expect(new Set(pages.map(({ code }) => code))).toEqual(new Set([200]));
    expect(new Set(pages.map(({ body }) => body)).size).toBe(1);
    const rows = pages[0]?.body.match(/<b>\w+<\/b> <small>\w+<\/small>/g);
    expect(rows).toEqual(['<b>api</b> <small>Deployment</small>', '<b>web</b> <small>Deployment</small>']);
    expect(lists()).toBe(before + 1);
    expect((await ask(observer, '/healthz', observer.dashboardPort)).code).toBe(404);
  });

  it('names the leader on the page of a replica that does not lead', async () => {
    const leader = await cluster.observe({ dashboardPort: 0 });
    await waitUntil('the first leads', () => cluster.logged('this replica leads').length === 1);
    const follower = await cluster.observe({ dashboardPort: 0 });
    await Promise.all([leader.started, follower.started]);
    const reads = (): number => cluster.api.requests.filter(({ path }) => path.includes('/leases/')).length;
    const before = reads();
    await waitUntil('both have read the Lease', () => reads() > before + 4);
    const [first, second] = await Promise.all(
      [leader, follower].map(async (each) => (await ask(each, '/', each.dashboardPort)).body),
    );
    expect(first).not.toContain('does not lead');
    expect(second).toContain(
      'This observer does not lead, so the page lacks the Pods without their probes (missed-pods). ' +
        `Open the page of the Pod ${hostname()}.`,
    );
  });

  it('has no page unless it is asked for', async () => {
    expect((await cluster.observe()).dashboardPort).toBeUndefined();
  });
});
