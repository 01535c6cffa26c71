import { afterEach, beforeEach, expect, it } from 'vitest';
import { waitUntil } from '../cluster/client/wait-until.ts';
import { exceptionDocument } from '../support/exceptions.ts';
import { deployment, deploymentsOf, ObservedCluster } from './observed-cluster.ts';

const HOUR = 3_600_000;
let cluster: ObservedCluster;

beforeEach(async () => {
  cluster = await ObservedCluster.start();
});
afterEach(async () => {
  await cluster.stop();
});

/** An exception of named-port for these Deployments, until so many hours from now. */
function except(namespace: string, name: string, hours: number, ...workloads: string[]): void {
  const expires = new Date(Date.now() + hours * HOUR).toISOString().replace(/\.\d+Z$/, 'Z');
  const spec = { expires, workloads: workloads.map((one) => ({ kind: 'Deployment', name: one })) };
  const path = `/apis/probewright.dev/v1alpha1/namespaces/${namespace}/probeexceptions`;
  cluster.api.put(path, exceptionDocument(spec, { name, namespace }));
}

/** The results of named-port in a namespace: `web fail`. */
const told = (namespace: string): readonly string[] =>
  cluster
    .reports(namespace)
    .flatMap((report) =>
      (report['results'] as { rule: string; result: string }[])
        .filter(({ rule }) => rule === 'named-port')
        .map(({ result }) => `${(report['scope'] as { name: string }).name} ${result}`),
    )
    .sort();

it('when an exception ends, the reports of its workloads change at that instant, and no others', async () => {
  for (const namespace of ['shop', 'blog'])
    for (const name of ['api', 'old', 'web']) cluster.api.put(deploymentsOf(namespace), deployment(name));
  except('shop', 'short', 2, 'web', 'old');
  except('shop', 'long', 30, 'api');
  except('blog', 'long', 30, 'web');
  await cluster.observe({ scanInterval: 100 * HOUR });
  await waitUntil('all are told', () => told('shop').length === 3 && told('blog').length === 3);
  expect(told('shop')).toEqual(['api skip', 'old skip', 'web skip']);
  expect(told('blog')).toEqual(['api fail', 'old fail', 'web skip']);
  const names = new Map(
    ['api', 'old', 'web'].map((name) => [
      `probewright-${cluster.api.get(deploymentsOf('shop'), name)?.metadata.uid ?? ''}`,
      name,
    ]),
  );
  const [writes, requests] = [cluster.reportWrites().length, cluster.api.requests.length];

  // Ten minutes before the end, nothing happens.
  cluster.clockSkew = 2 * HOUR - HOUR / 6;
  cluster.api.put(deploymentsOf('shop'), deployment('next'));
  await waitUntil('the observer has gone on', () => told('shop').includes('next fail'));
  expect(told('shop')).toEqual(['api skip', 'next fail', 'old skip', 'web skip']);
  expect(cluster.reportWrites().length).toBe(writes + 1);

  cluster.clockSkew = 2 * HOUR;
  await waitUntil(
    'the exception has ended',
    () => told('shop').includes('web fail') && told('shop').includes('old fail'),
  );
  await waitUntil('the scan is finished', () =>
    cluster.logged('scan_finished').some(({ reason }) => reason === 'expiry'),
  );
  expect(told('shop')).toEqual(['api skip', 'next fail', 'old fail', 'web fail']);
  expect(told('blog')).toEqual(['api fail', 'old fail', 'web skip']);
  const changed = cluster.reportWrites().slice(writes + 1);
  expect(changed.map((write) => names.get(write.split(' ')[1] ?? '')).sort()).toEqual(['old', 'web']);
  const lists = cluster.api.requests
    .slice(requests)
    .filter(
      ({ method, path, query }) => method === 'GET' && path.endsWith('/deployments') && query['watch'] === undefined,
    );
  expect(lists.map(({ path }) => path)).toEqual([deploymentsOf('shop')]);
  expect(cluster.logged('scan_started').filter(({ reason }) => reason === 'expiry')).toMatchObject([{ namespaces: 1 }]);
});
