import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ReportQueue } from '../../src/observer/reports/report-queue.ts';
import { waitUntil } from '../cluster/client/wait-until.ts';
import { deployment, deploymentsOf, ObservedCluster } from './observed-cluster.ts';

describe('reports that wait', () => {
  const queue = (...reports: readonly (readonly [namespace: string, uid: string])[]): ReportQueue => {
    const made = new ReportQueue(() => 1);
    for (const [namespace, uid] of reports) made.add({ namespace, uid, workload: undefined });
    return made;
  };

  it('are taken in turns of namespaces, each once', () => {
    const waiting = queue(['tenant', '1'], ['tenant', '2'], ['tenant', '3'], ['tenant', '1'], ['victim', '4']);
    expect(waiting.size).toBe(4);
    expect(Array.from({ length: 5 }, () => waiting.take(0)?.uid)).toEqual(['1', '4', '2', '3', undefined]);
    expect(waiting.size).toBe(0);
  });

  it('pause by namespace, longer with each failure', () => {
    const taken = (failures: readonly number[], now: number): unknown => {
      const waiting = queue(['tenant', '1'], ['victim', '2']);
      waiting.failed('other', 0);
      for (const at of failures) waiting.failed('tenant', at);
      return [waiting.take(now)?.uid, waiting.take(now)?.uid];
    };
    expect([taken([0], 999), taken([0], 1000)]).toEqual([
      ['2', undefined],
      ['1', '2'],
    ]);
    expect([taken([0, 1000], 2999), taken([0, 1000], 3000)]).toEqual([
      ['2', undefined],
      ['1', '2'],
    ]);
    const waiting = queue(['tenant', '1']);
    for (const at of [0, 1000]) waiting.failed('tenant', at);
    waiting.succeeded('tenant');
    waiting.failed('tenant', 3000);
    expect([waiting.take(3999), waiting.take(4000)?.uid]).toEqual([undefined, '1']);
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
