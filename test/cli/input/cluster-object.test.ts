import { expect, it } from 'vitest';
import {
  clusterPlace,
  clusterProblem,
  clusterText,
  isInCluster,
  placeOfObject,
  placeText,
} from '../../../src/cli/input/cluster-object.ts';
import { manifestsOf } from '../../../src/cli/input/manifests.ts';
import type { ClusterKind } from '../../../src/cluster/sources/cluster-kinds.ts';
import type { KubernetesObject } from '../../../src/cluster/client/kubernetes-object.ts';

const DEPLOYMENTS = {
  group: 'apps',
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  resource: 'deployments',
  isNamespaced: true,
  names: [],
} as unknown as ClusterKind;
const objectNamed = (name: string, namespace?: string): KubernetesObject => ({
  metadata: { name, ...(namespace !== undefined && { namespace }) },
});

it.each([
  ['apps/v1', 'Deployment', 'apps', 'cluster:apps/deployment/web'],
  ['v1', 'Pod', 'apps', 'cluster:apps/pod/web'],
  ['probewright.dev/v1alpha1', 'ProbePolicy', 'apps', 'cluster:apps/probepolicy/web'],
  ['probewright.dev/v1alpha1', 'ClusterProbePolicy', undefined, 'cluster:clusterprobepolicy/web'],
  ['argoproj.io/v1alpha1', 'Rollout', 'apps', 'cluster:apps/rollout.argoproj.io/web'],
  ['other.dev/v1', 'Deployment', 'apps', 'cluster:apps/deployment.other.dev/web'],
])('the place of a %s %s in namespace %s is %s', (apiVersion, kind, namespace, place) =>
  expect(clusterPlace(objectNamed('web', namespace), { apiVersion, kind })).toBe(place),
);

it('an object of a cluster has its kind, and neither a status nor what writers of fields leave', () => {
  const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';
  const metadata = {
    name: 'web',
    namespace: 'apps',
    managedFields: [],
    annotations: { [lastApplied]: '{}', own: 'a' },
  };
  const { file, text, manifests } = clusterText(
    { metadata, spec: { replicas: 1 }, status: {} } as unknown as KubernetesObject,
    DEPLOYMENTS,
  );
  expect([file, text]).toEqual(['cluster:apps/deployment/web', '']);
  expect(manifests.map(({ object, path }) => [object, path])).toEqual([
    [
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'web', namespace: 'apps', annotations: { own: 'a' } },
        spec: { replicas: 1 },
      },
      [],
    ],
  ]);
  const [plain] = clusterText(objectNamed('web'), DEPLOYMENTS).manifests;
  expect(plain?.object).toEqual({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' } });
});

it('each field of an object of a cluster is at the place of the object', () => {
  const [manifest] = clusterText(objectNamed('web', 'apps'), DEPLOYMENTS).manifests;
  const { document } = manifest ?? {};
  expect(document?.index).toBe(0);
  expect(document?.position(['spec', 'replicas'])).toEqual({ line: 1, column: 1 });
  expect(document?.lastLine([])).toBe(1);
  expect(document?.plainScalar([])).toBeUndefined();
});

it('a place has no line in a cluster only; files of policies beside a cluster have lines', () => {
  const fromCluster = { isFromCluster: true };
  const place = 'cluster:apps/pod/web';
  expect([place, 'cluster', 'clusters.yaml', 'a.yaml'].map((file) => isInCluster(file, fromCluster))).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect([isInCluster(place, {}), isInCluster(place, { isFromCluster: false })]).toEqual([false, false]);
  expect(placeText({ file: place, line: 3 }, fromCluster)).toBe(place);
  expect(placeText({ file: 'a.yaml', line: 3 }, fromCluster)).toBe('a.yaml:3');
});

it('the place of an object has line and column in a file', () => {
  const [ofFile] = manifestsOf({ file: 'a.yaml', text: '\nkind: Pod\n' }).manifests;
  const [ofCluster] = clusterText(objectNamed('web', 'apps'), DEPLOYMENTS).manifests;
  const places = [ofFile, ofCluster].map((manifest) => manifest && placeOfObject(manifest, { isFromCluster: true }));
  expect(places).toEqual(['a.yaml:2:1', 'cluster:apps/deployment/web']);
});

it('a problem of the cluster as a whole is at its beginning', () => {
  expect(clusterProblem('no')).toEqual({ file: 'cluster', line: 1, column: 1, message: 'no' });
});
