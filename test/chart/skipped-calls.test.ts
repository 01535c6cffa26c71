import { describe, expect, it } from 'vitest';
import { isWithoutHelm, one, render, type Manifest, type Rendering } from './helm.ts';
import { unmetConditions, type MatchCondition } from './match-conditions.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

interface Configuration {
  readonly webhooks: readonly { readonly name: string; readonly matchConditions: readonly MatchCondition[] }[];
}

const MUTATE = 'mutate.probewright.dev';
const VALIDATE_PODS = 'validate-pods.probewright.dev';
const VALIDATE_WORKLOADS = 'validate-workloads.probewright.dev';

const replicaSetController = 'system:serviceaccount:kube-system:replicaset-controller';
const owned = { ownerReferences: [{ kind: 'ReplicaSet', name: 'web', uid: 'u', controller: true }] };
const ownedLoosely = { ownerReferences: [{ kind: 'ConfigMap', name: 'web', uid: 'u' }, { controller: false }] };
const probe = { httpGet: { path: '/', port: 80 } };
const complete = { name: 'app', livenessProbe: probe, readinessProbe: probe, startupProbe: probe };

const rendered = new Map<string, readonly Manifest[]>();

/** What the chart renders; helm runs once for each set of values. */
function manifestsOf(rendering: Rendering): readonly Manifest[] {
  const key = JSON.stringify(rendering);
  const manifests = rendered.get(key) ?? render(rendering);
  rendered.set(key, manifests);
  return manifests;
}

/** The webhooks that the API server calls. */
function called(request: JsonObject, rendering: Rendering = {}): string[] {
  const manifests = manifestsOf(rendering);
  const isPod = (request['kind'] as JsonObject)['kind'] === 'Pod';
  return [
    ...(isPod && request['operation'] === 'CREATE' ? [MUTATE] : []),
    isPod ? VALIDATE_PODS : VALIDATE_WORKLOADS,
  ].filter((name) => {
    const { matchConditions } = (['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'] as const)
      .flatMap((kind) => one<Configuration>(manifests, kind).webhooks)
      .find((webhook) => webhook.name === name) ?? { matchConditions: [] };
    return unmetConditions(matchConditions, request).length === 0;
  });
}

function podRequest(username: string, metadata: JsonObject = {}, container: JsonObject = { name: 'app' }): JsonObject {
  const object = { metadata: { name: 'web', ...metadata }, spec: { containers: [container] } };
  return { operation: 'CREATE', kind: { group: '', version: 'v1', kind: 'Pod' }, userInfo: { username }, object };
}

const template = { spec: { containers: [{ name: 'app' }] } };
const changed = { spec: { containers: [{ name: 'app', image: 'b' }] } };

function update(kind: string, before: JsonObject, after: JsonObject, username = 'jane'): JsonObject {
  const [group, name] = kind.includes('/') ? kind.split('/') : ['', kind];
  return {
    operation: 'UPDATE',
    kind: { group, version: 'v1', kind: name },
    userInfo: { username },
    oldObject: { metadata: { name: 'web' }, ...before },
    object: { metadata: { name: 'web' }, ...after },
  };
}

const spec = (members: JsonObject): JsonObject => ({ spec: { template, ...members } });

describe.skipIf(isWithoutHelm('skipped-calls.test.ts'))('a Pod', () => {
  it.each([
    ['of a controller costs one call', podRequest(replicaSetController, owned), [MUTATE]],
    ['of a controller with all probes costs one call', podRequest(replicaSetController, owned, complete), [MUTATE]],
    ['of kube-controller-manager itself does', podRequest('system:kube-controller-manager', owned), [MUTATE]],
    [
      'of a controller that opts out of defaulting meets all conditions, and the objectSelector keeps it from /mutate',
      podRequest(replicaSetController, { ...owned, labels: { 'probewright.dev/webhook': 'disabled' } }),
      [MUTATE, VALIDATE_PODS],
    ],
    ['of a user costs two', podRequest('jane'), [MUTATE, VALIDATE_PODS]],
    ['of a user with a forged reference costs two', podRequest('jane', owned), [MUTATE, VALIDATE_PODS]],
    [
      'of a service account in another namespace is left to the program',
      podRequest('system:serviceaccount:argo:argo-rollouts', owned),
      [MUTATE, VALIDATE_PODS],
    ],
    [
      'of an account that only begins like a controller’s costs two',
      podRequest('system:serviceaccount:kube-system:a:b', owned),
      [MUTATE, VALIDATE_PODS],
    ],
    [
      'without a controller reference costs two, whoever creates it',
      podRequest(replicaSetController, ownedLoosely),
      [MUTATE, VALIDATE_PODS],
    ],
    [
      'with more owners than are looked at costs two',
      podRequest(replicaSetController, { ownerReferences: Array.from({ length: 101 }, () => ({ controller: true })) }),
      [MUTATE, VALIDATE_PODS],
    ],
    ['that gets a label costs none', update('Pod', spec({}), { ...spec({}), metadata: { labels: { a: 'b' } } }), []],
    ['that a controller adopts costs none', update('Pod', spec({}), { ...spec({}), metadata: owned }), []],
    ['that gets another spec costs one', update('Pod', spec({}), spec({ tolerations: [] })), [VALIDATE_PODS]],
    [
      'of a controller that gets another spec costs one, as /mutate does not see updates',
      update('Pod', spec({}), { ...spec({ tolerations: [] }), metadata: owned }, replicaSetController),
      [VALIDATE_PODS],
    ],
  ])('%s', (_, request, webhooks) => {
    expect(called(request)).toEqual(webhooks);
  });
});

describe.skipIf(isWithoutHelm('skipped-calls.test.ts'))('a workload', () => {
  const withRoom = { metadata: { name: 'web', ...owned } };
  it.each<[what: string, request: JsonObject, isCalled: boolean]>([
    ['that is scaled is not sent', update('apps/Deployment', spec({ replicas: 1 }), spec({ replicas: 2 })), false],
    ['that gets a label is not', update('apps/Deployment', spec({}), { ...spec({}), metadata: { labels: {} } }), false],
    ['that gets another template is', update('apps/Deployment', spec({}), spec({ template: changed })), true],
    [
      'whose rollout may take less time is',
      update('apps/Deployment', spec({}), spec({ progressDeadlineSeconds: 9 })),
      true,
    ],
    [
      'whose Pods are ready later is',
      update('apps/StatefulSet', spec({ minReadySeconds: 1 }), spec({ minReadySeconds: 9 })),
      true,
    ],
    ['whose template goes away is', update('ReplicationController', spec({}), { spec: { replicas: 1 } }), true],
    ['without a spec is', update('apps/Deployment', {}, spec({})), true],
    [
      'that hides a new template behind a controller reference is',
      update('apps/Deployment', spec({}), { ...spec({ template: changed }), ...withRoom }),
      true,
    ],
    [
      'that only gets a controller reference is not',
      update('apps/Deployment', spec({}), { ...spec({}), ...withRoom }),
      false,
    ],
    [
      'of a controller is not',
      update('apps/ReplicaSet', spec({}), { ...spec({ template: changed }), ...withRoom }, replicaSetController),
      false,
    ],
    [
      'that a controller creates is not',
      {
        ...update('batch/Job', {}, { ...spec({}), ...withRoom }, replicaSetController),
        operation: 'CREATE',
        oldObject: null,
      },
      false,
    ],
    [
      'that a user creates is, whatever reference it has',
      { ...update('batch/Job', {}, { ...spec({}), ...withRoom }), operation: 'CREATE', oldObject: null },
      true,
    ],
    [
      'CronJob that is suspended is not',
      update(
        'batch/CronJob',
        { spec: { jobTemplate: { spec: { template } } } },
        {
          spec: { suspend: true, jobTemplate: { spec: { template } } },
        },
      ),
      false,
    ],
    [
      'CronJob that gets another template is',
      update(
        'batch/CronJob',
        { spec: { jobTemplate: { spec: { template } } } },
        {
          spec: { jobTemplate: { spec: { template: changed } } },
        },
      ),
      true,
    ],
    [
      'of a custom kind that gets a label is not',
      update('example.com/Pair', spec({}), { ...spec({}), metadata: {} }),
      false,
    ],
    [
      'of a custom kind that is scaled is: only the program knows where its template is',
      update('example.com/Pair', spec({}), spec({ replicas: 2 })),
      true,
    ],
    ['whose spec is no object is', update('example.com/Pair', { spec: 'a' }, { spec: ['b'] }), true],
    ['whose spec is the same null is not', update('example.com/Pair', { spec: null }, { spec: null }), false],
  ])('%s', (_, request, isCalled) => {
    expect(called(request)).toEqual(isCalled ? [VALIDATE_WORKLOADS] : []);
  });

  it('of a custom kind with its template outside of the spec is always sent', () => {
    const overrides = {
      workloadKinds: [{ group: 'example.com', kind: 'Bare', resource: 'bares', podTemplatePath: 'template' }],
    };
    const request = update('example.com/Bare', spec({}), spec({}));
    expect(called(request, { overrides })).toEqual([VALIDATE_WORKLOADS]);
  });
});

describe.skipIf(isWithoutHelm('skipped-calls.test.ts'))('without webhooks.skipNeedlessCalls', () => {
  it('the program is asked about all of them', () => {
    const everything: Rendering = { set: ['webhooks.skipNeedlessCalls=false'] };
    expect(called(podRequest(replicaSetController, owned), everything)).toEqual([MUTATE, VALIDATE_PODS]);
    expect(called(podRequest(replicaSetController, owned, complete), everything)).toEqual([VALIDATE_PODS]);
    expect(called(update('Pod', spec({}), spec({})), everything)).toEqual([VALIDATE_PODS]);
    expect(called(update('apps/Deployment', spec({}), spec({})), everything)).toEqual([VALIDATE_WORKLOADS]);
  });
});

describe.skipIf(isWithoutHelm('skipped-calls.test.ts'))('a review without an object', () => {
  it('is an error of no condition', () => {
    const request = { operation: 'DELETE', userInfo: {}, object: null, oldObject: spec({}) };
    expect(() => called({ ...request, kind: { group: '', version: 'v1', kind: 'Pod' } })).not.toThrow();
    expect(() => called({ ...request, kind: { group: 'apps', version: 'v1', kind: 'Deployment' } })).not.toThrow();
  });
});
