import { describe, expect, it } from 'vitest';
import { mutate } from '../../../src/webhook/review/mutate.ts';
import { decodeReview } from '../../../src/webhook/review/review.ts';
import type { AdmissionRequest } from '../../../src/webhook/review/decision.ts';
import { NOW } from '../../support/now.ts';
import { expectValidReply } from '../../support/protocol.ts';
import {
  appContainer,
  deploymentOf,
  pod,
  policyDocument,
  policySet,
  requestOf,
  reviewOf,
} from '../../support/worlds.ts';
import type { MutationMode } from '../../../src/engine/policy/action.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const READINESS = policySet(
  policyDocument({ containers: ['*'], kubernetesProbeEndpoints: { readinessProbe: '/ready' } }),
);

function request(object: JsonObject): AdmissionRequest {
  const { request: decoded, problem } = decodeReview(reviewOf(object)) as {
    request: AdmissionRequest;
    problem?: string;
  };
  if (problem !== undefined) throw new Error(problem);
  return decoded;
}

describe('a Pod whose annotations', () => {
  it.each([
    ['have room', 100, ['/metadata/annotations', '/spec/containers/0/readinessProbe']],
    ['have no room for another', 256 * 1024 - 10, ['/spec/containers/0/readinessProbe']],
  ])('%s gets its probe, and counts as mutated', (_, length, paths) => {
    const annotations = { note: 'x'.repeat(length) };
    const asked = request(pod([appContainer()], { metadata: { annotations } }));
    const { reply, result } = mutate(asked, READINESS, 'On', NOW);
    const { patch } = expectValidReply('mutate', asked.uid, reply);
    expect(patch?.map(({ path }) => path.replace(/\/probewright.*/, ''))).toEqual(paths);
    expect(result).toBe('mutate');
  });
});

it('a Pod that gets no probe counts as allowed, and under Audit, too', () => {
  const complete = request(pod([appContainer({ readinessProbe: { httpGet: { path: '/', port: 'http' } } })]));
  expect(mutate(complete, READINESS, 'On', NOW).result).toBe('allow');
  expect(mutate(request(pod([appContainer()])), READINESS, 'Audit', NOW).result).toBe('allow');
});

describe('the answer about a Pod without probes', () => {
  const asked = (change: JsonObject = {}, object: JsonObject = pod([appContainer()])): AdmissionRequest =>
    requestOf(reviewOf(object, change));

  it('has the patch when mutation is On, and only tells of the patch under Audit', () => {
    const on = mutate(asked(), READINESS, 'On', NOW);
    expect(Object.keys(expectValidReply('mutate', asked().uid, on.reply).auditAnnotations)).toEqual([
      'injected',
      'not-injected',
    ]);
    expect([on.result, on.wouldBe, on.violations, on.policies]).toEqual([
      'mutate',
      undefined,
      undefined,
      ['ProbePolicy/apps/policy'],
    ]);
    const audit = mutate(asked(), READINESS, 'Audit', NOW);
    const told = expectValidReply('mutate', asked().uid, audit.reply);
    expect([told.patch, Object.keys(told.auditAnnotations)]).toEqual([undefined, ['would-inject', 'not-injected']]);
    expect(audit.wouldBe).toEqual({ result: 'mutate' });
  });

  it.each<[why: string, mode: MutationMode, change: JsonObject, object?: JsonObject]>([
    ['mutation-off', 'Off', {}],
    ['operation', 'On', { operation: 'UPDATE' }],
    ['kind', 'On', {}, deploymentOf(pod([appContainer()]))],
  ])('is that the Pod is skipped: %s', (why, mode, change, object) => {
    const { skipped, result, reply } = mutate(asked(change, object), READINESS, mode, NOW);
    expect([skipped, result, reply.response]).toEqual([why, 'skip', { uid: asked().uid, allowed: true }]);
  });

  it('is a warning about a Pod that is too large', () => {
    const object = pod(Array.from({ length: 301 }, (_, index) => ({ name: `c${index}`, image: 'x' })));
    const { reply, result, violations } = mutate(asked({}, object), READINESS, 'On', NOW);
    expect([result, violations, reply.response.warnings?.length, reply.response.patch]).toEqual([
      'warn',
      undefined,
      1,
      undefined,
    ]);
    const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'u', controller: true };
    const controlled = { ...object, metadata: { name: 'web', namespace: 'apps', ownerReferences: [owner] } };
    const userInfo = { username: 'system:serviceaccount:kube-system:replicaset-controller' };
    const audited = mutate(asked({ userInfo }, controlled), READINESS, 'On', NOW);
    expect([audited.result, audited.violations?.map(({ action }) => action)]).toEqual(['allow', ['Audit']]);
    expect(audited.reply.response.warnings).toBeUndefined();
  });
});
