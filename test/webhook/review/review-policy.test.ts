import { beforeEach, describe, expect, it } from 'vitest';
import { reviewPolicy, withEffect } from '../../../src/webhook/review/review-policy.ts';
import { exceptionDocument } from '../../support/exceptions.ts';
import { expectValidReply } from '../../support/protocol.ts';
import { clusterPolicyDocument, policyDocument, policySet } from '../../support/worlds.ts';
import type { Decision } from '../../../src/webhook/review/decision.ts';
import type { AdmissionRequest } from '../../../src/webhook/review/review.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const good = policyDocument({ containers: ['*'], kubernetesProbeEndpoints: { readinessProbe: '/ready' } }, 'base');
const bad = policyDocument({ prot: 8080 }, 'base');
const changed = (document: JsonObject, metadata: object): JsonObject => ({
  ...document,
  metadata: { ...(document['metadata'] as object), ...metadata },
});

const NOW = Date.parse('2026-11-22T12:00:00Z');
let policies = policySet();
beforeEach(() => {
  policies = policySet();
});

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
    textLength: 1000,
    ...more,
  };
}

function decide(of: AdmissionRequest): Decision & { readonly allowed: boolean; readonly warnings: readonly string[] } {
  const decision = reviewPolicy(of, policies, NOW);
  const { allowed, warnings } = expectValidReply('review-policies', 'u1', decision.reply);
  return { ...decision, allowed, warnings };
}

describe('/review-policies', () => {
  it('denies a policy that cannot be read, with path and suggestion, for people and for tools', () => {
    const { reply, result } = decide(request(bad));
    expect(result).toBe('deny');
    expect(reply.response.status).toEqual({
      code: 422,
      reason: 'Invalid',
      message: 'spec.prot: unknown field; did you mean "port"?',
      details: {
        causes: [{ reason: 'FieldValueInvalid', field: 'spec.prot', message: 'unknown field; did you mean "port"?' }],
      },
    });
  });

  it('allows a policy that can be read, and names the policy whose effect may be shown', () => {
    const { allowed, warnings, result, reviewed } = decide(request(good));
    expect({ allowed, warnings, result }).toEqual({ allowed: true, warnings: [], result: 'allow' });
    expect(reviewed).toMatchObject({ source: 'ProbePolicy/apps/base', namespace: 'apps', applied: { name: 'base' } });
  });

  it('warns with the advice that the status of the policy shows', () => {
    const livenessProbe = { httpGet: { path: '/ready', port: 'http' } };
    const { allowed, warnings } = decide(
      request(policyDocument({ containers: ['*'], probes: { livenessProbe } }, 'base')),
    );
    expect(allowed).toBe(true);
    expect(warnings).toEqual([
      'spec.probes.livenessProbe.httpGet.path: container "app" asks "/ready" for liveness: the name suggests a readiness or aggregate endpoint, and the outage of a dependency then restarts every replica; use an endpoint that reports on this process only (dependency-liveness)',
    ]);
  });

  it('names the short form of an endpoint, and says nothing about numbers that the policy does not write', () => {
    const warningsOf = (...[liveness, readiness]: readonly string[]): readonly string[] =>
      decide(
        request(
          policyDocument({ kubernetesProbeEndpoints: { livenessProbe: liveness, readinessProbe: readiness } }, 'base'),
        ),
      ).warnings;
    expect(warningsOf('/up', '/up')).toEqual([]);
    expect(warningsOf('/ready', '/up')).toEqual([
      expect.stringMatching(/^spec\.kubernetesProbeEndpoints\.livenessProbe: container "app" asks "\/ready" /),
    ]);
  });

  it('never denies a change that leaves the spec as it is, because finalizers must be removable', () => {
    const update = { operation: 'UPDATE', oldObject: bad } as const;
    const { allowed, warnings, reviewed } = decide(request(changed(bad, { labels: { a: 'b' } }), update));
    expect({ allowed, warnings, reviewed }).toEqual({
      allowed: true,
      warnings: ['spec.prot: unknown field; did you mean "port"?'],
      reviewed: undefined,
    });
    const dying = changed(bad, { deletionTimestamp: '2026-01-01T00:00:00Z' });
    expect(decide(request(dying, { operation: 'UPDATE', oldObject: good })).allowed).toBe(true);
  });

  it('says in a dry run that a spec that stays has no effect, and is silent otherwise', () => {
    const labelled = changed(good, { labels: { a: 'b' } });
    const update = { operation: 'UPDATE', oldObject: good } as const;
    const dryRun = decide(request(labelled, { ...update, dryRun: true }));
    expect([dryRun.allowed, dryRun.warnings, dryRun.reviewed]).toEqual([
      true,
      ['no effect: the spec does not change'],
      undefined,
    ]);
    expect(decide(request(labelled, update)).warnings).toEqual([]);
    expect(decide(request(good, { dryRun: true })).warnings).toEqual([]);
  });

  it('denies a change of the spec to one that cannot be read', () =>
    expect(decide(request(bad, { operation: 'UPDATE', oldObject: good })).allowed).toBe(false));

  it('allows every deletion, and shows its effect to people only', () => {
    const deletion = { operation: 'DELETE', oldObject: bad } as const;
    expect(decide(request(undefined, deletion)).reviewed).toEqual({
      source: 'ProbePolicy/apps/base',
      namespace: 'apps',
      applied: undefined,
    });
    const kind = { group: 'probewright.dev', version: 'v1alpha1', kind: 'ClusterProbePolicy' };
    expect(decide(request(undefined, { ...deletion, kind, namespace: '' })).reviewed).toEqual({
      source: 'ClusterProbePolicy/base',
      namespace: undefined,
      applied: undefined,
    });
    const userName = 'system:serviceaccount:kube-system:namespace-controller';
    expect(decide(request(undefined, { ...deletion, userName })).reviewed).toBeUndefined();
    expect(decide(request(undefined, { ...deletion, name: '' })).reviewed).toBeUndefined();
  });

  it('takes name and namespace from the request when the object lacks them', () => {
    expect(decide(request({ ...good, metadata: {} })).reviewed?.source).toBe('ProbePolicy/apps/base');
    const cluster = clusterPolicyDocument({ checks: {} }, 'base');
    const kind = { group: 'probewright.dev', version: 'v1alpha1', kind: 'ClusterProbePolicy' };
    expect(decide(request(cluster, { kind, namespace: '' })).reviewed?.source).toBe('ClusterProbePolicy/base');
  });

  it.each([
    ['another kind', { kind: { group: 'apps', version: 'v1', kind: 'Deployment' } }, 'kind'],
    ['a subresource', { subResource: 'status' }, 'subresource'],
    ['another operation', { operation: 'CONNECT' }, 'operation'],
  ])('skips %s', (_what, more, skipped) =>
    expect(decide(request(bad, more))).toMatchObject({ allowed: true, result: 'skip', skipped }),
  );

  it('does not read a review that is longer than any policy', () =>
    expect(() => decide(request(good, { textLength: 3_000_000 }))).toThrow(
      'the review has 3000000 characters: policies are shorter',
    ));

  it('cuts problems that quote long keys, and makes them visible', () => {
    const { reply } = decide(request(policyDocument({ ['\u001b' + 'x'.repeat(100_000)]: 1 }, 'base')));
    const message = reply.response.status?.message ?? '';
    expect(message.length).toBeLessThan(600);
    expect(message).toMatch(/^\P{Cc}+$/u);
  });

  it('puts the effect before the advice, because a reply has room for few warnings', () => {
    const of = request(good);
    const decision = reviewPolicy(of, policies, NOW);
    const first = withEffect(of, decision, ['b']);
    const { reply, result } = withEffect(of, first, ['a']);
    expect({ result, warnings: reply.response.warnings }).toEqual({ result: 'warn', warnings: ['a', 'b'] });
    expect(withEffect(of, decision, [])).toBe(decision);
  });
});

describe('/review-policies, for ProbeExceptions', () => {
  const exceptionRequest = (spec: JsonObject, more: Partial<AdmissionRequest> = {}): AdmissionRequest =>
    request(exceptionDocument(spec, { creationTimestamp: '2026-11-22T11:00:00Z' }), {
      kind: { group: 'probewright.dev', version: 'v1alpha1', kind: 'ProbeException' },
      name: 'legacy',
      ...more,
    });
  const inAMonth = { expires: '2026-12-22T00:00:00Z' };

  it('denies an exception that cannot be read, with path and suggestion', () => {
    const { result, reply } = decide(exceptionRequest({ ...inAMonth, checks: ['named-prt'] }));
    expect([result, reply.response.status?.message]).toEqual([
      'deny',
      'spec.checks[0]: unknown check "named-prt"; did you mean "named-port"?',
    ]);
  });

  it('allows an exception within the rules, and names it for its effect', () => {
    const { result, warnings, reviewed } = decide(exceptionRequest(inAMonth));
    expect([result, warnings]).toEqual(['allow', []]);
    expect(reviewed).toMatchObject({ source: 'ProbeException/apps/legacy', namespace: 'apps' });
  });

  it('warns about checks that may not be excepted, and about an end that is too far', () => {
    policies = policySet(clusterPolicyDocument({ exceptions: { maximumDays: 10, checks: ['startup-budget'] } }));
    expect(decide(exceptionRequest(inAMonth)).warnings).toEqual([
      'spec.checks: the policies allow no exception from named-port, so named-port stays in force',
      'spec.expires: the policies allow at most 10 days, so the exception ends at 2026-12-02T11:00:00Z',
    ]);
  });

  it('warns when the exception has ended, and when the namespace may not have any', () => {
    expect(decide(exceptionRequest({ expires: '2026-11-22T12:00:00Z' })).warnings).toEqual([
      'spec.expires: the exception ended at 2026-11-22T12:00:00Z, so it has no effect',
    ]);
    policies = policySet(clusterPolicyDocument({ exceptions: { action: 'Ignore' } }));
    expect(decide(exceptionRequest(inAMonth)).warnings).toEqual([
      'ProbeExceptions have no effect in namespace apps: a policy sets exceptions.action to Ignore',
    ]);
  });

  it('never denies a stored exception whose spec stays, and never a deletion', () => {
    const stored = exceptionDocument({ checks: ['named-prt'] });
    const unchanged = decide(exceptionRequest({ checks: ['named-prt'] }, { operation: 'UPDATE', oldObject: stored }));
    expect([unchanged.allowed, unchanged.reviewed]).toEqual([true, undefined]);
    const same = { operation: 'UPDATE', oldObject: exceptionDocument(inAMonth), dryRun: true } as const;
    expect(decide(exceptionRequest(inAMonth, same)).warnings).toEqual(['no effect: the spec does not change']);
    const deleted = decide(exceptionRequest({}, { operation: 'DELETE', object: undefined }));
    expect([deleted.allowed, deleted.reviewed]).toEqual([
      true,
      { source: 'ProbeException/apps/legacy', namespace: 'apps', exception: undefined },
    ]);
  });
});
