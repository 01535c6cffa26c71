import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { Counter } from 'prom-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiClient } from '../../src/cluster/client/api-client.ts';
import { NamespaceShares } from '../../src/observer/namespace-shares.ts';
import { workloadKey } from '../../src/observer/observed-workload.ts';
import { reportContent } from '../../src/observer/reports/report-object.ts';
import { resultOfWarning } from '../../src/observer/reports/report-result.ts';
import { ReportWriter } from '../../src/observer/reports/report-writer.ts';
import { startFakeApiServer, type FakeApiServer } from '../cluster/client/fake-api-server.ts';
import { waitUntil } from '../cluster/client/wait-until.ts';
import { deployment, deploymentsOf, ObservedCluster, OPEN_REPORTS, reportsOf } from './observed-cluster.ts';
import type { ScanDependencies, WorkloadRecords } from '../../src/observer/scan/verdicts.ts';

describe('a report whose deletion waits or is under way', () => {
  const workload = {
    apiVersion: 'apps/v1',
    group: 'apps',
    kind: 'Deployment',
    namespace: 'shop',
    name: 'web',
    uid: '1',
  };
  const judged = reportContent({ workload, results: [resultOfWarning('a finding')], passed: 0 }, []);
  const record = { workload, digest: judged.hash, isClean: false, version: 1, findings: [] };
  let api: FakeApiServer;
  let writer: ReportWriter;
  const writes = (): string[] => api.requests.map(({ method }) => method).filter((method) => method !== 'GET');

  beforeEach(async () => {
    api = await startFakeApiServer();
    api.serve([OPEN_REPORTS]);
    const metadata = {
      name: 'probewright-1',
      labels: { 'app.kubernetes.io/managed-by': 'probewright' },
      annotations: { 'probewright.dev/content-hash': record.digest },
    };
    api.put(reportsOf('shop'), { metadata });
    const records: WorkloadRecords = new NamespaceShares(Infinity);
    records.set('shop', workloadKey(workload), record);
    const dependencies = {
      client: new ApiClient(api.access, 'test'),
      log: pino({ enabled: false }),
      reportSettings: { setting: 'auto', includeClean: false },
      now: Date.now,
      monotonic: () => performance.now(),
      random: () => 1,
    } as unknown as ScanDependencies;
    writer = new ReportWriter(
      dependencies,
      { verdicts: { records }, isComplete: false, read: () => Promise.resolve(judged) },
      new Counter({ name: 'writes', help: 'writes', labelNames: ['result'], registers: [] }),
    );
    writer.start();
    await waitUntil('the reports are known', () => writer.details()['reports'] === 1);
  });
  afterEach(async () => {
    writer.stop();
    await api.stop();
  });

  it('stays when the workload is there again before', async () => {
    writer.gone('shop', workload.uid);
    writer.changed(record);
    await waitUntil('nothing waits', () => writer.waiting === 0);
    await sleep(100);
    expect(writes()).toEqual([]);
  });

  it('is written again when the workload is there again meanwhile', async () => {
    api.intercept(({ method }) => {
      if (method === 'DELETE') writer.changed(record);
      return undefined;
    });
    writer.gone('shop', workload.uid);
    await waitUntil('the report is written', () => writes().length === 2);
    expect(writes()).toEqual(['DELETE', 'POST']);
  });

  it('stays when the workload is there again before the deletion fails', async () => {
    api.intercept(({ method }) => {
      if (method !== 'DELETE') return undefined;
      writer.changed(record);
      return { status: 503, body: { kind: 'Status', code: 503 } };
    });
    writer.gone('shop', workload.uid);
    await waitUntil('the deletion has been refused', () => writer.problem !== undefined);
    await waitUntil('nothing waits', () => writer.problem === undefined && writer.waiting === 0);
    expect(writes()).toEqual(['DELETE']);
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
