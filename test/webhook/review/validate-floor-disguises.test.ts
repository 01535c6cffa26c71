import { describe, expect, it } from 'vitest';
import { validate } from '../../support/decisions.ts';
import { BUILT_IN_KINDS } from '../../../src/engine/workload/kinds.ts';
import {
  VALIDATE_SETTINGS,
  appContainer,
  clusterPolicyDocument,
  pod,
  policySet,
  requestOf,
  reviewOf,
} from '../../support/worlds.ts';
import { NOW } from '../../support/now.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const floors = policySet(
  clusterPolicyDocument({ containers: ['*'], checks: { 'required-readiness': { action: 'Deny', floor: 'Deny' } } }),
);
const withoutFloor = policySet(
  clusterPolicyDocument({ containers: ['*'], checks: { 'required-readiness': { action: 'Deny' } } }),
);

type Type = readonly [apiVersion: string, kind: string];

/** An object of a kind with a container that lacks what the floor requires. */
function objectOf([apiVersion, kind]: Type, metadata: JsonObject, container: JsonObject): JsonObject {
  const whole = pod([appContainer(container)], { metadata });
  if (kind === 'Pod') return whole;
  return { apiVersion, kind, metadata: whole['metadata'], spec: { template: { spec: whole['spec'] } } };
}

function isAllowed(object: JsonObject, username: string, policies = floors): boolean {
  const request = requestOf(reviewOf(object, { userInfo: { username } }));
  return validate(request, policies, VALIDATE_SETTINGS, NOW).reply.response.allowed;
}

const SERVING = [
  ['apps/v1', 'Deployment'],
  ['apps/v1', 'StatefulSet'],
  ['apps/v1', 'DaemonSet'],
  ['apps/v1', 'ReplicaSet'],
  ['v1', 'ReplicationController'],
] as const;

const ARGO_CD = 'system:serviceaccount:argocd:argocd-application-controller';

/** Who applies what a tenant has written, and the owners that a tenant may write. */
const APPLIERS = [
  'jane',
  ARGO_CD,
  'system:serviceaccount:flux-system:kustomize-controller',
  'system:serviceaccount:apps:ci',
];
const OWNERS = [
  ['example.com/v1', 'Invented'],
  ['probewright.dev/v1alpha1', 'ProbePolicy'],
  ['argoproj.io/v1alpha1', 'Application'],
  ['argoproj.io/v1alpha1', 'Rollout'],
  ['apps/v1', 'Deployment'],
  ['v1', 'ConfigMap'],
  ['batch/v1', 'Job'],
] as const;

const owned = (apiVersion: string, kind: string): JsonObject => ({
  ownerReferences: [{ apiVersion, kind, name: 'mine', uid: 'u', controller: true }],
});

interface Disguise {
  readonly name: string;
  readonly object: JsonObject;
  readonly user: string;
}

const disguises: readonly Disguise[] = [
  ...APPLIERS.flatMap((user) =>
    OWNERS.flatMap(([version, kind]) =>
      ([['v1', 'Pod'], SERVING[0]] as const).map((of) => ({
        name: `a ${of[1]} of ${version} ${kind}, applied by ${user}`,
        object: objectOf(of, owned(version, kind), {}),
        user,
      })),
    ),
  ),
  ...['OnFailure', 'Never'].flatMap((restartPolicy) =>
    SERVING.map((of) => ({
      name: `restartPolicy ${restartPolicy} of a container of a ${of[1]}`,
      object: objectOf(of, {}, { restartPolicy }),
      user: 'jane',
    })),
  ),
];

describe('a floor holds', () => {
  it(`for ${disguises.length} disguises`, () => {
    expect(disguises.length).toBeGreaterThanOrEqual(60);
    const through = disguises.filter(({ object, user }) => isAllowed(object, user)).map(({ name }) => name);
    expect(through).toEqual([]);
  });

  it('for each disguise by the absence of the probe alone', () => {
    const refused = disguises.filter(({ object, user }) => {
      const probe = { readinessProbe: { httpGet: { path: '/', port: 'http' } } };
      const text = JSON.stringify(object).replace('"name":"app"', `"name":"app",${JSON.stringify(probe).slice(1, -1)}`);
      return !isAllowed(JSON.parse(text) as JsonObject, user);
    });
    expect(refused.map(({ name }) => name)).toEqual([]);
  });
});

describe('an object of a custom kind that nobody configured', () => {
  const object = objectOf(SERVING[0], owned('example.com/v1', 'Database'), {});

  it('is at most audited without a floor', () => {
    expect(isAllowed(object, ARGO_CD, withoutFloor)).toBe(true);
    expect(isAllowed(object, 'jane', withoutFloor)).toBe(false);
  });

  it('is not judged if its operator is listed, or if its kind is configured', () => {
    const ask = (settings: Partial<typeof VALIDATE_SETTINGS>) =>
      validate(
        requestOf(reviewOf(object, { userInfo: { username: ARGO_CD } })),
        floors,
        { ...VALIDATE_SETTINGS, ...settings },
        NOW,
      ).skipped;
    const database = { group: 'example.com', kind: 'Database', templatePaths: [['spec']], runsToCompletion: false };
    expect(ask({})).toBeUndefined();
    expect(ask({ controllers: { accounts: [ARGO_CD], foreignServiceAccounts: true } })).toBe('controller-owned');
    expect(ask({ kinds: [...BUILT_IN_KINDS, database] })).toBe('controller-owned');
  });

  it('is denied if it is too large to be looked at', () => {
    const large = objectOf(SERVING[0], owned('example.com/v1', 'Database'), {
      args: Array.from({ length: 5001 }, () => ''),
    });
    expect(isAllowed(large, ARGO_CD, withoutFloor)).toBe(false);
  });
});
