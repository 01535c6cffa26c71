import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { textAt, valueAt } from '../../../src/base/json/field-path.ts';
import { CLOSED_PARAM, MOST_LAYERS } from '../../../src/native/namespace-probes.ts';
import { waitUntil } from '../../cluster/client/wait-until.ts';
import { ask, ObservedCluster } from '../observed-cluster.ts';
import type { RunningObserver } from '../../../src/observer/observe.ts';

const GROUP = '/apis/probewright.dev/v1alpha1';
const CLUSTER_POLICIES = `${GROUP}/clusterprobepolicies`;
const paramsOf = (namespace: string): string => `${GROUP}/namespaces/${namespace}/namespaceprobes`;
const policiesOf = (namespace: string): string => `${GROUP}/namespaces/${namespace}/probepolicies`;
const endpoint = (path: string): object => ({ kubernetesProbeEndpoints: { livenessProbe: path } });
const policy = (path: string, name = 'own'): object => ({ metadata: { name }, spec: endpoint(path) });

let cluster: ObservedCluster;
let observer: RunningObserver;

const observe = async (): Promise<void> => {
  observer = await cluster.observe({ nativeParams: true, reports: 'none' });
};
beforeEach(async () => {
  cluster = await ObservedCluster.start();
});
afterEach(async () => {
  await cluster.stop();
});

const specOf = (namespace: string, name = 'effective'): unknown => cluster.api.get(paramsOf(namespace), name)?.['spec'];
const ofCluster = (): unknown => specOf('probewright', 'cluster');
const pathsIn = (spec: unknown): unknown =>
  ((valueAt(spec, ['layers']) ?? []) as readonly unknown[]).map((layer) =>
    textAt(layer, 'probes', 0, 'handler', 'fields', 'path'),
  );
const exceptions = (): unknown => valueAt(ofCluster(), ['except']);
/** Writes and deletions of params, as `PATCH shop/effective`. */
const writes = (): readonly string[] =>
  cluster.api.requests
    .filter(({ method, path }) => method !== 'GET' && path.includes('/namespaceprobes/'))
    .map(({ method, path }) => `${method} ${path.split('/').slice(-3).join('/').replace('/namespaceprobes', '')}`);
const until = (what: string, isSo: () => boolean): Promise<void> => waitUntil(what, isSo, 15_000);
const metric = async (name: string): Promise<number> => {
  const { body } = await ask(observer, '/metrics');
  return Number(
    body
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.slice(name.length + 1),
  );
};
const STATE = (state: string): string => `probewright_native_params{state="${state}"}`;
const untilMetric = async (name: string, isSo: (value: number) => boolean): Promise<void> => {
  while (!isSo(await metric(name))) await sleep(20);
};
/** All are as they should be, and the watch has told so. */
const untilCurrent = async (): Promise<void> => {
  await sleep(300);
  await untilMetric(STATE('stale'), (stale) => stale === 0);
};

describe('the params of the native policy', () => {
  it('are written for each namespace with policies, and for all others', async () => {
    cluster.api.put(CLUSTER_POLICIES, policy('/low'));
    cluster.api.put(policiesOf('shop'), policy('/own'));
    await observe();
    await until('both are written', () => specOf('shop') !== undefined && exceptions() !== undefined);
    expect(pathsIn(specOf('shop'))).toEqual(['/own', '/low']);
    expect(pathsIn(ofCluster())).toEqual(['/low']);
    await until('the namespace is left to its own', () => JSON.stringify(exceptions()) === '["shop"]');
    await untilCurrent();
    expect(await metric('probewright_native_params_current_timestamp_seconds')).toBeGreaterThan(1.7e9);
    expect(await metric(STATE('current'))).toBe(2);
  });

  it('of a namespace are there before the cluster leaves it out, and go after', async () => {
    await observe();
    await until('that of the cluster is there', () => ofCluster() !== undefined);
    cluster.api.put(policiesOf('shop'), policy('/own'));
    await until('the namespace is left out', () => JSON.stringify(exceptions()) === '["shop"]');
    cluster.api.remove(policiesOf('shop'), 'own');
    await until('its param has gone', () => specOf('shop') === undefined);
    expect(exceptions()).toEqual([]);
    expect(writes().filter((each, index, all) => each !== all[index - 1])).toEqual([
      'PATCH probewright/cluster',
      'PATCH shop/effective',
      'PATCH probewright/cluster',
      'DELETE shop/effective',
    ]);
  });

  it('follow a Service that says something against probes', async () => {
    await observe();
    await until('that of the cluster is there', () => ofCluster() !== undefined);
    const ports = [{ port: 80, targetPort: 8080, appProtocol: 'grpc' }];
    cluster.api.put('/api/v1/namespaces/shop/services', {
      metadata: { name: 'web' },
      spec: { selector: { app: 'web' }, ports },
    });
    await until('the Service is in the param', () => valueAt(specOf('shop'), ['services', 0, 'other', 0]) === 8080);
  });

  it('that somebody else has changed or deleted are written again, and told', async () => {
    cluster.api.put(policiesOf('shop'), policy('/own'));
    await observe();
    await until('the param is there', () => JSON.stringify(exceptions()) === '["shop"]');
    await untilCurrent();
    const right = specOf('shop');
    cluster.api.put(paramsOf('shop'), { metadata: { name: 'effective' }, spec: CLOSED_PARAM });
    await until('the change is overwritten', () => JSON.stringify(specOf('shop')) === JSON.stringify(right));
    await untilCurrent();
    cluster.api.remove(paramsOf('shop'), 'effective');
    await until('the object is there again', () => specOf('shop') !== undefined);
    const told = 'somebody else had changed NamespaceProbes: the object is overwritten';
    await until('both are told', () => cluster.logged(told).length === 2);
    expect(cluster.logged(told)[0]).toMatchObject({ namespace: 'shop', name: 'effective' });
    expect(await metric('probewright_native_param_writes_total{result="overwritten"}')).toBe(2);
  });

  it('of a namespace that needs none are deleted, and others of such a kind are left alone', async () => {
    for (const name of ['effective', 'mine'])
      cluster.api.put(paramsOf('shop'), { metadata: { name }, spec: CLOSED_PARAM });
    await observe();
    await until('the param has gone', () => specOf('shop') === undefined);
    expect(specOf('shop', 'mine')).toEqual(CLOSED_PARAM);
  });

  it('inject nothing where policies have too many layers, or where the API server refuses the object', async () => {
    for (let index = 0; index <= MOST_LAYERS; index += 1)
      cluster.api.put(policiesOf('many'), policy('/own', `p${index}`));
    cluster.api.put(policiesOf('large'), policy('/own'));
    cluster.api.intercept(({ method, path, body }) =>
      method === 'PATCH' && path.includes('/large/') && JSON.stringify(body).includes('/own')
        ? { status: 500, body: { kind: 'Status', code: 500, message: 'etcdserver: request is too large' } }
        : undefined,
    );
    await observe();
    await until('both are closed', () =>
      ['many', 'large'].every((namespace) => valueAt(specOf(namespace), ['layers', 0, 'closed']) === true),
    );
    expect(await metric(STATE('closed'))).toBe(2);
    // A refused version is tried again once the policies have changed.
    cluster.api.intercept(undefined);
    cluster.api.put(policiesOf('large'), policy('/other'));
    await until('there is room', () => String(pathsIn(specOf('large'))) === '/other');
  });

  it('are stale, and said to be, while they cannot be written', async () => {
    cluster.api.put(policiesOf('shop'), policy('/own'));
    await observe();
    await until('the param is there', () => JSON.stringify(exceptions()) === '["shop"]');
    cluster.api.intercept(({ method, path }) =>
      method === 'PATCH' && path.includes('/shop/') ? { status: 403, body: { kind: 'Status', code: 403 } } : undefined,
    );
    cluster.api.put(policiesOf('shop'), policy('/new'));
    await untilMetric(STATE('stale'), (stale) => stale > 0);
    expect(pathsIn(specOf('shop'))).toEqual(['/own']);
    await until('it is logged', () => cluster.logged('NamespaceProbes cannot be written now').length > 0);
    cluster.api.intercept(undefined);
    await until('it is current', () => String(pathsIn(specOf('shop'))) === '/new');
    await until('the end is logged', () => cluster.logged('NamespaceProbes can be written again').length > 0);
  });

  it('wait for a native policy that reads their version', async () => {
    const policies = '/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies';
    const metadata = { name: 'probewright-inject', labels: { 'probewright.dev/param-version': '0' } };
    cluster.api.put(policies, { metadata });
    cluster.api.put(policiesOf('shop'), policy('/own'));
    await observe();
    await until('it is told', () => cluster.logged('NamespaceProbes cannot be written now').length > 0);
    const { body } = await ask(observer, '/readyz');
    expect(JSON.parse(body)).toMatchObject({
      nativeParams: { policy: 'reads version 0', problem: expect.stringContaining('upgrade the chart') as string },
    });
    expect(writes()).toEqual([]);
  });

  it('are written by the leader alone, and by the next one at once', async () => {
    cluster.api.put(policiesOf('shop'), policy('/own'));
    await observe();
    await until('the param is there', () => JSON.stringify(exceptions()) === '["shop"]');
    await cluster.observe({ nativeParams: true, reports: 'none' });
    await untilCurrent();
    const before = writes().length;
    await observer.stop();
    cluster.api.put(policiesOf('shop'), policy('/new'));
    await until('the next leader has written', () => String(pathsIn(specOf('shop'))) === '/new');
    expect(writes().slice(before)).toEqual(['PATCH shop/effective']);
  });
});
