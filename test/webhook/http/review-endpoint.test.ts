import { beforeAll, describe, expect, it } from 'vitest';
import { quietApp, quietMetrics, type QuietOptions } from './quiet-app.ts';
import { makeServingPair } from '../../support/certificate.ts';
import { exceptionDocument } from '../../support/exceptions.ts';
import { NOW } from '../../support/now.ts';
import { expectValidReply } from '../../support/protocol.ts';
import { clusterPolicyDocument, policyDocument, policySet, reviewOf } from '../../support/worlds.ts';
import { LATE } from '../../../src/webhook/http/review-endpoint.ts';
import type { EffectLimits, PolicyEffect } from '../../../src/webhook/http/review-endpoint.ts';
import type { Reviewed } from '../../../src/webhook/review/decision.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

let pair: { certPem: string; keyPem: string };
beforeAll(async () => {
  pair = await makeServingPair();
});

const UID = '705ab4f5-6393-11e8-b7cc-42010a800002';
const good = policyDocument({ containers: ['*'], kubernetesProbeEndpoints: { readinessProbe: '/ready' } }, 'base');
const bad = policyDocument({ prot: 8080 }, 'base');
const livenessProbe = { httpGet: { path: '/ready', port: 'http' } };
const risky = policyDocument({ containers: ['*'], probes: { livenessProbe } }, 'base');
const advice =
  'spec.probes.livenessProbe.httpGet.path: container "app" asks "/ready" for liveness: the name suggests a readiness or aggregate endpoint, and the outage of a dependency then restarts every replica; use an endpoint that reports on this process only (dependency-liveness)';

interface Answer {
  readonly code: number;
  readonly body: JsonObject;
}

interface World {
  readonly post: (payload: unknown, query?: string, headers?: Record<string, string>) => Promise<Answer>;
  /** What the effects were asked for. */
  readonly asked: { readonly reviewed: Reviewed; readonly limits: EffectLimits; readonly isAbandoned: boolean }[];
  readonly lines: unknown[][];
  readonly metrics: () => Promise<string>;
}

const EFFECT = ['of 41 workloads, 2 would be denied if created again, and warned at updates'];

/** @param policyEffect null = policyReview.impact is false */
function world(options: QuietOptions = {}, policyEffect?: PolicyEffect | null): World {
  const metrics = quietMetrics();
  const lines: unknown[][] = [];
  const asked: World['asked'] = [];
  const recorded: PolicyEffect = (reviewed, limits) => {
    asked.push({ reviewed, limits, isAbandoned: limits.isAbandoned() });
    return Promise.resolve(EFFECT);
  };
  const app = quietApp(pair, {
    policies: () => policySet(clusterPolicyDocument({ exceptions: { maximumDays: 10, checks: ['startup-budget'] } })),
    ...(policyEffect !== null && { policyEffect: policyEffect ?? recorded }),
    metrics,
    log: {
      decided: (...fields) => lines.push(['decided', fields[0], fields[2].result]),
      refused: () => lines.push(['refused']),
      failed: (path, error) => lines.push(['failed', path, (error as Error).message]),
      limited: () => undefined,
    },
    ...options,
  });
  const post: World['post'] = async (payload, query = '?timeout=5s', headers = {}) => {
    const response = await app.inject({
      method: 'POST',
      url: `/review-policies${query}`,
      headers: { 'content-type': 'application/json', ...headers },
      payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
    });
    return { code: response.statusCode, body: response.json() };
  };
  return { post, asked, lines, metrics: () => metrics.registry.metrics() };
}

/** The verdict in an answer, held to the protocol. */
function verdict({ code, body }: Answer): { readonly allowed: boolean; readonly warnings: readonly string[] } {
  expect(code).toBe(200);
  const { allowed, warnings } = expectValidReply('review-policies', UID, body);
  return { allowed, warnings };
}

/** The reason of a denial. */
const statusOf = ({ body }: Answer): unknown => (body['response'] as { status?: unknown } | undefined)?.status;

describe('POST /review-policies of a policy', () => {
  it('warns about the effect first, then gives advice', async () => {
    const { post, asked, lines, metrics } = world();
    const warnings = [...EFFECT, advice];
    expect(verdict(await post(reviewOf(risky, { dryRun: true })))).toEqual({ allowed: true, warnings });
    expect(asked).toMatchObject([
      { reviewed: { source: 'ProbePolicy/apps/base', namespace: 'apps', applied: { name: 'base' } } },
    ]);
    expect(lines).toEqual([['decided', 'review-policies', 'warn']]);
    expect(await metrics()).toMatch(/^probewright_admission_requests_total\{.*webhook="review-policies".*\} 1$/m);
  });

  it('denies a policy that cannot be read, and computes no effect', async () => {
    const { post, asked } = world();
    const answer = await post(reviewOf(bad));
    expect(verdict(answer).allowed).toBe(false);
    expect(statusOf(answer)).toMatchObject({ code: 422, message: 'spec.prot: unknown field; did you mean "port"?' });
    expect(asked).toEqual([]);
  });

  it('ends a denial with the sentence of the platform team', async () => {
    const answer = await world({ denialContact: 'Ask #platform.' }).post(reviewOf(bad));
    const message = 'spec.prot: unknown field; did you mean "port"?\nAsk #platform.';
    expect(statusOf(answer)).toMatchObject({ code: 422, message });
  });

  it('still reads policies while policyReview.impact is false', async () => {
    const { post } = world({}, null);
    expect(verdict(await post(reviewOf(bad))).allowed).toBe(false);
    expect(verdict(await post(reviewOf(risky)))).toEqual({ allowed: true, warnings: [advice] });
    expect(verdict(await post(reviewOf(good)))).toEqual({ allowed: true, warnings: [] });
  });

  it('answers without the effect if the effect fails', async () => {
    const { post, lines } = world({}, () => Promise.reject(new Error('boom')));
    expect(verdict(await post(reviewOf(risky)))).toEqual({ allowed: true, warnings: [advice] });
    expect(lines).toEqual([
      ['failed', '/review-policies', 'boom'],
      ['decided', 'review-policies', 'warn'],
    ]);
  });

  it('shortens long warnings, so that the API server passes them on', async () => {
    const policyEffect: PolicyEffect = () => Promise.resolve(Array.from({ length: 50 }, () => 'x'.repeat(2000)));
    const { warnings } = verdict(await world({}, policyEffect).post(reviewOf(good)));
    expect(warnings.join('').length).toBeLessThan(4096);
  });
});

describe('POST /review-policies of an exception', () => {
  const inAMonth = { expires: new Date(NOW + 30 * 86_400_000).toISOString() };
  const created = { creationTimestamp: new Date(NOW).toISOString() };

  it('warns about what the policies do not allow', async () => {
    const { post, asked } = world();
    const { allowed, warnings } = verdict(await post(reviewOf(exceptionDocument(inAMonth, created))));
    expect(allowed).toBe(true);
    expect(warnings).toEqual([
      ...EFFECT,
      'spec.checks: the policies allow no exception from named-port, so named-port stays in force',
      expect.stringMatching(/^spec\.expires: the policies allow at most 10 days, so the exception ends at /) as string,
    ]);
    expect(asked).toMatchObject([{ reviewed: { source: 'ProbeException/apps/legacy', namespace: 'apps' } }]);
  });
});

describe('the time of a policy review', () => {
  it.each([
    ['?timeout=5s', 2000],
    ['?timeout=10s', 4000],
    ['?timeout=1m1.5s', 24_600],
    ['?timeout=1h500ms', 1_440_200],
    ['?timeout=nonsense', Infinity],
    ['', Infinity],
  ])('with "%s" leaves %d ms to the effect: half of what is left', async (query, milliseconds) => {
    const { post, asked } = world();
    await post(reviewOf(good, { dryRun: true }), query);
    await post(reviewOf(good), query);
    expect(asked.map(({ limits, isAbandoned }) => [limits.milliseconds, limits.isDryRun, isAbandoned])).toEqual([
      [milliseconds, true, false],
      [milliseconds, false, false],
    ]);
  });

  it('ends with a denial once the API server waits no longer', async () => {
    const clock = [0, 4001];
    const { post, asked, metrics } = world({ monotonic: () => clock.shift() ?? 4001 });
    const answer = await post(reviewOf(good));
    expect(verdict(answer).allowed).toBe(false);
    expect(statusOf(answer)).toMatchObject({ code: 422, message: `metadata: ${LATE}` });
    expect(asked).toEqual([]);
    expect(await metrics()).toContain('probewright_reviews_not_judged_total{webhook="review-policies"} 1');
  });

  it('is not spent before policies are loaded: HTTP 500, so that failurePolicy decides', async () => {
    const { code, body } = await world({ policies: () => undefined }).post(reviewOf(good));
    expect([code, body['message']]).toEqual([500, 'probewright: the policies are not loaded yet']);
  });
});

describe('a body that is no review of a policy', () => {
  it.each<[string, unknown, Record<string, string>, number, string]>([
    ['no JSON', '{', {}, 400, 'the body is not JSON'],
    ['an empty body', '', {}, 400, ''],
    ['null', 'null', {}, 400, ''],
    ['a list', '[]', {}, 400, ''],
    ['a review without a request', { kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1' }, {}, 400, ''],
    ['another type', 'a=b', { 'content-type': 'text/plain' }, 415, 'Content-Type must be application/json'],
    ['more than 64 MiB', '{}', { 'content-length': String(64 * 1024 * 1024 + 1) }, 413, 'no API server sends'],
  ])('%s is refused, and computes no effect', async (_what, payload, headers, code, message) => {
    const { post, asked } = world();
    const answer = await post(payload, '?timeout=5s', headers);
    expect(answer.code).toBe(code);
    expect(answer.body).toMatchObject({ kind: 'Status', status: 'Failure', code });
    expect(answer.body['message']).toContain(message);
    expect(asked).toEqual([]);
  });

  it('that is longer than any policy is denied', async () => {
    const policy = policyDocument({ containers: ['x'.repeat(2 * 1024 * 1024)] }, 'base');
    const answer = await world().post(reviewOf(policy));
    expect(verdict(answer).allowed).toBe(false);
    expect(statusOf(answer)).toMatchObject({
      code: 422,
      message: expect.stringContaining('make it shorter') as string,
    });
  });

  it.each([
    ['a string as spec', policyDocument('all', 'base')],
    ['a list as spec', policyDocument([], 'base')],
    ['no spec', policyDocument(undefined, 'base')],
    [
      'a prototype',
      JSON.parse(
        '{"kind":"ProbePolicy","apiVersion":"probewright.dev/v1alpha1","metadata":{"name":"base"},"spec":{"__proto__":{"port":1}}}',
      ) as JsonObject,
    ],
    ['numbers as names', { ...good, metadata: { name: 5, namespace: 5 } }],
  ])('with %s is a denial that says where, or a policy', async (_what, object) => {
    const answer = await world().post(reviewOf(object, { name: 'base', namespace: 'apps' }));
    const { allowed } = verdict(answer);
    if (!allowed) expect(statusOf(answer)).toMatchObject({ code: 422, reason: 'Invalid' });
  });
});
