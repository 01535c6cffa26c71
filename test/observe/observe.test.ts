import { get } from 'node:http';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startObserver } from '../../src/observe/observe.ts';
import { createLogger } from '../../src/running/log.ts';
import { startFakeApiServer } from '../kubernetes/fake-api-server.ts';
import { waitUntil } from '../kubernetes/wait-until.ts';
import type { ObserveConfig } from '../../src/observe/config.ts';
import type { RunningObserver } from '../../src/observe/observe.ts';
import type { FakeApiServer } from '../kubernetes/fake-api-server.ts';

let api: FakeApiServer;
let directory: string;
const running: RunningObserver[] = [];
let lines: Record<string, unknown>[];

beforeEach(async () => {
  api = await startFakeApiServer();
  directory = await mkdtemp(join(tmpdir(), 'observe-'));
  lines = [];
  const clusters = [{ name: 'fake', cluster: { server: api.access.server, 'insecure-skip-tls-verify': true } }];
  const contexts = [{ name: 'fake', context: { cluster: 'fake', user: 'fake', namespace: 'probewright' } }];
  const kubeconfig = { 'current-context': 'fake', clusters, contexts, users: [{ name: 'fake', user: {} }] };
  await writeFile(join(directory, 'config'), JSON.stringify(kubeconfig));
});
afterEach(async () => {
  for (const observer of running.splice(0)) await observer.stop();
  await api.stop();
  await rm(directory, { recursive: true });
});

async function start(changes: Partial<ObserveConfig> = {}): Promise<RunningObserver> {
  const config: ObserveConfig = {
    policies: undefined,
    host: '127.0.0.1',
    healthPort: 0,
    dashboardPort: undefined,
    enforcement: 'Deny',
    mutation: 'On',
    logLevel: 'info',
    workloadKinds: undefined,
    scanInterval: 3_600_000,
    webhookConfiguration: 'probewright',
    reports: 'none',
    reportsIncludeClean: false,
    learnsStarts: false,
    cluster: {
      kubeconfig: join(directory, 'config'),
      namespace: undefined,
      lease: 'probewright-observer',
      leaseDuration: 6000,
      leaseRenew: 100,
      watchRenewal: 60_000,
      readsServices: true,
      policyBudget: 64 * 1024 * 1024,
    },
    ...changes,
  };
  const log = createLogger('info', { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) });
  const clocks = { log, now: () => Date.now(), monotonic: () => performance.now() };
  const observer = await startObserver(config, clocks);
  running.push(observer);
  return observer;
}

function ask(
  { healthPort }: RunningObserver,
  path: string,
  port = healthPort,
): Promise<{ readonly code: number; readonly body: string }> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, agent: false }, (response) => {
      let body = '';
      response
        .setEncoding('utf8')
        .on('data', (chunk: string) => (body += chunk))
        .on('end', () => {
          resolve({ code: response.statusCode ?? 0, body });
        });
    }).on('error', reject);
  });
}

const holder = (): unknown => {
  const lease = api.get('/apis/coordination.k8s.io/v1/namespaces/probewright/leases', 'probewright-observer');
  return (lease?.['spec'] as Record<string, unknown> | undefined)?.['holderIdentity'];
};

describe('the observer', () => {
  it('is ready once it has read the policies, and leads by a Lease of its own', async () => {
    const observer = await start();
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
    await api.pause();
    const observer = await start();
    expect((await ask(observer, '/livez')).code).toBe(200);
    expect((await ask(observer, '/readyz')).code).toBe(503);
    await api.resume();
    await observer.started;
    expect((await ask(observer, '/readyz')).code).toBe(200);
  });

  it('gives the Lease back when it stops, and another replica takes over', async () => {
    const first = await start();
    await waitUntil('the first leads', () => typeof holder() === 'string' && holder() !== '');
    const before = holder();
    await start();
    await first.stop();
    await waitUntil('the second leads', () => holder() !== before && holder() !== '');
    expect(lines.filter(({ msg }) => msg === 'stopped')).toHaveLength(1);
  });

  it('writes no status of a policy', async () => {
    const spec = { defaults: { startup: 'nonsense' } };
    api.put('/apis/probewright.dev/v1alpha1/namespaces/shop/probepolicies', { metadata: { name: 'bad' }, spec });
    const observer = await start();
    await observer.started;
    await waitUntil('there is a leader', () => typeof holder() === 'string');
    const writes = api.requests.filter(({ method }) => method !== 'GET');
    expect([...new Set(writes.map(({ path }) => path.replace(/.*\//, '')))]).toEqual(['leases']);
  });

  it('shows a page about all workloads, and reads them at most once in 30 s for all who ask', async () => {
    const template = { metadata: { labels: {} }, spec: { containers: [{ name: 'app', livenessProbe: { exec: {} } }] } };
    for (const name of ['web', 'api'])
      api.put('/apis/apps/v1/namespaces/shop/deployments', { metadata: { name }, spec: { template } });
    const observer = await start({ dashboardPort: 0 });
    await observer.started;
    const pages = await Promise.all(Array.from({ length: 20 }, () => ask(observer, '/', observer.dashboardPort)));
    expect(new Set(pages.map(({ code }) => code))).toEqual(new Set([200]));
    expect(new Set(pages.map(({ body }) => body)).size).toBe(1);
    const rows = pages[0]?.body.match(/<b>\w+<\/b> <small>\w+<\/small>/g);
    expect(rows).toEqual(['<b>api</b> <small>Deployment</small>', '<b>web</b> <small>Deployment</small>']);
    const lists = api.requests.filter(({ path, query }) => path === '/apis/apps/v1/deployments' && !('watch' in query));
    expect(lists).toHaveLength(1);
    expect((await ask(observer, '/healthz', observer.dashboardPort)).code).toBe(404);
  });

  it('has no page unless it is asked for', async () => {
    expect((await start()).dashboardPort).toBeUndefined();
  });
});
