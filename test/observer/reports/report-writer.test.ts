import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiClient, ApiError } from '../../../src/cluster/client/api-client.ts';
import { NamespaceShares } from '../../../src/observer/namespace-shares.ts';
import { workloadKey, type ObservedWorkload } from '../../../src/observer/observed-workload.ts';
import { reportContent, type ReportContent } from '../../../src/observer/reports/report-object.ts';
import { ExtraResults, resultOfWarning } from '../../../src/observer/reports/report-result.ts';
import { ReportWriter, registerReportMetrics } from '../../../src/observer/reports/report-writer.ts';
import { startFakeApiServer, type FakeApiServer } from '../../cluster/client/fake-api-server.ts';
import { waitUntil } from '../../cluster/client/wait-until.ts';
import { OPEN_REPORTS, POLICY_REPORTS, reportsOf } from '../observed-cluster.ts';
import type { ScanDependencies, WorkloadRecord, WorkloadRecords } from '../../../src/observer/scan/verdicts.ts';
import type { ServedKind } from '../../cluster/client/fake-api-server.ts';

const OURS = { 'app.kubernetes.io/managed-by': 'probewright' };
const LISTS = `/apis/${OPEN_REPORTS.apiVersion}/reports`;
/** The wall clock, in the last millisecond of a second. */
const NOW = 1_700_000_000_999;

let api: FakeApiServer;
let writer: ReportWriter;
let records: WorkloadRecords;
let registry: Registry;
let logged: Record<string, unknown>[];
let settings: { setting: string; includeClean: boolean };
let isComplete: boolean;
/** The workloads that were read, and what reading a workload gives if not its content. */
let read: string[];
let reading: (name: string) => ReportContent | Error | undefined | 'outdated' | 'content';

const workloadOf = (uid: string, namespace = 'shop'): ObservedWorkload => ({
  apiVersion: 'apps/v1',
  group: 'apps',
  kind: 'Deployment',
  namespace,
  name: `web-${uid}`,
  uid,
});
function contentOf(uid: string, text: string | undefined = 'a finding', namespace = 'shop'): ReportContent {
  const results = text === '' ? [] : [resultOfWarning(text)];
  return reportContent({ workload: workloadOf(uid, namespace), results, passed: 0 }, []);
}
/** Records a workload, as the scan does. Without a text it is clean. */
function judged(uid: string, text?: string, namespace = 'shop'): WorkloadRecord {
  const content = contentOf(uid, text, namespace);
  const { workload, hash: digest, results } = content;
  const record = { workload, digest, isClean: results.length === 0, version: 1, findings: [] };
  contents.set(workloadKey(workload), content);
  records.set(namespace, workloadKey(workload), record);
  return record;
}
function forget({ workload }: WorkloadRecord): void {
  records.delete(workload.namespace, workloadKey(workload));
}
let contents: Map<string, ReportContent>;
/** Puts a report of ours with this hash. */
function put(uid: string, hash: string, { apiVersion, resource } = OPEN_REPORTS): void {
  const metadata = { name: `probewright-${uid}`, labels: OURS, annotations: { 'probewright.dev/content-hash': hash } };
  api.put(`/apis/${apiVersion}/namespaces/shop/${resource}`, { metadata });
}

beforeEach(async () => {
  api = await startFakeApiServer();
  api.serve([OPEN_REPORTS]);
  [records, registry, logged, read] = [new NamespaceShares(Infinity), new Registry(), [], []];
  contents = new Map();
  [isComplete, reading, settings] = [false, () => 'content', { setting: 'auto', includeClean: false }];
  let ticks = 0;
  const write = (line: string): void => void logged.push(JSON.parse(line) as Record<string, unknown>);
  const dependencies = {
    client: new ApiClient(api.access, 'test'),
    log: pino({ base: null, timestamp: false }, { write }),
    reportSettings: settings,
    extraResults: new ExtraResults(),
    now: () => NOW,
    // No turn has to be waited for.
    monotonic: () => (ticks += 1000),
    // No pause after a failure.
    random: () => -1,
  } as unknown as ScanDependencies;
  const workloads = {
    verdicts: { records },
    get isComplete() {
      return isComplete;
    },
    read: (workload: { readonly name: string; readonly namespace: string }) => {
      read.push(workload.name);
      const answer = reading(workload.name);
      const content = contents.get(workloadKey({ ...workload, group: 'apps', kind: 'Deployment' }));
      return answer instanceof Error
        ? Promise.reject(answer)
        : Promise.resolve(answer === 'content' ? content : answer);
    },
  };
  writer = new ReportWriter(
    dependencies,
    workloads,
    registerReportMetrics(() => writer, [registry]),
  );
});
afterEach(async () => {
  writer.stop();
  await api.stop();
});

const writes = (): string[] =>
  api.requests
    .filter(({ method }) => method !== 'GET')
    .map(({ method, path, body }) => {
      const name = (body as { metadata: { name: string } } | undefined)?.metadata.name ?? path.split('/').at(-1);
      return `${method} ${name?.replace('probewright-', '') ?? ''}`;
    });
const isQuiet = (): Promise<void> => waitUntil('nothing waits', () => writer.waiting === 0);
const messages = (): unknown[] => logged.map(({ msg }) => msg);
const asked = (): number => api.requests.filter(({ path }) => path === `/apis/${OPEN_REPORTS.apiVersion}`).length;
/** Starts the writer, and waits until all reports in the cluster are known. */
async function start(): Promise<void> {
  writer.start();
  await waitUntil('the watch of reports is open', () => api.openWatches() === 1);
}
/** How many reports were written, deleted and not written, by the metric. */
const counted = (...figures: readonly number[]): Promise<void> =>
  vi.waitFor(
    async () => {
      const lines = await metric('_writes_total');
      expect(lines.map((line) => Number(line.split(' ').at(-1)))).toEqual(figures);
    },
    { timeout: 20_000, interval: 5 },
  );
const metric = async (name: string): Promise<string[]> =>
  (await registry.metrics()).split('\n').filter((line) => line.startsWith(`probewright_report${name}`));

describe('the report of a workload', () => {
  it('is written once all reports are known, with the present second', async () => {
    const record = judged('1');
    writer.changed(record);
    expect(writer.waiting).toBe(0);
    await start();
    await waitUntil('the report is there', () => api.list(reportsOf('shop')).length === 1);
    expect(writes()).toEqual(['POST 1']);
    expect(api.list(reportsOf('shop'))[0]).toMatchObject({
      metadata: { annotations: { 'probewright.dev/content-hash': record.digest } },
      results: [{ timestamp: { seconds: 1_700_000_000, nanos: 0 } }],
    });
    await counted(1, 0, 0);
  });

  it('is replaced when the verdict changes, and is known at once, before the watch tells', async () => {
    put('1', 'old');
    await start();
    api.disturbWatches('silence');
    const record = judged('1');
    writer.changed(record);
    await waitUntil('the report is replaced', () => writes().length >= 1);
    await counted(1, 0, 0);
    writer.changed(record);
    expect(writer.waiting).toBe(0);
    forget(record);
    writer.gone('shop', '1');
    await waitUntil('the report is deleted', () => writes().length >= 2);
    await counted(1, 1, 0);
    writer.gone('shop', '1');
    expect(writer.waiting).toBe(0);
    expect(writes()).toEqual(['PUT 1', 'DELETE 1']);
  });

  it('is not read again while its hash is that of the verdict', async () => {
    const record = judged('1');
    put('1', record.digest);
    await start();
    writer.changed(record);
    expect([writer.waiting, read]).toEqual([0, []]);
  });

  it('is not there for a clean workload, unless that is asked for', async () => {
    const record = judged('1', '');
    put('1', 'old');
    await start();
    await counted(0, 1, 0);
    writer.changed(record);
    expect(writer.waiting).toBe(0);
    settings.includeClean = true;
    writer.changed(record);
    await waitUntil('the report is there', () => api.list(reportsOf('shop')).length === 1);
    expect(writes()).toEqual(['DELETE 1', 'POST 1']);
  });

  it('stays with one finding, and is not there without any', async () => {
    await start();
    writer.changed(judged('1', 'only one'));
    await waitUntil('the report is there', () => writes().join() === 'POST 1');
    contents.set('shop/apps/Deployment/web-1', contentOf('1', ''));
    writer.extraResultsChanged(workloadOf('1'));
    await waitUntil('the report is gone', () => writes().join() === 'POST 1,DELETE 1');
  });

  it('is written again with other findings about its Pods, if they change it', async () => {
    const record = judged('1');
    put('1', record.digest);
    await start();
    writer.extraResultsChanged(workloadOf('2'));
    writer.extraResultsChanged(workloadOf('1'));
    await waitUntil('the workload is read', () => read.length === 1);
    await isQuiet();
    contents.set('shop/apps/Deployment/web-1', contentOf('1', 'another finding'));
    writer.extraResultsChanged(workloadOf('1'));
    await waitUntil('the report is replaced', () => writes().length >= 1);
    expect([read, writes()]).toEqual([['web-1', 'web-1'], ['PUT 1']]);
  });

  it('goes with its workload, also when that goes before the reports are known', async () => {
    put('1', 'old');
    let isHeld = true as boolean;
    api.intercept(({ path }) => (path === LISTS && isHeld ? { status: 503 } : undefined));
    writer.start();
    await waitUntil('the list is refused', () => writer.problem !== undefined);
    writer.gone('shop', '1');
    isHeld = false;
    await waitUntil('the report is gone', () => writes().join() === 'DELETE 1');
  });

  it('of no workload and no report is nothing to do', async () => {
    await start();
    writer.gone('shop', '7');
    expect(writer.waiting).toBe(0);
  });

  it('is deleted when the workload goes while the report is written', async () => {
    await start();
    const record = judged('1');
    api.intercept(({ method }) => {
      if (method === 'POST') {
        forget(record);
        writer.gone('shop', '1');
      }
      return undefined;
    });
    writer.changed(record);
    await waitUntil('the report is deleted', () => writes().join() === 'POST 1,DELETE 1');
  });

  it.each<[string, () => ReportContent | Error | undefined]>([
    ['is missing', () => new ApiError(404, 'NotFound', 'no such Deployment')],
    ['goes while it is read', () => void records.delete('shop', 'shop/apps/Deployment/web-1')],
  ])('is deleted when the workload %s', async (_, answer) => {
    put('1', 'old');
    reading = answer;
    await start();
    judged('1');
    writer.extraResultsChanged(workloadOf('1'));
    await waitUntil('the report is deleted', () => writes().join() === 'DELETE 1');
    expect(writer.problem).toBeUndefined();
  });

  it('is written of what is there now when a watch has shown a later version than was read', async () => {
    put('1', 'old');
    const answers = ['outdated', 'outdated', 'content'] as const;
    reading = () => answers[read.length - 1];
    await start();
    writer.changed(judged('1', ''));
    await waitUntil('the report is deleted', () => writes().join() === 'DELETE 1');
    expect([read, writer.problem, writer.waiting]).toEqual([['web-1', 'web-1', 'web-1'], undefined, 0]);
  });

  it('waits for its lane while its workload changes all the time, and that is no problem', async () => {
    reading = (name) => (name === 'web-1' && read.length < 9 ? 'outdated' : 'content');
    await start();
    writer.changed(judged('1'));
    writer.changed(judged('2', 'a finding', 'blog'));
    await waitUntil('both are written', () => writes().length === 2);
    expect([writes()[0], writer.problem, writer.waiting]).toEqual(['POST 2', undefined, 0]);
    await counted(2, 0, 0);
  });

  it('is deleted unread when a workload of the same name has another UID', async () => {
    put('1', 'old');
    await start();
    const record = judged('1');
    records.set('shop', workloadKey(record.workload), { ...record, workload: { ...record.workload, uid: '2' } });
    writer.changed(record);
    await waitUntil('the report is deleted', () => writes().join() === 'DELETE 1');
    expect(read).toEqual([]);
  });

  it('stays as it is when the workload is there and has no verdict now', async () => {
    put('1', 'old');
    reading = () => undefined;
    await start();
    writer.changed(judged('1'));
    await waitUntil('the problem is told', () => writer.problem !== undefined);
    expect(writer.problem).toBe('shop/web-1 cannot be judged now');
    expect([writes(), writer.waiting]).toEqual([[], 0]);
  });
});

describe('a report whose deletion waits or is under way', () => {
  let record: WorkloadRecord;
  beforeEach(async () => {
    record = judged('1');
    put('1', record.digest);
    await start();
  });

  it('stays when the workload is there again before', async () => {
    writer.gone('shop', '1');
    writer.changed(record);
    await waitUntil('the workload is read', () => read.length === 1);
    await isQuiet();
    expect(writes()).toEqual([]);
  });

  it('is written again when the workload is there again meanwhile', async () => {
    api.intercept(({ method }) => {
      if (method === 'DELETE') writer.changed(record);
      return undefined;
    });
    writer.gone('shop', '1');
    await waitUntil('the report is written', () => writes().length >= 2);
    expect(writes()).toEqual(['DELETE 1', 'POST 1']);
  });

  it('stays when the workload is there again before the deletion fails', async () => {
    api.intercept(({ method }) => {
      if (method !== 'DELETE') return undefined;
      writer.changed(record);
      return { status: 503, body: { kind: 'Status', code: 503 } };
    });
    writer.gone('shop', '1');
    await waitUntil('the workload is read', () => read.length === 1);
    await waitUntil('nothing waits', () => writer.problem === undefined && writer.waiting === 0);
    expect(writes()).toEqual(['DELETE 1']);
  });
});

describe('a comparison of workloads and reports', () => {
  it('waits until all reports are known', () => {
    put('7', 'stale');
    judged('1');
    writer.reconcile(true);
    expect(writer.waiting).toBe(0);
  });

  it('writes what is missing, and deletes stale reports once all workloads are known', async () => {
    put('7', 'stale');
    const known = judged('1');
    put('1', known.digest);
    await start();
    judged('2');
    writer.reconcile(false);
    await waitUntil('the missing report is written', () => writes().join() === 'POST 2');
    await isQuiet();
    expect(api.list(reportsOf('shop'))).toHaveLength(3);
    writer.reconcile(true);
    await waitUntil('the stale report is gone', () => writes().join() === 'POST 2,DELETE 7');
    await isQuiet();
    expect(api.list(reportsOf('shop'))).toHaveLength(2);
  });

  it('is made when the reports are known, also if all workloads were known before', async () => {
    put('7', 'stale');
    judged('1');
    isComplete = true;
    await start();
    await waitUntil('both are done', () => writes().toSorted().join() === 'DELETE 7,POST 1');
  });
});

describe('the API that reports are written to', () => {
  const serve = (...kinds: readonly ServedKind[]): void => api.serve(kinds);

  it('is told, and what there is', async () => {
    expect(writer.details()).toEqual({ api: null, reports: 0, waiting: 0 });
    put('1', 'a');
    await start();
    expect(writer.details()).toEqual({ api: 'openreports.io/v1alpha1', reports: 1, waiting: 0 });
    expect(logged).toEqual([{ level: 30, setting: 'auto', api: 'openreports.io/v1alpha1', msg: 'report API chosen' }]);
    expect(asked()).toBe(1);
  });

  it('is none without reports, and none is asked for', async () => {
    settings.setting = 'none';
    writer.start();
    await waitUntil('the choice is told', () => logged.length === 1);
    expect(logged[0]).toMatchObject({ setting: 'none', api: null });
    expect(writer.details()).toEqual({ api: null, reports: 0, waiting: 0 });
    expect(api.requests).toEqual([]);
  });

  it('loses our reports when another API is preferred, once', async () => {
    serve(OPEN_REPORTS, POLICY_REPORTS);
    for (const uid of ['1', '2']) put(uid, 'old', POLICY_REPORTS);
    await start();
    await waitUntil('they are gone', () => messages().includes('reports of another API deleted'));
    expect(logged.at(-1)).toMatchObject({ api: 'wgpolicyk8s.io/v1alpha2', reports: 2 });
    await counted(0, 2, 0);
    const requests = api.requests.length;
    writer.start();
    await waitUntil('the API server is asked again', () => api.requests.length === requests + 2);
    await sleep(20);
    expect(api.requests).toHaveLength(requests + 2);
    expect(messages()).toEqual(['report API chosen', 'reports of another API deleted']);
  });

  it('is not told to have lost reports where there were none', async () => {
    serve(OPEN_REPORTS, POLICY_REPORTS);
    await start();
    await waitUntil('the other API is empty', () => api.requests.some(({ path }) => path.endsWith('policyreports')));
    await sleep(20);
    expect(messages()).toEqual(['report API chosen']);
  });

  it('is told to have lost one report', async () => {
    serve(OPEN_REPORTS, POLICY_REPORTS);
    put('1', 'old', POLICY_REPORTS);
    await start();
    await waitUntil('it is gone', () => messages().includes('reports of another API deleted'));
    expect(logged.at(-1)).toMatchObject({ reports: 1 });
  });

  it('changes when the cluster has another one, and back: the reports of the one before go each time', async () => {
    const [open, older] = [(): number => count(OPEN_REPORTS), (): number => count(POLICY_REPORTS)];
    const count = ({ apiVersion, resource }: ServedKind): number => api.list(`/apis/${apiVersion}/${resource}`).length;
    judged('1');
    serve(OPEN_REPORTS, POLICY_REPORTS);
    await start();
    await waitUntil('it is written', () => open() === 1);
    serve(POLICY_REPORTS);
    writer.start();
    await waitUntil('the other API has the report', () => older() === 1);
    expect(writer.details()['api']).toBe('wgpolicyk8s.io/v1alpha2');
    serve(OPEN_REPORTS, POLICY_REPORTS);
    writer.start();
    await waitUntil('the report of the other API is gone', () => older() === 0);
    expect([open(), writer.details()['api']]).toEqual([1, 'openreports.io/v1alpha1']);
    await waitUntil('one watch is open', () => api.openWatches() === 1);
  });

  it('is asked for again at once when the API server did not answer, and stays what it was meanwhile', async () => {
    let refusals = 2;
    api.intercept(({ path }) => (path.startsWith('/apis/wg') && refusals-- > 0 ? { status: 503 } : undefined));
    writer.start();
    await waitUntil('it is found', () => messages().includes('report API chosen'));
    expect(asked()).toBe(3);
    expect(messages()).toEqual(['reports cannot be written now', 'report API chosen']);
    expect(logged[0]).toMatchObject({ level: 40, problem: expect.stringContaining('503') as string });
  });

  it('is kept when our reports in another API cannot be deleted at first', async () => {
    serve(OPEN_REPORTS, POLICY_REPORTS);
    put('1', 'old', POLICY_REPORTS);
    let refusals = 1;
    api.intercept(({ path }) => (path.endsWith('/policyreports') && refusals-- > 0 ? { status: 503 } : undefined));
    await start();
    await waitUntil('they are gone', () => messages().includes('reports of another API deleted'));
    expect(messages().filter((message) => message === 'report API chosen')).toHaveLength(1);
    expect(api.openWatches()).toBe(1);
  });
});

describe('a report that cannot be written', () => {
  const status = (code: number, message = 'no'): object => ({ kind: 'Status', code, reason: '', message });
  /** Refuses the first writes in the namespace, and lets the writer write there and elsewhere. */
  async function refuse(code: number, message?: string): Promise<void> {
    await start();
    let refusals = 1;
    api.intercept(({ method, path }) =>
      method === 'POST' && path.includes('/shop/') && refusals-- > 0
        ? { status: code, body: status(code, message) }
        : undefined,
    );
    writer.changed(judged('1'));
    await waitUntil('the write is refused', () => writes().length > 0);
  }

  it.each([403, 409, 500, 503])('is tried again after HTTP %d, and the trouble is told once', async (code) => {
    await refuse(code);
    await waitUntil('it is written', () => writes().join() === 'POST 1,POST 1');
    await waitUntil('the end is told', () => writer.problem === undefined);
    expect(messages().slice(1)).toEqual(['reports cannot be written now', 'reports can be written again']);
    await counted(1, 0, 1);
  });

  it.each([404, 410, 422])('waits for the next scan after HTTP %d', async (code) => {
    await refuse(code);
    await counted(0, 0, 1);
    expect(writer.problem).toContain(`HTTP ${code}`);
    expect(writer.details()).toMatchObject({ problem: writer.problem });
    expect(await metric('s_problem')).toEqual(['probewright_reports_problem 1']);
    await sleep(20);
    expect([writer.waiting, writes()]).toEqual([0, ['POST 1']]);
  });

  it('in a namespace that is being deleted is no problem, and not tried again', async () => {
    await refuse(403, 'unable to create new content in namespace shop because it is being terminated');
    await counted(0, 0, 1);
    await sleep(20);
    expect([writer.problem, writes(), writer.waiting]).toEqual([undefined, ['POST 1'], 0]);
  });

  it('for another reason while it names such a namespace is a problem', async () => {
    await refuse(404, 'because it is being terminated');
    await counted(0, 0, 1);
    expect(writer.problem).toContain('HTTP 404');
  });

  it('for want of a verdict is not tried again, and delays no other report', async () => {
    reading = (name) => (name === 'web-1' ? undefined : 'content');
    await start();
    writer.changed(judged('1'));
    writer.changed(judged('2', 'a finding', 'blog'));
    await waitUntil('the other report is written', () => writes().join() === 'POST 2');
    expect([read, writer.waiting]).toEqual([['web-1', 'web-2'], 0]);
  });

  it('is told with another problem only once', async () => {
    reading = (name) => new Error(`${name} broke`);
    await start();
    writer.changed(judged('1'));
    writer.changed(judged('2', 'a finding', 'blog'));
    await waitUntil('both are tried', () => read.includes('web-2'));
    await waitUntil('both are told', () => writer.problem === 'web-2 broke');
    expect(messages().filter((message) => message === 'reports cannot be written now')).toHaveLength(1);
  });
});

describe('a writer that stops', () => {
  it('watches and writes nothing more, and forgets what waits', async () => {
    await start();
    api.intercept(({ method }) => (method === 'POST' ? 'hang' : undefined));
    for (const uid of ['1', '2', '3']) writer.changed(judged(uid));
    await waitUntil('a write is under way', () => writes().length >= 1);
    expect(writer.waiting).toBe(2);
    expect(await metric('s_waiting')).toEqual(['probewright_reports_waiting 2']);
    writer.stop();
    expect(writer.waiting).toBe(0);
    await waitUntil('no watch is open', () => api.openWatches() === 0);
    expect(writes()).toHaveLength(1);
  });

  it('asks for no API any more, and tells no problem', async () => {
    api.intercept(() => ({ status: 503 }));
    writer.start();
    await waitUntil('it is asked for', () => asked() > 2);
    writer.stop();
    await sleep(20);
    const requests = api.requests.length;
    await sleep(20);
    expect(api.requests).toHaveLength(requests);
    expect(messages()).toEqual(['reports cannot be written now']);
  });

  it('chooses no API when the answer comes later', async () => {
    api.intercept(() => ({ delay: 20 }));
    writer.start();
    await waitUntil('it is asked for', () => asked() === 1);
    writer.stop();
    await sleep(60);
    expect([logged, api.openWatches()]).toEqual([[], 0]);
  });

  it('ends the deletion of reports in another API', async () => {
    api.serve([OPEN_REPORTS, POLICY_REPORTS]);
    for (const uid of ['1', '2']) put(uid, 'old', POLICY_REPORTS);
    api.intercept(({ method }) => {
      if (method === 'DELETE') writer.stop();
      return undefined;
    });
    writer.start();
    await waitUntil('one is being deleted', () => writes().length >= 1);
    await sleep(20);
    expect(writes()).toHaveLength(1);
    expect(messages()).toEqual(['report API chosen']);
  });
});

it('the metrics of reports are there, and zero, while this replica does not lead', async () => {
  const own = new Registry();
  registerReportMetrics(() => undefined, [own]);
  const lines = (await own.metrics()).split('\n').filter((line) => line.startsWith('probewright_'));
  expect(lines).toEqual([
    'probewright_report_writes_total{result="written"} 0',
    'probewright_report_writes_total{result="deleted"} 0',
    'probewright_report_writes_total{result="failed"} 0',
    'probewright_reports_waiting 0',
    'probewright_reports_problem 0',
  ]);
});
