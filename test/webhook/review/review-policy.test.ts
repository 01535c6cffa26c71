import { describe, expect, it } from 'vitest';
import { reviewPolicy } from '../../../src/webhook/review/review-policy.ts';
import { exceptionDocument } from '../../support/exceptions.ts';
import { expectValidReply } from '../../support/protocol.ts';
import { describeCases } from '../../support/recorded-cases.ts';
import { policiesOf } from '../../support/workload-cases.ts';
import { clusterPolicyDocument, policyDocument, policySet } from '../../support/worlds.ts';
import type { Decision } from '../../../src/webhook/review/decision.ts';
import type { AdmissionRequest } from '../../../src/webhook/review/decision.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const NOW = Date.parse('2026-11-22T12:00:00Z');
const good = policyDocument({ containers: ['*'], kubernetesProbeEndpoints: { readinessProbe: '/ready' } }, 'base');

function request(object: JsonObject | undefined, more: Partial<AdmissionRequest> = {}): AdmissionRequest {
  return {
    uid: 'u1',
    kind: { group: 'probewright.dev', version: 'v1alpha1', kind: 'ProbePolicy' },
    subResource: '',
    operation: 'CREATE',
    name: 'base',
    namespace: 'apps',
    dryRun: false,
    userName: 'dev',
    object,
    oldObject: undefined,
    ...more,
  };
}

const decided = (of: AdmissionRequest): Decision => reviewPolicy(of, policySet(), NOW);

/** Which kind of object, by its spec. */
type Kind = 'policy' | 'clusterPolicy' | 'exception' | 'deleted' | 'deletedException';

interface Case extends Readonly<Partial<Record<Kind, JsonObject>>> {
  /** Members of the metadata; null leaves a member out. */
  readonly metadata?: JsonObject;
  /** The spec before; the request is an UPDATE then. */
  readonly before?: JsonObject;
  readonly request?: Partial<AdmissionRequest>;
  readonly policies?: JsonObject;
}

const MAKERS: Readonly<Record<Kind, (spec: JsonObject) => JsonObject>> = {
  policy: (spec) => policyDocument(spec, 'base'),
  clusterPolicy: (spec) => clusterPolicyDocument(spec, 'base'),
  exception: (spec) => exceptionDocument(spec, { creationTimestamp: '2026-11-22T11:00:00Z' }),
  deleted: (spec) => policyDocument(spec, 'base'),
  deletedException: (spec) => exceptionDocument(spec),
};

function requestOf({ metadata = {}, before, request: more, ...given }: Case): AdmissionRequest {
  const kind = (Object.keys(MAKERS) as Kind[]).find((each) => given[each] !== undefined) ?? 'policy';
  const make = MAKERS[kind];
  const made = make(given[kind] ?? {});
  const members = Object.entries({ ...(made['metadata'] as JsonObject), ...metadata });
  const object = { ...made, metadata: Object.fromEntries(members.filter(([, value]) => value !== null)) };
  const isException = kind.endsWith('xception');
  const group = { group: 'probewright.dev', version: 'v1alpha1' };
  return request(kind.startsWith('deleted') ? undefined : object, {
    ...(isException && { kind: { ...group, kind: 'ProbeException' }, name: 'legacy' }),
    ...(kind.startsWith('deleted') && { operation: 'DELETE', oldObject: made }),
    ...(before && { operation: 'UPDATE', oldObject: make(before) }),
    ...more,
  });
}

/** The answer: what is shown of the effect has the source and whether something is applied. */
function answer({ policies, ...given }: Case): JsonObject {
  const { reply, result, skipped, reviewed } = reviewPolicy(requestOf(given), policiesOf(policies), NOW);
  const { allowed, warnings } = expectValidReply('review-policies', 'u1', reply);
  expect(allowed).toBe(result !== 'deny');
  const applied = reviewed?.applied;
  return {
    result,
    status: reply.response.status,
    warnings: warnings.length > 0 ? warnings : undefined,
    skipped,
    effect: reviewed && { source: reviewed.source, namespace: reviewed.namespace, applied: applied?.name },
  };
}

describe('/review-policies', () => {
  describeCases(
    'test/fixtures/replies/policy-reviews.yaml',
    ['result', 'status', 'warnings', 'skipped', 'effect'],
    (given) => answer(given),
  );

  it('denies a policy that is longer than any policy can be, and one that was not read', () => {
    const long = { ...good, metadata: { name: 'base', annotations: { padding: 'x'.repeat(1_100_000) } } };
    const messageOf = (...given: Parameters<typeof request>): string | undefined =>
      decided(request(...given)).reply.response.status?.message;
    expect(messageOf(long)).toBe('metadata: the object has more than 1048576 characters; make it shorter');
    expect(messageOf(good, { unread: 'the body is too long' })).toBe('metadata: the body is too long');
    // The old object may be what makes the review long.
    expect(decided(request(good, { oldObject: long })).result).not.toBe('deny');
  });

  it('cuts problems that quote long keys, and makes them visible', () => {
    const { reply } = decided(request(policyDocument({ ['\u001b' + 'x'.repeat(100_000)]: 1 }, 'base')));
    const message = reply.response.status?.message ?? '';
    expect(message.length).toBeLessThan(600);
    expect(message).toMatch(/^\P{Cc}+$/u);
  });
});
