import { describe, expect, it } from 'vitest';
import { mutate } from '../../../src/webhook/review/mutate.ts';
import { decodeReview } from '../../../src/webhook/review/review.ts';
import type { AdmissionRequest } from '../../../src/webhook/review/decision.ts';
import { NOW } from '../../support/now.ts';
import { expectValidReply } from '../../support/protocol.ts';
import { appContainer, pod, policyDocument, policySet, reviewOf } from '../../support/worlds.ts';
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
