import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../src/cluster/client/api-client.ts';
import { FailingWorkloads } from '../../../src/observer/failing/failing-workloads.ts';
import { StartsPart } from '../../../src/observer/starts/starts-part.ts';
import { KNOWN_KINDS } from '../../../src/engine/workload/kinds.ts';
import { waitUntil } from '../../cluster/client/wait-until.ts';
import { ms, podSaid } from './pod-events.ts';
import type { ApiClient, ApiRequest } from '../../../src/cluster/client/api-client.ts';
import type { KubernetesObject } from '../../../src/cluster/client/kubernetes-object.ts';
import type { PodListener } from '../../../src/observer/pod-watch.ts';

/** The profiles whose status a leading observer writes after a start of each workload, in this order. */
async function written(
  workloads: readonly (readonly [namespace: string, name: string])[],
  answers: (path: string, method: string) => unknown,
  isDone: (profiles: readonly string[]) => boolean,
  owner = { apiVersion: 'apps/v1', kind: 'StatefulSet' },
  monotonic: () => number = () => performance.now(),
): Promise<readonly string[]> {
  const listeners: PodListener[] = [];
  const profiles: string[] = [];
  const request = ({ method, path }: ApiRequest): Promise<unknown> => {
    const answer = answers(path, method);
    if (answer instanceof Error) return Promise.reject(answer);
    if (answer !== undefined) return Promise.resolve(answer);
    if (method === 'PUT') profiles.push(path.split('/').slice(-4, -1).join('/'));
    return Promise.resolve({ metadata: { resourceVersion: '1' } });
  };
  const context = {
    client: { request } as unknown as ApiClient,
    log: pino({ level: 'silent' }),
    now: () => ms(100),
    monotonic,
    random: Math.random,
    podWatch: { listen: (listener: PodListener) => void listeners.push(listener) },
    kinds: KNOWN_KINDS,
    failing: new FailingWorkloads(),
    registers: [],
  };
  const part = new StartsPart(context, 20);
  const container = { name: 'app', startupProbe: { tcpSocket: { port: 80 } } };
  workloads.forEach(([namespace, name], index) => {
    const ownerReferences = [{ ...owner, name, uid: 'x', controller: true }];
    const metadata = { namespace, uid: `pod-${index}`, ownerReferences };
    const unready = { isTrue: false, since: 1 };
    const events = [
      [0, podSaid([container], [{}], unready, metadata)],
      [11, podSaid([container], [{ id: 'a', startedAt: 10 }], unready, metadata)],
      [
        42,
        podSaid(
          [container],
          [{ id: 'a', startedAt: 10, started: true, ready: true }],
          { isTrue: true, since: 41 },
          metadata,
        ),
      ],
    ] as const;
    for (const [second, pod] of events)
      for (const listener of listeners) listener.seen(pod as unknown as KubernetesObject, ms(second));
  });
  part.lead(true);
  part.start();
  try {
    await waitUntil('the profiles are written', () => isDone(profiles));
  } finally {
    part.stop();
  }
  return profiles;
}

describe('learned starts', () => {
  it('are written, although the profiles of another namespace are refused', async () => {
    const refused = new ApiError(403, 'Forbidden', 'a quota of the namespace');
    const profiles = await written(
      [
        ['tenant', 'a'],
        ['tenant', 'b'],
        ['victim', 'web'],
      ],
      (path) => (path.includes('/tenant/') ? refused : undefined),
      ({ length }) => length > 0,
    );
    expect(profiles).toEqual(['victim/startupprofiles/statefulset-web']);
  });

  it('are written in turns of namespaces', async () => {
    const many = Array.from({ length: 60 }, (_, index) => ['tenant', `w-${index}`] as const);
    const profiles = await written(
      [...many, ['victim', 'web']],
      () => undefined,
      ({ length }) => length >= 3,
    );
    expect(profiles.slice(0, 3)).toEqual([
      'tenant/startupprofiles/statefulset-w-0',
      'victim/startupprofiles/statefulset-web',
      'tenant/startupprofiles/statefulset-w-1',
    ]);
  });

  it('are in a new profile of a workload that the cluster has, and in none of one that has gone', async () => {
    const version = { groupVersion: 'apps/v1', version: 'v1' };
    const served: Readonly<Record<string, unknown>> = {
      '/apis': { groups: [{ name: 'apps', versions: [version], preferredVersion: version }] },
      '/apis/apps/v1': { resources: [{ name: 'statefulsets', kind: 'StatefulSet', namespaced: true }] },
      '/apis/apps/v1/namespaces/shop/statefulsets/web': { apiVersion: 'apps/v1', metadata: { uid: 'own' } },
    };
    const profiles = await written(
      [
        ['shop', 'gone'],
        ['shop', 'web'],
        ['shop', 'known'],
      ],
      (path, method) => {
        const isNew = method === 'GET' && /\/statefulset-(?:gone|web)$/.test(path);
        const isGone = path.endsWith('/statefulsets/gone');
        return isNew || isGone ? new ApiError(404, 'NotFound', 'none') : served[path];
      },
      (names) => names.includes('shop/startupprofiles/statefulset-known'),
    );
    expect(profiles).toEqual(['shop/startupprofiles/statefulset-web', 'shop/startupprofiles/statefulset-known']);
  });

  it('are written although the API server did not say at first that it has the kind', async () => {
    const apiVersion = 'argoproj.io/v1alpha1';
    const version = { groupVersion: apiVersion, version: 'v1alpha1' };
    const served: Readonly<Record<string, unknown>> = {
      '/apis': { groups: [{ name: 'argoproj.io', versions: [version], preferredVersion: version }] },
      [`/apis/${apiVersion}`]: { resources: [{ name: 'rollouts', kind: 'Rollout', namespaced: true }] },
      [`/apis/${apiVersion}/namespaces/shop/rollouts/web`]: { apiVersion, metadata: { uid: 'own' } },
    };
    let [asked, minutes] = [0, 0];
    const profiles = await written(
      [
        ['shop', 'early'],
        ['shop', 'web'],
      ],
      (path, method) => {
        if (path === `/apis/${apiVersion}` && asked++ === 0) return new ApiError(429, '', 'busy');
        return method === 'GET' && path.includes('/startupprofiles/') ? new ApiError(404, '', 'none') : served[path];
      },
      ({ length }) => length > 0,
      { apiVersion, kind: 'Rollout' },
      // Another minute, each time.
      () => (minutes += 1) * 60_000,
    );
    expect(profiles).toEqual(['shop/startupprofiles/rollout-web']);
  });
});
