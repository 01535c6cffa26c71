import { afterEach, beforeEach, expect, it } from 'vitest';
import { startFakeApiServer, type FakeApiServer } from '../../cluster/client/fake-api-server.ts';
import { BUILT_INS, discovery, POLICIES, writeKubeconfig } from '../input/discovery.ts';
import { runProbewright, type Ran } from '../run-probewright.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

let directory: string;
let api: FakeApiServer;
beforeEach(async () => {
  directory = await temporaryDirectory();
  api = await startFakeApiServer();
  api.intercept(discovery([...BUILT_INS, ...POLICIES]));
  api.put('/api/v1/namespaces', { metadata: { name: 'apps' } });
  for (const [resource, kind, name] of [
    ['deployments', 'Deployment', 'web'],
    ['deployments', 'Deployment', 'worker'],
    ['statefulsets', 'StatefulSet', 'web'],
  ] as const) {
    api.put(`/apis/apps/v1/namespaces/apps/${resource}`, { apiVersion: 'apps/v1', kind, metadata: { name } });
    api.put('/apis/probewright.dev/v1alpha1/namespaces/apps/startupprofiles', profile(kind, name));
  }
});
afterEach(async () => {
  await api.stop();
});

function profile(kind: string, name: string): object {
  const sample = { seconds: 20, basis: 'startup', at: '2026-11-20T10:00:00Z', id: 'a' };
  return {
    metadata: { name: `${kind.toLowerCase()}-${name}` },
    status: { workload: { apiVersion: 'apps/v1', kind, name }, containers: [{ name: 'app', samples: [sample] }] },
  };
}

/** Runs `starts` with these names in namespace apps of the cluster. */
async function startsOf(...names: string[]): Promise<Ran> {
  const kubeconfig = await writeKubeconfig(directory, api, 'apps');
  return await runProbewright(['starts', '--kubeconfig', kubeconfig, '--output', 'json', ...names]);
}

function workloadsIn(stdout: string): string[] {
  const { starts } = JSON.parse(stdout) as { starts: { kind: string; name: string }[] };
  return starts.map(({ kind, name }) => `${kind}/${name}`);
}

it('prints the profiles of the named workloads only: another kind of the same name is another workload', async () => {
  const named = await startsOf('deploy/web');
  expect([named.code, named.stderr, workloadsIn(named.stdout)]).toEqual([0, '', ['Deployment/web']]);
  const two = await startsOf('deploy/worker', 'sts/web');
  expect(workloadsIn(two.stdout)).toEqual(['Deployment/worker', 'StatefulSet/web']);
});

it('prints all profiles of the namespace without a name', async () => {
  expect(workloadsIn((await startsOf()).stdout)).toEqual(['Deployment/web', 'Deployment/worker', 'StatefulSet/web']);
});

it('prints the profile of a workload that is gone only where none is named', async () => {
  api.put('/apis/probewright.dev/v1alpha1/namespaces/apps/startupprofiles', profile('Deployment', 'gone'));
  expect(workloadsIn((await startsOf()).stdout)).toContain('Deployment/gone');
  expect(workloadsIn((await startsOf('deploy/web')).stdout)).toEqual(['Deployment/web']);
});

it.each([
  ['deploy/none', 'cluster: deployments.apps "none" in namespace apps does not exist\n'],
  [
    'widgets/web',
    'cluster: the cluster has no kind of workload "widgets"; it has pods, deployments, statefulsets, replicasets, jobs\n',
  ],
])('ends with 2 and says why when %s cannot be found', async (name, message) => {
  const { code, stdout, stderr } = await startsOf(name);
  expect([code, workloadsIn(stdout), stderr]).toEqual([2, [], message]);
});
