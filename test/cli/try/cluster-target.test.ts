import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { clusterTarget } from '../../../src/cli/try/cluster-target.ts';
import { startFakeApiServer, type FakeApiServer } from '../../cluster/client/fake-api-server.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { writeKubeconfig } from '../input/discovery.ts';
import type { Target } from '../../../src/cli/try/target.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const PODS = '/api/v1/namespaces/shop/pods';

let api: FakeApiServer;
beforeEach(async () => {
  api = await startFakeApiServer();
});
afterEach(() => api.stop());

const labels = { app: 'web' };
const deployment: JsonObject = {
  ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace: 'shop' } },
  spec: { selector: { matchLabels: labels } },
};

/** A Pod of the workload. */
function podIs(name: string, more: JsonObject = {}, phase = 'Running'): void {
  const metadata = { name, namespace: 'shop', labels };
  const { status = {}, ...others } = more as { status?: object };
  api.put(PODS, { metadata, ...others, status: { phase, podIP: '10.0.0.7', ...status } });
}

async function targetOf(objects: readonly JsonObject[], pod?: string): Promise<Target> {
  const kubeconfig = await writeKubeconfig(await temporaryDirectory(), api, 'shop');
  const flags = { kubeconfig, context: undefined, pod };
  const texts = [{ manifests: objects.map((object) => ({ object })) }];
  return clusterTarget(
    { flags } as never,
    { manifests: { texts }, world: { namespace: 'shop' } } as never,
    { env: {} } as never,
  );
}

describe('the Pod of a workload', () => {
  it('is the newest that runs', async () => {
    const began = (name: string, minute: string, phase = 'Running'): JsonObject => ({
      metadata: { name, labels, creationTimestamp: `2026-11-20T10:${minute}:00Z` },
      status: { phase, podIP: '10.0.0.7' },
    });
    const items = [began('web-1', '01'), began('web-3', '03'), began('web-2', '02'), began('web-4', '04', 'Pending')];
    api.intercept(({ path }) => (path === PODS ? { status: 200, body: { kind: 'PodList', items } } : undefined));
    expect(await targetOf([deployment])).toMatchObject({ name: 'Pod shop/web-3', host: '10.0.0.7' });
  });

  it('is the one that --pod names, or the Pod itself', async () => {
    podIs('web-1');
    podIs('web-2');
    expect((await targetOf([deployment], 'web-1')).name).toBe('Pod shop/web-1');
    const itself = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web-1', namespace: 'shop' } };
    expect((await targetOf([itself])).name).toBe('Pod shop/web-1');
  });

  it.each<[string, JsonObject]>([
    ['the selector', { selector: { matchLabels: labels }, template: { metadata: { labels: { app: 'other' } } } }],
    ['the template of a Job', { template: { metadata: { labels } } }],
    ['the template of a CronJob', { jobTemplate: { spec: { template: { metadata: { labels } } } } }],
  ])('is selected by the labels of %s', async (_, spec) => {
    podIs('web-1');
    expect((await targetOf([{ ...deployment, spec }])).name).toBe('Pod shop/web-1');
    expect(api.requests.find(({ path }) => path === PODS)?.query['labelSelector']).toBe('app=web');
  });

  it('is asked for where there is no label, no running Pod, or more than one workload', async () => {
    podIs('web-1', {}, 'Pending');
    await expect(targetOf([{ ...deployment, spec: {} }])).rejects.toThrow(
      'the workload selects its Pods by no label: name one with --pod',
    );
    await expect(targetOf([deployment])).rejects.toThrow(
      'no running Pod with the labels app=web; to see why, run "probewright explain -n shop deployment/web"',
    );
    for (const objects of [[], [deployment, deployment]])
      await expect(targetOf(objects)).rejects.toThrow('name one workload of the cluster, such as -n shop deploy/web');
  });
});

describe('the run of a container of a Pod', () => {
  const running = (name: string, ready: boolean): JsonObject => ({
    ...{ name, ready, state: { running: { startedAt: '2026-11-20T10:00:05Z' } } },
  });

  it('has its start, and is ready where a readiness probe has said so', async () => {
    podIs('web-1', {
      spec: {
        containers: [{ name: 'app', readinessProbe: {} }, { name: 'plain' }, { name: 'slow', readinessProbe: {} }],
        initContainers: [{ name: 'proxy', readinessProbe: {} }],
      },
      status: {
        containerStatuses: [running('app', true), running('plain', true), running('slow', false)],
        initContainerStatuses: [running('proxy', true)],
      },
    });
    const target = await targetOf([deployment]);
    const startedAt = Date.parse('2026-11-20T10:00:05Z');
    const runs: unknown[] = [];
    for (const name of ['app', 'plain', 'slow', 'proxy', 'gone']) runs.push(await target.runOf?.(name));
    expect(runs).toEqual([
      { startedAt, isReady: true },
      { startedAt },
      { startedAt },
      { startedAt, isReady: true },
      {},
    ]);
  });

  it('is that of the same Pod as before, though a newer one runs', async () => {
    podIs('web-1', { status: { containerStatuses: [running('app', true)] } });
    const target = await targetOf([deployment]);
    podIs('web-2');
    expect(await target.runOf?.('app')).toEqual({ startedAt: Date.parse('2026-11-20T10:00:05Z') });
  });
});
