import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { waitUntil } from '../cluster/client/wait-until.ts';
import { ask, deployment, deploymentsOf, ObservedCluster } from './observed-cluster.ts';

let cluster: ObservedCluster;

beforeEach(async () => {
  cluster = await ObservedCluster.start();
});
afterEach(async () => {
  await cluster.stop();
});

const LIST = '/apis/apps/v1/deployments';
const lists = (): number =>
  cluster.api.requests.filter(({ path, query }) => path === LIST && query['watch'] === undefined).length;
const hasReports = (count: number): Promise<void> =>
  waitUntil(`there are ${count} reports`, () => cluster.reports('shop').length === count);

describe('the observer recovers', () => {
  it('when the API server goes away and comes back', async () => {
    cluster.api.put(deploymentsOf('shop'), deployment('a'));
    await cluster.observe();
    await hasReports(1);
    await cluster.api.pause();
    cluster.api.put(deploymentsOf('shop'), deployment('b'));
    cluster.api.remove(deploymentsOf('shop'), 'a');
    await cluster.api.resume();
    await waitUntil('b alone has a report', () => {
      const [first, second] = cluster.reports('shop').map(({ scope }) => (scope as { name: string }).name);
      return first === 'b' && second === undefined;
    });
  });

  it('when a watch has expired, by one list', async () => {
    cluster.api.put(deploymentsOf('shop'), deployment('a'));
    await cluster.observe();
    await hasReports(1);
    const before = lists();
    const writes = cluster.reportWrites().length;
    cluster.api.disturbWatches('gone');
    await waitUntil('the list is read again', () => lists() > before);
    cluster.api.put(deploymentsOf('shop'), deployment('b'));
    await hasReports(2);
    expect(lists()).toBe(before + 1);
    expect(cluster.reportWrites()).toHaveLength(writes + 1);
  });

  it('when workloads are deleted while their watch has expired: their reports are deleted, too', async () => {
    const { template } = (deployment('bare') as { spec: { template: object } }).spec;
    const pods = '/api/v1/namespaces/shop/pods';
    cluster.api.put(pods, { ...template, metadata: { name: 'bare' }, status: { phase: 'Running' } });
    for (const name of ['a', 'b']) cluster.api.put(deploymentsOf('shop'), deployment(name));
    await cluster.observe();
    await hasReports(3);
    await cluster.api.pause();
    cluster.api.remove(deploymentsOf('shop'), 'a');
    cluster.api.remove(pods, 'bare');
    cluster.api.compact();
    await cluster.api.resume();
    await hasReports(1);
    expect(cluster.reports('shop').map(({ scope }) => (scope as { name: string }).name)).toEqual(['b']);
  });

  it('when lists of two namespaces fail one after the other: both are read again', async () => {
    const policies = (namespace: string): string =>
      `/apis/probewright.dev/v1alpha1/namespaces/${namespace}/probepolicies`;
    const lax = { metadata: { name: 'lax' }, spec: { checks: { 'named-port': { action: 'Warn' } } } };
    for (const namespace of ['one', 'two']) cluster.api.put(deploymentsOf(namespace), deployment('a'));
    const first = (namespace: string): object | undefined => cluster.reports(namespace)[0]?.['summary'] ?? undefined;
    await cluster.observe();
    await waitUntil('both have a report', () => first('one') !== undefined && first('two') !== undefined);
    const refused = new Set<string>();
    cluster.api.intercept(({ path }) => {
      const namespace = /^\/apis\/apps\/v1\/namespaces\/(\w+)\/deployments$/.exec(path)?.[1];
      if (namespace === undefined || refused.has(namespace)) return undefined;
      refused.add(namespace);
      return { status: 403, body: { kind: 'Status', code: 403, reason: 'Forbidden', message: 'forbidden' } };
    });
    for (const namespace of ['one', 'two']) {
      cluster.api.put(policies(namespace), lax);
      await waitUntil('the list is refused', () => refused.has(namespace));
    }
    await waitUntil('both are judged again', () =>
      ['one', 'two'].every((namespace) => (first(namespace) as { warn?: number } | undefined)?.warn === 1),
    );
  });

  it('when lists are refused for a while, without a loop of lists', async () => {
    cluster.api.put(deploymentsOf('shop'), deployment('a'));
    let refused = 0;
    cluster.api.intercept(({ path, query }) => {
      if (path !== LIST || query['watch'] !== undefined || refused >= 3) return undefined;
      refused += 1;
      return { status: 429, body: { kind: 'Status', code: 429, reason: 'TooManyRequests', message: 'busy' } };
    });
    await cluster.observe();
    await hasReports(1);
    expect(lists()).toBe(4);
  });

  it('when the right to list workloads is missing: nothing is deleted', async () => {
    cluster.api.put(deploymentsOf('shop'), deployment('a'));
    const first = await cluster.observe();
    await hasReports(1);
    await first.stop();
    let isAllowed = false as boolean;
    const forbidden = { kind: 'Status', code: 403, reason: 'Forbidden', message: 'forbidden' };
    cluster.api.intercept(({ path }) => (path === LIST && !isAllowed ? { status: 403, body: forbidden } : undefined));
    const writes = cluster.reportWrites().length;
    await cluster.observe({ scanInterval: 60_000 });
    await waitUntil('the refusal is told', () => cluster.logged('workloads cannot be watched now').length > 0);
    cluster.clockSkew = 61_000;
    await waitUntil('a scan could not list', () => cluster.logged('workloads cannot be listed').length > 0);
    expect(cluster.reportWrites()).toHaveLength(writes);
    isAllowed = true;
    cluster.api.put(deploymentsOf('shop'), deployment('b'));
    await hasReports(2);
    expect(
      cluster
        .reportWrites()
        .slice(writes)
        .map((write) => write.split(' ')[0]),
    ).toEqual(['POST']);
  });

  it('when writes of reports fail for a while', async () => {
    cluster.api.put(deploymentsOf('shop'), deployment('a'));
    let failed = 0;
    cluster.api.intercept(({ method, path }) =>
      method === 'POST' && path.endsWith('/reports') && failed++ < 1 ? { status: 500, body: 'broken' } : undefined,
    );
    await cluster.observe();
    await hasReports(1);
    expect(cluster.logged('reports cannot be written now')).toHaveLength(1);
    await waitUntil('the end is told', () => cluster.logged('reports can be written again').length === 1);
  });
});

it('docs/observer.md lists the metrics that only the observer has', async () => {
  const observer = await cluster.observe();
  const { body } = await ask(observer, '/metrics');
  const page = readFileSync('docs/observer.md', 'utf8');
  const documented = [...page.matchAll(/^\| `(probewright_\w+)/gm)].map(([, name = '']) => name);
  const own = [...body.matchAll(/^# TYPE (probewright_(?:scan|report)\w*) /gm)].map(([, name = '']) => name);
  expect(documented.filter((name) => /^probewright_(?:scan|report)/.test(name)).sort()).toEqual(
    [...new Set(own)].sort(),
  );
});
