import { CHECK_CATALOGUE } from '../../../src/engine/checks/catalogue.ts';
import { ByNamespace } from '../../../src/engine/facts/by-namespace.ts';
import { NO_FACTS } from '../../../src/engine/facts/facts.ts';
import { Snapshot } from '../../../src/engine/facts/snapshot.ts';
import { exceptionEnds } from '../../../src/observer/scan/affected-namespaces.ts';
import { waitUntil } from '../../cluster/client/wait-until.ts';
import { exceptionDocument, parsedException } from '../../support/exceptions.ts';
import { ObservedCluster, deployment, deploymentsOf } from '../observed-cluster.ts';
import { afterEach, beforeEach, expect, it } from 'vitest';

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

const DAY = 86_400_000;
const END = Date.parse('2026-08-01T00:00:00Z');
const CREATED = Date.parse('2026-05-01T12:00:00Z');

it('the namespaces of exceptions are found at the instant at which an exception ends', () => {
  const shop = ['2026-08-01T00:00:00Z', '2026-12-01T00:00:00Z'].map((expires) => exceptionDocument({ expires }));
  const blog = exceptionDocument({ expires: '2027-01-01T00:00:00Z' }, { creationTimestamp: '2026-05-01T12:00:00Z' });
  const exceptions = new ByNamespace(
    new Map([
      ['shop', shop.map(parsedException)],
      ['blog', [parsedException(blog)]],
    ]),
  );
  const snapshot = Snapshot.of(CHECK_CATALOGUE, [], { ...NO_FACTS, exceptions });
  expect([...exceptionEnds(snapshot, END - 1, END)]).toEqual(['shop']);
  expect([...exceptionEnds(snapshot, END - 2, END - 1)]).toEqual([]);
  expect([...exceptionEnds(snapshot, END, END + 1)]).toEqual([]);
  // A policy may limit how many days an exception counts from its creation.
  expect([...exceptionEnds(snapshot, CREATED + 30 * DAY - 1, CREATED + 30 * DAY)]).toEqual(['blog']);
  expect([...exceptionEnds(undefined, 0, END)]).toEqual([]);
});
