import { describe, expect, it } from 'vitest';
import { canHaveController } from '../../../src/observer/scan/verdicts.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const ownedBy = (apiVersion: unknown, kind: string, controller: unknown = true): JsonObject => ({
  metadata: { ownerReferences: [{ apiVersion, kind, name: 'o', uid: 'u', controller }] },
});

describe('a controller', () => {
  it.each([
    ['Pod', 'apps/v1', 'ReplicaSet'],
    ['Pod', 'batch/v1', 'Job'],
    ['Pod', 'v1', 'Node'],
    ['ReplicaSet', 'apps/v1', 'Deployment'],
    ['Job', 'batch/v1', 'CronJob'],
    ['ReplicaSet', 'argoproj.io/v1alpha1', 'Rollout'],
    ['Deployment', 'serving.knative.dev/v1', 'Revision'],
    ['Job', 'jobset.x-k8s.io/v1alpha2', 'JobSet'],
  ])('can make a %s for %s %s', (kind, apiVersion, owner) =>
    expect(canHaveController(ownedBy(apiVersion, owner), kind)).toBe(true),
  );

  it.each([
    ['Pod', 'v1', 'ConfigMap'],
    ['Pod', 'apps/v1', 'Deployment'],
    ['ReplicaSet', 'apps/v1', 'ReplicaSet'],
    ['Job', 'v1', 'Secret'],
    ['Deployment', 'apps/v1', 'Deployment'],
    ['constructor', 'v1', 'Pod'],
    ['Pod', 'gateway.networking.k8s.io/v1', 'Gateway'],
  ])('of Kubernetes makes no %s for %s %s', (kind, apiVersion, owner) =>
    expect(canHaveController(ownedBy(apiVersion, owner), kind)).toBe(false),
  );

  it('is none that Kubernetes has when one of two owners is not', () => {
    const [one, other] = [ownedBy('apps/v1', 'ReplicaSet'), ownedBy('v1', 'ConfigMap')].map(
      ({ metadata }) => (metadata as { ownerReferences: [unknown] }).ownerReferences[0],
    );
    expect(canHaveController({ metadata: { ownerReferences: [one, one] } }, 'Pod')).toBe(true);
    expect(canHaveController({ metadata: { ownerReferences: [one, other] } }, 'Pod')).toBe(false);
  });

  it('is none without an owner that is marked as one', () => {
    expect(canHaveController({}, 'Pod')).toBe(false);
    expect(canHaveController(ownedBy('apps/v1', 'ReplicaSet', false), 'Pod')).toBe(false);
  });
});
