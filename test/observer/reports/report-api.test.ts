import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiClient, ApiError, type ApiRequest } from '../../../src/cluster/client/api-client.ts';
import { RateLimiter } from '../../../src/cluster/client/rate-limiter.ts';
import { REPORT_APIS, type ReportApi } from '../../../src/cluster/sources/observer-reports.ts';
import {
  KnownReports,
  ReportRefused,
  discoverReportApis,
  removeReports,
  reportKey,
  writeReport,
} from '../../../src/observer/reports/report-api.ts';
import { reportContent } from '../../../src/observer/reports/report-object.ts';
import { resultOfWarning } from '../../../src/observer/reports/report-result.ts';
import { AnsweringClient, listOf } from '../../cluster/client/answering-client.ts';
import { startFakeApiServer, type FakeApiServer } from '../../cluster/client/fake-api-server.ts';
import { waitUntil } from '../../cluster/client/wait-until.ts';

const [OPEN, OLDER] = REPORT_APIS as readonly [ReportApi, ReportApi];
const OURS = { 'app.kubernetes.io/managed-by': 'probewright' };
const missing = new ApiError(404, 'NotFound', 'not found');
const { signal } = new AbortController();

let answering: AnsweringClient;
const clientOf = (answerTo: (request: ApiRequest) => unknown): ApiClient => {
  answering = new AnsweringClient(answerTo);
  return answering;
};

describe('the API for reports', () => {
  /** An API server with these APIs for reports. */
  const serving = (...apis: readonly ReportApi[]): ApiClient =>
    clientOf(({ path }) => {
      const served = apis.find(({ apiVersion }) => path === `/apis/${apiVersion}`);
      return served === undefined ? missing : { resources: [{ name: 'clusterreports' }, { name: served.resource }] };
    });

  it.each([
    ['auto', [OPEN, OLDER], 'openreports'],
    ['auto', [OLDER], 'wgpolicyk8s'],
    ['auto', [], undefined],
    ['openreports', [OPEN, OLDER], 'openreports'],
    ['openreports', [OLDER], undefined],
    ['wgpolicyk8s', [OPEN, OLDER], 'wgpolicyk8s'],
  ] as const)('by the setting %s is the one that the cluster has', async (setting, apis, target) => {
    const found = await discoverReportApis(serving(...apis), setting);
    expect([found.target?.name, found.served]).toEqual([target, apis]);
  });

  it('is not asked for without reports', async () => {
    expect(await discoverReportApis(serving(OPEN), 'none')).toEqual({ served: [], target: undefined });
    expect(answering.requests).toEqual([]);
  });

  it('needs the resource of reports in its group', async () => {
    const other = clientOf(() => ({ resources: [{ name: 'clusterreports' }] }));
    expect(await discoverReportApis(other, 'auto')).toEqual({ served: [], target: undefined });
  });

  it('is unknown when the API server does not answer', async () => {
    const away = clientOf(() => new ApiError(503, '', 'busy'));
    await expect(discoverReportApis(away, 'auto')).rejects.toThrow('busy');
  });
});

describe('a write of a report', () => {
  const workload = {
    apiVersion: 'apps/v1',
    group: 'apps',
    kind: 'Deployment',
    namespace: 'shop',
    name: 'web',
    uid: '1',
  };
  const content = reportContent({ workload, results: [resultOfWarning('a finding')], passed: 0 }, []);
  const collection = '/apis/openreports.io/v1alpha1/namespaces/shop/reports';
  const path = `${collection}/probewright-1`;
  const before = { metadata: { name: 'probewright-1', labels: OURS, resourceVersion: '7' } };
  /** What is sent after the report in the cluster has been read. */
  const written = async (found: unknown, wanted = true, refusal?: Error): Promise<string[]> => {
    const client = clientOf(({ method }) => (method === 'GET' ? found : (refusal ?? {})));
    await writeReport(client, path, wanted ? content : undefined, OPEN, 50, signal);
    return answering.sent.slice(1);
  };

  it('creates a report that is not there', async () => {
    expect(await written(missing)).toEqual([`POST ${collection}`]);
    expect(answering.requests[1]?.body).toMatchObject({
      kind: 'Report',
      metadata: { name: 'probewright-1', namespace: 'shop' },
      results: [{ timestamp: { seconds: 50, nanos: 0 } }],
    });
  });

  it('replaces a report of Probewright, in the version that was read', async () => {
    expect(await written(before)).toEqual([`PUT ${path}`]);
    expect(answering.requests[1]?.body).toMatchObject({ metadata: { resourceVersion: '7' } });
  });

  it('deletes a report without content, also if somebody else was faster', async () => {
    expect(await written(before, false)).toEqual([`DELETE ${path}`]);
    expect(await written(before, false, missing)).toEqual([`DELETE ${path}`]);
  });

  it('sends nothing when there is neither a report nor content', async () => {
    expect(await written(missing, false)).toEqual([]);
  });

  it.each([
    ['a report without our label', { metadata: { name: 'probewright-1' } }],
    ['a report with another name', { metadata: { name: 'kyverno-1', labels: OURS } }],
    ['an answer that is no object', {}],
  ])('refuses to touch %s', async (_, found) => {
    await expect(written(found)).rejects.toThrow(ReportRefused);
    await expect(written(found)).rejects.toThrow(`${path} is not a report of Probewright`);
    expect(answering.sent).toEqual([`GET ${path}`]);
  });
});

describe('reports of an API that is not written to', () => {
  const items = [
    { metadata: { name: 'probewright-1', namespace: 'shop', labels: OURS } },
    { metadata: { name: 'kyverno-1', namespace: 'shop', labels: OURS } },
    { metadata: { name: 'probewright-2', namespace: 'blog', labels: OURS } },
  ];
  const list = listOf(...items);
  const pace = new RateLimiter(Infinity, () => 0);

  it('are deleted where they are ours, and counted', async () => {
    const client = clientOf(({ method }) => (method === 'GET' ? list : missing));
    expect(await removeReports(client, OLDER, pace, signal)).toBe(2);
    expect(answering.sent).toEqual([
      'GET /apis/wgpolicyk8s.io/v1alpha2/policyreports',
      'DELETE /apis/wgpolicyk8s.io/v1alpha2/namespaces/shop/policyreports/probewright-1',
      'DELETE /apis/wgpolicyk8s.io/v1alpha2/namespaces/blog/policyreports/probewright-2',
    ]);
    expect(answering.requests[0]?.query).toMatchObject({ labelSelector: 'app.kubernetes.io/managed-by=probewright' });
  });

  it('stay after the end of the lead', async () => {
    const ended = new AbortController();
    const client = clientOf(({ method }) => {
      if (method === 'DELETE') ended.abort();
      return list;
    });
    await expect(removeReports(client, OLDER, pace, ended.signal)).rejects.toThrow();
    expect(answering.sent).toHaveLength(2);
  });
});

describe('the reports in the cluster', () => {
  const reports = '/apis/openreports.io/v1alpha1/namespaces/shop/reports';
  let api: FakeApiServer;
  let known: KnownReports;
  const put = (name: string, hash?: string): void => {
    const annotations = hash === undefined ? undefined : { 'probewright.dev/content-hash': hash };
    api.put(reports, { metadata: { name, labels: OURS, ...(annotations && { annotations }) } });
  };

  beforeEach(async () => {
    api = await startFakeApiServer();
    const client = new ApiClient(api.access, 'test');
    known = new KnownReports({ client, now: Date.now, random: () => -1 }, OPEN, () => undefined);
  });
  afterEach(async () => {
    known.reflector.stop();
    await api.stop();
  });

  it('are known by their hash, of which at most 80 characters count', async () => {
    put('probewright-1', 'sha256:1');
    put('probewright-2', 'x'.repeat(81));
    put('probewright-3');
    put('other', 'sha256:1');
    expect(known.isSynced).toBe(false);
    await known.reflector.start();
    expect(known.isSynced).toBe(true);
    expect(Object.fromEntries(known)).toEqual({
      'shop/probewright-1': 'sha256:1',
      'shop/probewright-2': 'x'.repeat(80),
      'shop/probewright-3': '',
    });
    expect(api.requests[0]?.headers.accept).toContain('as=PartialObjectMetadataList');
  });

  it('are followed, and those that a new list does not have are forgotten', async () => {
    put('probewright-1', 'sha256:1');
    await known.reflector.start();
    await waitUntil('a watch is open', () => api.openWatches() === 1);
    put('probewright-2', 'sha256:2');
    await waitUntil('the new report is known', () => known.get('shop/probewright-2') === 'sha256:2');
    api.remove(reports, 'probewright-2');
    await waitUntil('the report is forgotten', () => !known.has('shop/probewright-2'));
    // A report that was written, and that somebody has deleted while nobody watched.
    known.set('shop/probewright-4', 'sha256:4');
    api.disturbWatches('gone');
    await waitUntil('the list has been read', () => !known.has('shop/probewright-4'));
    expect([...known]).toEqual([['shop/probewright-1', 'sha256:1']]);
  });

  it('have a key of namespace and name', () => {
    expect([reportKey({ namespace: 'shop', name: 'a' }), reportKey({ name: 'a' })]).toEqual(['shop/a', '/a']);
  });
});
