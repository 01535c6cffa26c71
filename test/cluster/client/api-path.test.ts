import { expect, it } from 'vitest';
import {
  collectionPath,
  objectPath,
  POLICY_COLLECTIONS,
  versionPath,
  webhookConfigurations,
} from '../../../src/cluster/client/api-path.ts';

const DEPLOYMENTS = { apiVersion: 'apps/v1', resource: 'deployments' };

it('the core group has another root than the other groups', () => {
  expect(['v1', 'apps/v1'].map(versionPath)).toEqual(['/api/v1', '/apis/apps/v1']);
});

it('a collection is that of a namespace, or of all', () => {
  expect(collectionPath(DEPLOYMENTS, 'shop')).toBe('/apis/apps/v1/namespaces/shop/deployments');
  expect(collectionPath(DEPLOYMENTS)).toBe('/apis/apps/v1/deployments');
});

it('an object is below its collection, in its namespace if it has one', () => {
  expect(objectPath(DEPLOYMENTS, { namespace: 'shop', name: 'web' })).toBe(
    '/apis/apps/v1/namespaces/shop/deployments/web',
  );
  expect(objectPath(POLICY_COLLECTIONS.ClusterProbePolicy, { name: 'base' })).toBe(
    '/apis/probewright.dev/v1alpha1/clusterprobepolicies/base',
  );
  expect(objectPath(webhookConfigurations('mutating'), { name: 'own' })).toBe(
    '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/own',
  );
});

it('a name is one part of the path, so none leads to another object', () => {
  expect(objectPath(DEPLOYMENTS, { namespace: 'a/../b', name: '../web?x' })).toBe(
    '/apis/apps/v1/namespaces/a%2F..%2Fb/deployments/..%2Fweb%3Fx',
  );
});
