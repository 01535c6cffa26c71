import { expect, it } from 'vitest';
import { versionOf, workloadOf } from '../../src/observer/observed-workload.ts';

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
