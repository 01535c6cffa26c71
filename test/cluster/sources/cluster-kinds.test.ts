import { expect, it } from 'vitest';
import { BUILT_IN_CLUSTER_KINDS } from '../../../src/cluster/sources/cluster-kinds.ts';

it('the built-in kinds of a cluster have the names that kubectl takes', () => {
  const names = new Map(BUILT_IN_CLUSTER_KINDS.map((kind) => [`${kind.apiVersion}/${kind.kind}`, kind.names]));
  expect(names.get('apps/v1/Deployment')).toEqual(['deployments', 'deployment', 'deploy']);
  expect(names.get('v1/Pod')).toEqual(['pods', 'pod', 'po']);
  expect(names.get('batch/v1/Job')).toEqual(['jobs', 'job']);
  expect(BUILT_IN_CLUSTER_KINDS.every(({ isNamespaced, resource }) => isNamespaced && resource.endsWith('s'))).toBe(
    true,
  );
});
