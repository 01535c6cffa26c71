import { describe, expect, it } from 'vitest';
import { mutate, validate } from '../../support/decisions.ts';
import { exceptionDocument, EXCEPTION_END, withExceptionsInApps } from '../../support/exceptions.ts';
import { expectValidReply, patched, type DecodedReply } from '../../support/protocol.ts';
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
import type { MutationMode } from '../../../src/engine/policy/action.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const controllerManager = { userInfo: { username: 'system:serviceaccount:kube-system:replicaset-controller' } };
const owned = {
  ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'u', controller: true }],
};
const misspelt = { readinessProbe: { httpGet: { path: '/', port: 'htpp' } } };
const badPod = pod([appContainer(misspelt)], { metadata: owned });

/** The injected liveness probe violates a check, too. */
const policies = policySet(
  clusterPolicyDocument({
    containers: ['*'],
    kubernetesProbeEndpoints: { livenessProbe: '/same' },
    checks: {
      'probe-bounds': { action: 'Deny', floor: 'Deny' },
      'required-startup': { action: 'Deny', floor: 'Deny' },
    },
  }),
);

function ask(object: JsonObject, request: JsonObject = controllerManager, mode: MutationMode = 'On'): DecodedReply {
  const decoded = requestOf(reviewOf(object, request));
  return expectValidReply('mutate', decoded.uid, mutate(decoded, policies, mode, NOW).reply);
}

/** What `/validate` would record about the Pod. */
function recorded(object: JsonObject): string | undefined {
  const decoded = requestOf(reviewOf(object, controllerManager));
  return expectValidReply('validate', decoded.uid, validate(decoded, policies, VALIDATE_SETTINGS, NOW).reply)
    .auditAnnotations['violations'];
}

describe('/mutate of a Pod that a controller creates', () => {
  it('records what /validate would record about the patched Pod', () => {
    const { allowed, patch, warnings, auditAnnotations } = ask(badPod);
    expect([allowed, warnings]).toEqual([true, []]);
    expect(auditAnnotations['violations']).toContain('named-port app.readinessProbe Audit');
    // The patch adds this probe.
    expect(auditAnnotations['violations']).toContain('killed-before-drained app.livenessProbe Audit');
    expect(auditAnnotations['violations']).toBe(recorded(patched(badPod, patch)));
  });

  it.each(['Audit', 'Off'] as const)('records it about the Pod as sent when mutation is %s', (mode) => {
    const { patch, auditAnnotations } = ask(badPod, controllerManager, mode);
    expect(patch).toBeUndefined();
    expect(auditAnnotations['violations']).toBe(recorded(badPod));
  });

  it('gives logs and metrics the violations', () => {
    const { result, violations } = mutate(requestOf(reviewOf(badPod, controllerManager)), policies, 'Off', NOW);
    expect(result).toBe('allow');
    expect(violations).toContainEqual(expect.objectContaining({ check: 'named-port', action: 'Audit' }));
    expect(new Set(violations?.map(({ action }) => action))).toEqual(new Set(['Audit']));
  });

  it('excepts what an exception for its Deployment names', () => {
    const metadata = { ...owned, name: 'web-5d4-x', labels: { 'pod-template-hash': '5d4' } };
    metadata.ownerReferences = owned.ownerReferences.map((owner) => ({ ...owner, name: 'web-5d4' }));
    const request = requestOf(reviewOf(pod([appContainer(misspelt)], { metadata }), controllerManager));
    const snapshot = withExceptionsInApps(policySet(), [exceptionDocument()]);
    const { violations = [] } = mutate(request, snapshot, 'On', Date.parse(EXCEPTION_END) - 1);
    expect(violations.map(({ check, action }) => [check, action])).toEqual([['named-port', 'Excepted']]);
  });

  it('records nothing about a Pod without violations', () => {
    const good = pod([appContainer()], { metadata: owned });
    const decoded = requestOf(reviewOf(good, controllerManager));
    const { auditAnnotations } = expectValidReply('mutate', decoded.uid, mutate(decoded, policySet(), 'On', NOW).reply);
    expect(auditAnnotations).toEqual({});
  });
});

describe('/mutate of a Pod that is sent to /validate as well records no violations', () => {
  it.each([
    ['of a user with a forged reference', badPod, { userInfo: { username: 'jane' } }],
    ['of a service account of another namespace', badPod, { userInfo: { username: 'system:serviceaccount:argo:a' } }],
    ['without a controller', pod([appContainer(misspelt)]), controllerManager],
  ])('%s', (_, object, request) => {
    expect(ask(object, request).auditAnnotations).not.toHaveProperty('violations');
    expect(ask(object, request, 'Off').auditAnnotations).toEqual({});
  });
});

it('a Pod of a controller that is too large to check is allowed, and the violation is recorded', () => {
  const probes = Object.fromEntries(
    ['startupProbe', 'livenessProbe', 'readinessProbe'].map((kind) => [kind, { tcpSocket: { port: 80 } }]),
  );
  const containers = Array.from({ length: 301 }, (_, index) => ({ name: `c${index}`, image: 'x', ...probes }));
  const large = pod(containers, { metadata: owned });
  for (const mode of ['On', 'Off'] as const)
    expect(ask(large, controllerManager, mode)).toMatchObject({
      allowed: true,
      auditAnnotations: { violations: 'valid-probe Audit' },
    });
});

it('a Pod of anybody else that is too large to check is allowed with a warning, because /validate denies it', () => {
  const large = pod(Array.from({ length: 301 }, (_, index) => appContainer({ name: `c${index}` })));
  expect(ask(large, { userInfo: { username: 'jane' } })).toEqual({
    allowed: true,
    patch: undefined,
    warnings: ['spec: the object has 301 containers: more than 300 are not looked at (valid-probe)'],
    auditAnnotations: {},
  });
});
