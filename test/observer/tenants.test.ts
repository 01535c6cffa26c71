import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { waitUntil } from '../cluster/client/wait-until.ts';
import { deployment, deploymentsOf, ObservedCluster } from './observed-cluster.ts';

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
