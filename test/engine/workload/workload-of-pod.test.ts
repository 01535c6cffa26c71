import { describe, expect, it } from 'vitest';
import {
  controllerOwners,
  controllersOfPod,
  hasControllerOwner,
  isKubernetesKind,
  namesOf,
  shownNameOf,
  workloadNameOf,
  workloadOfPod,
} from '../../../src/engine/workload/workload-of-pod.ts';
import { KNOWN_KINDS, POD_KIND, workloadKind } from '../../../src/engine/workload/kinds.ts';
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

describe('the workloads of a Pod', () => {
  it('are its Job and the CronJob that made it, whose name ends in the scheduled minute', () => {
    const job = (name: string): JsonObject => pod({ apiVersion: 'batch/v1', kind: 'Job', name });
    expect(controllersOfPod(job('nightly-29500123'))).toEqual([
      { apiVersion: 'batch/v1', kind: 'Job', name: 'nightly-29500123' },
      { kind: 'CronJob', name: 'nightly' },
    ]);
    for (const name of ['nightly', 'nightly-a1', '-29500123', 'nightly-29500123-x'])
      expect(controllersOfPod(job(name))).toEqual([{ apiVersion: 'batch/v1', kind: 'Job', name }]);
  });

  it('are its workload alone for other kinds, and none without one', () => {
    const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db-1' };
    expect(controllersOfPod(pod(owner))).toEqual([owner]);
    expect(controllersOfPod(pod(undefined))).toEqual([]);
  });
});

describe('the names of an object', () => {
  it('are those in its metadata that are texts', () => {
    const metadata = { name: 'web', namespace: 'apps', generateName: 'web-' };
    expect(namesOf({ metadata })).toEqual(metadata);
    const none = { name: undefined, namespace: undefined, generateName: undefined };
    for (const odd of [{}, { metadata: null }, { metadata: 'x' }, { metadata: { name: 1, namespace: null } }])
      expect(namesOf(odd)).toEqual(none);
  });

  it('are written with a star where a name is generated', () => {
    const objects = [{ name: 'web', generateName: 'web-' }, { generateName: 'web-' }, {}];
    expect(objects.map((metadata) => shownNameOf({ metadata }))).toEqual(['web', 'web-*', '*']);
  });

  it('name the object itself, but a Pod by its controller, if that is trusted', () => {
    const deployment = workloadKind('apps', 'Deployment', KNOWN_KINDS) ?? POD_KIND;
    expect(workloadNameOf({ metadata: { name: 'web' } }, deployment, false)).toEqual({
      kind: 'Deployment',
      name: 'web',
    });
    expect(workloadNameOf({ metadata: { generateName: 'web-' } }, deployment, true)).toBeUndefined();
    const owned = pod({ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db' });
    expect(workloadNameOf(owned, POD_KIND, true)).toMatchObject({ kind: 'StatefulSet', name: 'db' });
    expect(workloadNameOf(owned, POD_KIND, false)).toBeUndefined();
  });
});

it('a controller is a reference with controller: true, and nothing else', () => {
  const ownedBy = (controller: unknown): JsonObject => ({
    metadata: { ownerReferences: [{ kind: 'Pod', controller }] },
  });
  expect(hasControllerOwner(ownedBy(true))).toBe(true);
  for (const value of [false, 'true', 1, null]) expect(hasControllerOwner(ownedBy(value))).toBe(false);
  expect(hasControllerOwner({ metadata: { ownerReferences: { controller: true } } })).toBe(false);
});

it('an owner with controller: true is a controller, with an empty text for what its reference lacks', () => {
  const ownerReferences = [null, { kind: 'A' }, { kind: 'B', controller: true }, { name: 'c', controller: 'true' }];
  expect(controllerOwners({ metadata: { ownerReferences } })).toEqual([{ apiVersion: '', kind: 'B', name: '' }]);
  expect(controllerOwners({})).toEqual([]);
});

it.each([
  ['v1', true],
  ['apps/v1', true],
  ['gateway.networking.k8s.io/v1', true],
  ['example.test/v1', false],
  ['k8s.io.example.test/v1', false],
])('a kind of %s is one of Kubernetes itself: %s', (apiVersion, expected) =>
  expect(isKubernetesKind({ apiVersion, kind: 'K', name: 'n' })).toBe(expected),
);
