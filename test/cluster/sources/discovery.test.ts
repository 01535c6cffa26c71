import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../src/cluster/client/api-client.ts';
import { BUILT_IN_CLUSTER_KINDS, type ClusterKind } from '../../../src/cluster/sources/cluster-kinds.ts';
import { discoverKinds, type ClusterKinds } from '../../../src/cluster/sources/discovery.ts';
import { BUILT_IN_KINDS, type WorkloadKind } from '../../../src/engine/workload/kinds.ts';
import { AnsweringClient } from '../client/answering-client.ts';

const ROLLOUT: WorkloadKind = { group: 'argoproj.io', kind: 'Rollout', templatePaths: [], runsToCompletion: false };
const known = [...BUILT_IN_KINDS, ROLLOUT];
const resource = (name: string, kind: string, rest: object = {}): object => ({
  name,
  kind,
  singularName: '',
  namespaced: true,
  ...rest,
});
const group = (name: string, ...versions: string[]): object => ({
  name,
  versions: versions.map((version) => ({ groupVersion: `${name}/${version}` })),
  preferredVersion: { groupVersion: `${name}/${versions[0] ?? ''}` },
});
const refused = (code: number): never => {
  throw new ApiError(code, '', `HTTP ${code}`);
};

/** What is discovered of an API server with these answers by path. A function throws. */
async function discovered(answers: Readonly<Record<string, unknown>>): Promise<ClusterKinds & { paths: string[] }> {
  const client = new AnsweringClient(({ path }) => {
    const answer = path in answers ? answers[path] : refused(404);
    return typeof answer === 'function' ? (answer as () => unknown)() : answer;
  });
  const found = await discoverKinds(client, known);
  return { ...found, paths: client.requests.map(({ path }) => path) };
}

const APIS = { groups: [group('apps', 'v1'), group('argoproj.io', 'v1alpha1'), group('example.com', 'v1')] };
const CORE = { resources: [resource('pods', 'Pod', { singularName: 'pod', shortNames: ['po'] })] };
const APPS = {
  resources: [
    resource('deployments', 'Deployment', { shortNames: ['deploy', 3, ''] }),
    resource('deployments/scale', 'StatefulSet'),
    resource('', 'DaemonSet'),
    { name: 'broken' },
    resource('configs', 'Config'),
  ],
};
const ROLLOUTS = { resources: [resource('rollouts', 'Rollout', { namespaced: 'yes' })] };

describe('the kinds of a cluster', () => {
  it('are the known ones that the API server has, with the names that it gives them', async () => {
    const found = await discovered({
      '/apis': APIS,
      '/api/v1': CORE,
      '/apis/apps/v1': APPS,
      '/apis/argoproj.io/v1alpha1': ROLLOUTS,
    });
    expect(found.kinds).toEqual([
      {
        group: '',
        apiVersion: 'v1',
        kind: 'Pod',
        resource: 'pods',
        names: ['pods', 'pod', 'pod', 'po'],
        isNamespaced: true,
      },
      {
        group: 'apps',
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        resource: 'deployments',
        names: ['deployments', 'deployment', 'deploy'],
        isNamespaced: true,
      },
      expect.objectContaining({ kind: 'Rollout', apiVersion: 'argoproj.io/v1alpha1', isNamespaced: false }),
    ]);
    expect(found.problems).toEqual([]);
    expect(found.groups).toEqual(
      new Map([
        ['apps', ['apps/v1']],
        ['argoproj.io', ['argoproj.io/v1alpha1']],
        ['example.com', ['example.com/v1']],
      ]),
    );
    // The group without a known kind is not asked for its resources.
    expect(found.paths).toEqual(['/apis', '/api/v1', '/apis/apps/v1', '/apis/argoproj.io/v1alpha1']);
  });

  it('have the preferred version first, and of each kind the first version that has it', async () => {
    const argo = { ...group('argoproj.io', 'v1', 'v2'), preferredVersion: { groupVersion: 'argoproj.io/v2' } };
    const found = await discovered({
      '/apis': { groups: [argo, { versions: [] }] },
      '/api/v1': CORE,
      '/apis/argoproj.io/v1': ROLLOUTS,
      '/apis/argoproj.io/v2': ROLLOUTS,
    });
    expect(found.groups?.get('argoproj.io')).toEqual(['argoproj.io/v2', 'argoproj.io/v1']);
    expect(found.kinds.map(({ apiVersion }) => apiVersion)).toEqual(['v1', 'argoproj.io/v2']);
  });

  it('are the built-in ones where the groups cannot be listed', async () => {
    const found = await discovered({ '/apis': () => refused(403) });
    expect(found).toEqual({
      kinds: BUILT_IN_CLUSTER_KINDS,
      groups: undefined,
      problems: ['cannot list the API groups: forbidden'],
      paths: ['/apis'],
    });
  });

  it('of a version that cannot be listed are its built-in ones', async () => {
    const found = await discovered({
      '/apis': APIS,
      '/api/v1': () => refused(500),
      '/apis/apps/v1': () => refused(403),
      '/apis/argoproj.io/v1alpha1': ROLLOUTS,
    });
    expect(found.problems).toEqual([
      'cannot list the resources of v1: HTTP 500',
      'cannot list the resources of apps/v1: forbidden',
    ]);
    expect(found.kinds.map(({ kind }) => kind)).toEqual([
      'Pod',
      'Deployment',
      'StatefulSet',
      'DaemonSet',
      'ReplicaSet',
      'ReplicationController',
      'PodTemplate',
      'Rollout',
    ]);
  });

  it('are unknown when the credentials are refused, or without contact', async () => {
    await expect(discovered({ '/apis': () => refused(401) })).rejects.toThrow('HTTP 401');
    const lost = (): never => {
      throw new Error('connect ECONNREFUSED');
    };
    await expect(discovered({ '/apis': lost })).rejects.toThrow('ECONNREFUSED');
  });
});

it('at most five versions are asked for at once', async () => {
  let [running, most] = [0, 0];
  const versions = Array.from({ length: 20 }, (_, index) => `v${index}`);
  const client = new AnsweringClient(async ({ path }) => {
    if (path === '/apis') return { groups: [group('apps', ...versions)] };
    running += 1;
    most = Math.max(most, running);
    await setImmediate();
    running -= 1;
    return {};
  });
  await discoverKinds(client, known);
  expect([client.requests.length, most]).toEqual([22, 5]);
});

it('the built-in kinds have the names that kubectl knows', () => {
  const of = (wanted: string): ClusterKind | undefined => BUILT_IN_CLUSTER_KINDS.find(({ kind }) => kind === wanted);
  expect(of('CronJob')).toEqual({
    group: 'batch',
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    resource: 'cronjobs',
    names: ['cronjobs', 'cronjob', 'cj'],
    isNamespaced: true,
  });
  expect([of('Pod')?.apiVersion, of('PodTemplate')?.names]).toEqual(['v1', ['podtemplates', 'podtemplate']]);
});
