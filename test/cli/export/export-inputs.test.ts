import { afterEach, beforeEach, expect, it } from 'vitest';
import { textAt } from '../../../src/base/json/field-path.ts';
import { startFakeApiServer, type FakeApiServer, type Fault } from '../../cluster/client/fake-api-server.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { clusterPolicyDocument, policyDocument } from '../../support/worlds.ts';
import { discovery, POLICIES, writeKubeconfig, type DiscoveredKind } from '../input/discovery.ts';
import { runProbewright } from '../run-probewright.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const PROBEWRIGHT: readonly DiscoveredKind[] = [
  ...POLICIES,
  ['probewright.dev/v1alpha1', 'clusterprobepolicies', 'ClusterProbePolicy'],
];
const MUTATING: DiscoveredKind = [
  'admissionregistration.k8s.io/v1',
  'mutatingadmissionpolicies',
  'MutatingAdmissionPolicy',
];
const OF_POLICIES = '/apis/probewright.dev/v1alpha1';

let api: FakeApiServer;
let cluster: readonly string[];

beforeEach(async () => {
  api = await startFakeApiServer();
  answer([...PROBEWRIGHT, MUTATING]);
  api.put(`${OF_POLICIES}/clusterprobepolicies`, clusterPolicyDocument({ port: 80 }, 'base'));
  api.put(`${OF_POLICIES}/namespaces/apps/probepolicies`, policyDocument({ port: 'http' }, 'own', 'apps'));
  api.put('/api/v1/namespaces/apps/services', {
    metadata: { name: 'api', namespace: 'apps' },
    spec: { selector: { app: 'web' }, ports: [{ name: 'grpc', port: 80, targetPort: 'http' }] },
  });
  cluster = ['export', '--kubeconfig', await writeKubeconfig(await temporaryDirectory(), api, 'apps')];
});
afterEach(() => api.stop());

function answer(kinds: readonly DiscoveredKind[], forbidden = /^$/): void {
  const discover = discovery(kinds);
  const refusal: Fault = { status: 403, body: { kind: 'Status', code: 403, reason: 'Forbidden', message: 'no' } };
  api.intercept((request) => {
    if (forbidden.test(request.path)) return refusal;
    if (request.path === '/version') return { status: 200, body: { gitVersion: 'v1.33.2' } };
    return discover(request);
  });
}

const params = (stdout: string): readonly unknown[] =>
  (JSON.parse(stdout) as { items: JsonObject[] }).items
    .filter(({ kind }) => kind === 'NamespaceProbes')
    .map(({ metadata, spec }) => [
      textAt(metadata, 'namespace'),
      ((spec as JsonObject)['layers'] as JsonObject[]).map(({ source }) => source),
      ((spec as JsonObject)['services'] as JsonObject[]).length,
    ]);

it('reads the policies and Services of all namespaces of a cluster, and no workload', async () => {
  const { code, stdout } = await runProbewright([...cluster, '--from-cluster', '--output', 'json']);
  expect(code).toBe(0);
  expect(params(stdout)).toEqual([
    ['probewright', ['ClusterProbePolicy/base'], 0],
    ['apps', ['ProbePolicy/apps/own', 'ClusterProbePolicy/base'], 1],
  ]);
  const paths = api.requests.map(({ path }) => path);
  expect(paths.filter((path) => /pods|deployments|jobs|api\/v1\/namespaces$/.test(path))).toEqual([]);
});

it('puts policies in files below those of the cluster, as serve does', async () => {
  const { stdout } = await runProbewright([...cluster, '--policies', 'examples/policies', '--output', 'json']);
  expect(params(stdout)).toContainEqual([
    'apps',
    ['ProbePolicy/apps/own', 'ClusterProbePolicy/base', ...(await layersOfFiles())],
    1,
  ]);
});

async function layersOfFiles(): Promise<readonly string[]> {
  const { stdout } = await runProbewright(['export', '--policies', 'examples/policies', '--output', 'json']);
  const [, layers] = params(stdout).find((one) => (one as unknown[])[0] === 'apps') as [string, string[]];
  return layers;
}

it('names the version of a server without the kind, and prints nothing', async () => {
  answer(PROBEWRIGHT);
  const { code, stdout, stderr } = await runProbewright(cluster);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toBe(
    'probewright export: the cluster is Kubernetes v1.33.2, without MutatingAdmissionPolicy v1 (on by default since 1.36)\n',
  );
});

it('works without the right to list Services, and says what is lost', async () => {
  answer([...PROBEWRIGHT, MUTATING], /services$/);
  const { code, stderr } = await runProbewright(cluster);
  expect(code).toBe(0);
  expect(stderr).toContain('cluster: warning: cannot list services in all namespaces: forbidden\n');
  expect(stderr).toContain('without Services, the native policy may probe a port that a Service keeps');
});

it('prints no object when the policies of the cluster cannot be read', async () => {
  answer([...PROBEWRIGHT, MUTATING], /\/probepolicies$/);
  const refused = await runProbewright(cluster);
  expect([refused.code, refused.stdout]).toEqual([2, '']);
  expect(refused.stderr).toBe('cluster: cannot list probepolicies.probewright.dev in all namespaces: forbidden\n');
  answer([...PROBEWRIGHT, MUTATING], /admissionregistration/);
  const unknown = await runProbewright(cluster);
  expect([unknown.code, unknown.stdout]).toEqual([2, '']);
  expect(unknown.stderr).toContain('cannot list the resources of admissionregistration.k8s.io/v1: forbidden');
});
