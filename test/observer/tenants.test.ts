import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NamespacePauses } from '../../src/observer/reports/namespace-pauses.ts';
import { ReportQueue } from '../../src/observer/reports/report-queue.ts';
import { waitUntil } from '../cluster/client/wait-until.ts';
import { deployment, deploymentsOf, ObservedCluster } from './observed-cluster.ts';

describe('reports that wait', () => {
  const report = (namespace: string, uid: string): Parameters<ReportQueue['add']>[0] => ({
    namespace,
    uid,
    workload: undefined,
    content: undefined,
  });

  it('are taken in turns of namespaces, each once, and none of a namespace that pauses', () => {
    const queue = new ReportQueue();
    for (const uid of ['1', '2', '3', '1']) queue.add(report('tenant', uid));
    queue.add(report('victim', '4'));
    const taken = (isPassedOver: (namespace: string) => boolean = () => false): string | undefined =>
      queue.take(isPassedOver)?.uid;
    expect([queue.size, taken(), taken(), taken()]).toEqual([4, '1', '4', '2']);
    expect([taken((namespace) => namespace === 'tenant'), taken(), taken(), queue.size]).toEqual([
      undefined,
      '3',
      undefined,
      0,
    ]);
  });

  it('pause by namespace, longer with each failure', () => {
    const pauses = new NamespacePauses({ minimum: 1000, maximum: 4000 }, () => 1);
    const paused = (now: number): boolean[] => ['tenant', 'victim'].map((namespace) => pauses.isPaused(namespace, now));
    pauses.failed('tenant', 0);
    expect([paused(999), paused(1000)]).toEqual([
      [true, false],
      [false, false],
    ]);
    pauses.failed('tenant', 1000);
    expect([paused(2999), paused(3000)]).toEqual([
      [true, false],
      [false, false],
    ]);
    pauses.succeeded('tenant');
    pauses.failed('tenant', 3000);
    expect(paused(4000)).toEqual([false, false]);
  });
});

describe('the observer', () => {
  let cluster: ObservedCluster;
  beforeEach(async () => {
    cluster = await ObservedCluster.start();
  });
  afterEach(() => cluster.stop());

  it('writes the reports of others while those of one namespace are refused', async () => {
    for (let index = 0; index < 8; index++) cluster.api.put(deploymentsOf('tenant'), deployment(`t-${index}`));
    cluster.api.put(deploymentsOf('victim'), deployment('web'));
    let refused = 0;
    cluster.api.intercept(({ method, path }) => {
      if (method !== 'POST' || !path.includes('/tenant/reports')) return undefined;
      refused += 1;
      const message = 'exceeded quota: none';
      return { status: 403, body: { kind: 'Status', code: 403, reason: 'Forbidden', message } };
    });
    await cluster.observe();
    await waitUntil('the victim has a report', () => cluster.reports('victim').length === 1);
    expect(refused).toBeLessThan(8);
  });
});
