import { describe, expect, it } from 'vitest';
import { workloadOfPod } from '../../../src/engine/workload/workload-of-pod.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const pod = (owner: JsonObject | undefined, labels: JsonObject = {}): JsonObject => ({
  metadata: {
    name: 'x',
    labels,
    ...(owner && {
      ownerReferences: [
        { kind: 'Other', name: 'no' },
        { controller: true, ...owner },
      ],
    }),
  },
});
const replicaSet = (name: string): JsonObject => ({ apiVersion: 'apps/v1', kind: 'ReplicaSet', name });

describe('the workload of a Pod', () => {
  it('is the Deployment whose name the ReplicaSet has before the hash', () =>
    expect(workloadOfPod(pod(replicaSet('my-web-5d9c'), { 'pod-template-hash': '5d9c' }))).toEqual({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      name: 'my-web',
    }));

  it('is the Rollout of Argo, which has a label of its own', () =>
    expect(workloadOfPod(pod(replicaSet('web-7f8'), { 'rollouts-pod-template-hash': '7f8' }))).toEqual({
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Rollout',
      name: 'web',
    }));

  it('is the ReplicaSet itself when its name does not end in the hash', () => {
    for (const hash of [undefined, 'other', '', 1])
      expect(workloadOfPod(pod(replicaSet('web-5d9c'), { 'pod-template-hash': hash }))).toMatchObject({
        kind: 'ReplicaSet',
        name: 'web-5d9c',
      });
    expect(workloadOfPod(pod(replicaSet('-5d9c'), { 'pod-template-hash': '5d9c' }))).toMatchObject({
      kind: 'ReplicaSet',
    });
  });

  it('is the controller of any other kind', () => {
    const owner = { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'CloneSet', name: 'web' };
    expect(workloadOfPod(pod(owner, { 'pod-template-hash': 'web' }))).toEqual(owner);
  });

  it('is unknown without a controller, for a static Pod, and for malformed references', () => {
    expect(workloadOfPod(pod(undefined))).toBeUndefined();
    expect(workloadOfPod(pod({ apiVersion: 'v1', kind: 'Node', name: 'node-1' }))).toBeUndefined();
    const malformed = [
      {},
      { kind: 'StatefulSet' },
      { kind: 1, name: 'x' },
      { apiVersion: 'apps/v1', kind: 'Job', name: '' },
    ];
    for (const owner of malformed) expect(workloadOfPod(pod(owner))).toBeUndefined();
    expect(workloadOfPod({ metadata: { ownerReferences: 'x' } })).toBeUndefined();
  });
});
