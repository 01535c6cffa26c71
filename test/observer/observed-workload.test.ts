import { expect, it } from 'vitest';
import { isOfController, versionOf, workloadOf } from '../../src/observer/observed-workload.ts';
import type { ClusterKind } from '../../src/cluster/sources/cluster-kinds.ts';

const SERVED = { group: 'apps', apiVersion: 'apps/v1', kind: 'Deployment' };
const read = (metadata: object): unknown =>
  workloadOf({ metadata: { name: 'web', ...metadata } }, { served: SERVED } as unknown as Parameters<
    typeof workloadOf
  >[1]);

it('an object is a workload by its namespace, its name and its UID', () => {
  expect(read({ namespace: 'apps', uid: 'u1' })).toEqual({ ...SERVED, namespace: 'apps', name: 'web', uid: 'u1' });
});

it.each([{ uid: 'u1' }, { namespace: 'apps' }, { namespace: 'apps', uid: '' }, { namespace: 'apps', uid: 1 }, {}])(
  'an object with %j has no report',
  (metadata) => expect(read(metadata)).toBeUndefined(),
);

it('a version is a number of etcd, and nothing else', () => {
  const versions = ['42', '', '4e2', '-1', ' 1'];
  expect(versions.map((resourceVersion) => versionOf({ metadata: { name: 'web', resourceVersion } }))).toEqual([
    42,
    NaN,
    NaN,
    NaN,
    NaN,
  ]);
});

it.each([
  ['Pod', '', true, true],
  ['Pod', '', false, false],
  ['Job', 'batch', true, true],
  ['ReplicaSet', 'apps', true, true],
  ['Deployment', 'apps', true, false],
  ['Job', 'example.com', true, false],
])('a %s of group "%s" with a controller %s is made by the controller: %s', (kind, itsGroup, controller, isMade) => {
  const object = { metadata: { name: 'x', ownerReferences: [{ apiVersion: 'v1', kind: 'Y', name: 'y', controller }] } };
  expect(isOfController(object, { group: itsGroup, kind } as ClusterKind)).toBe(isMade);
});
