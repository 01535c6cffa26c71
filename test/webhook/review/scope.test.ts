import { describe, expect, it } from 'vitest';
import { KNOWN_KINDS } from '../../../src/engine/workload/kinds.ts';
import { atMost, scopeOf, type Scope } from '../../../src/webhook/review/scope.ts';
import { DEFAULT_TRUSTED_CONTROLLERS } from '../../../src/webhook/review/trusted-controllers.ts';
import { appContainer, deploymentOf, pod, requestOf, reviewOf } from '../../support/worlds.ts';
import type { Violation } from '../../../src/engine/checks/violation.ts';
import type { AdmissionRequest } from '../../../src/webhook/review/decision.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const POD = pod([appContainer()]);
const scope = (object: JsonObject, review: JsonObject = {}, rest: Partial<AdmissionRequest> = {}): Scope =>
  scopeOf({ ...requestOf(reviewOf(object, review)), ...rest }, KNOWN_KINDS, DEFAULT_TRUSTED_CONTROLLERS);
const skipped = (reason: string): unknown => ({ is: 'skipped', reason });
const DELETED = { deletionTimestamp: '2026-01-01T00:00:00Z' };

describe('a request is decided', () => {
  it.each(['CREATE', 'UPDATE'])('when it is a %s of a Pod, with the Pod as its template', (operation) =>
    expect(scope(POD, { operation })).toEqual({
      is: 'checked',
      object: POD,
      kind: KNOWN_KINDS[0],
      templates: [{ template: POD, path: [] }],
      trust: 'none',
    }),
  );

  it('with the template of a workload', () =>
    expect(scope(deploymentOf(POD))).toMatchObject({ is: 'checked', templates: [{ path: ['spec', 'template'] }] }));

  it('when the object was there before', () =>
    expect(scope(POD, { operation: 'UPDATE', oldObject: POD })).toMatchObject({ is: 'checked' }));

  it('when a trusted controller made a Pod', () => {
    const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', controller: true }];
    const owned = pod([appContainer()], { metadata: { ownerReferences } });
    const userInfo = { username: 'system:kube-controller-manager' };
    expect(scope(owned, { userInfo })).toMatchObject({ is: 'checked', trust: 'full' });
    const ownedBy = (kind: string): JsonObject => {
      const references = ownerReferences.map((owner) => ({ ...owner, kind }));
      return { ...deploymentOf(POD), kind: 'ReplicaSet', metadata: { name: 'web', ownerReferences: references } };
    };
    expect(scope(ownedBy('Deployment'), { userInfo })).toEqual(skipped('controller-owned'));
    expect(scope(ownedBy('Deployment'))).toMatchObject({ is: 'checked', trust: 'none' });
    expect(scope(ownedBy('ReplicaSet'), { userInfo })).toMatchObject({ is: 'checked', trust: 'none' });
  });
});

describe('a request is skipped', () => {
  it.each(['DELETE', 'CONNECT', 'INVENTED'])('for the operation %s', (operation) =>
    expect(scope(POD, { operation })).toEqual(skipped('operation')),
  );
  it('without an object', () => expect(scope(POD, {}, { object: undefined })).toEqual(skipped('operation')));
  it('for a subresource', () =>
    expect(scope(POD, { operation: 'UPDATE', subResource: 'status' })).toEqual(skipped('subresource')));
  it('for an unknown kind', () => expect(scope({ ...POD, kind: 'Config' })).toEqual(skipped('kind')));
  it('for an object that is being deleted, or was before', () => {
    expect(scope(pod([], { metadata: DELETED }))).toEqual(skipped('being-deleted'));
    const oldObject = pod([appContainer()], { metadata: DELETED });
    expect(scope(POD, { operation: 'UPDATE', oldObject })).toEqual(skipped('being-deleted'));
  });
  it('without a Pod template', () =>
    expect(scope({ ...deploymentOf(POD), spec: {} })).toEqual(skipped('no-pod-template')));
});

describe('an object that is too large', () => {
  it('is told with its problem, from 301 containers on', () => {
    const containers = (count: number): JsonObject[] => Array.from({ length: count }, () => ({ name: 'app' }));
    expect(scope(pod(containers(300)))).toMatchObject({ is: 'checked' });
    expect(scope(pod(containers(301)))).toMatchObject({
      is: 'too-large',
      problem: 'the object has 301 containers: more than 300 are not looked at',
      trust: 'none',
    });
  });

  it('and was not read to its end may have templates that nobody saw', () => {
    const rest = { unread: 'the object has too many members' };
    const of = (object: JsonObject): Scope => scope(object, {}, rest);
    expect(of({ ...deploymentOf(POD), spec: {} })).toMatchObject({
      is: 'too-large',
      problem: rest.unread,
      templates: [],
    });
    expect(of(POD)).toMatchObject({ is: 'too-large', problem: rest.unread, templates: [{ path: [] }] });
    expect(of(pod([], { metadata: DELETED }))).toEqual(skipped('being-deleted'));
  });
});

it.each([
  ['Deny', 'Warn', 'Warn'],
  ['Deny', 'Deny', 'Deny'],
  ['Warn', 'Deny', 'Warn'],
  ['Excepted', 'Audit', 'Excepted'],
] as const)('a violation with action %s and at most %s has %s', (action, most, expected) => {
  const violation: Violation = { check: 'named-port', action, container: 'app', path: ['spec'], message: 'no' };
  const limited = atMost(violation, most);
  expect(limited).toEqual({ ...violation, action: expected });
  expect(limited === violation).toBe(action === expected);
});
