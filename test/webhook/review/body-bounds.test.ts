import { parseBody } from '../../../src/webhook/review/body.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { quietApp, quietMetrics } from '../http/quiet-app.ts';
import { makeServingPair } from '../../support/certificate.ts';
import { expectValidReply, type DecodedReply } from '../../support/protocol.ts';
import { appContainer, clusterPolicyDocument, pod, policySet, reviewOf } from '../../support/worlds.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { RequestLog } from '../../../src/webhook/request-log.ts';

let pair: { certPem: string; keyPem: string };
beforeAll(async () => {
  pair = await makeServingPair();
});

const policies = policySet(clusterPolicyDocument({ kubernetesProbeEndpoints: { readinessProbe: '/r' } }));

interface Answer {
  readonly code: number;
  readonly message: string | undefined;
  readonly reply: DecodedReply;
  readonly logged: readonly Parameters<RequestLog['decided']>[];
  readonly metrics: string;
}

async function ask(webhook: 'validate' | 'mutate' | 'review-policies', review: unknown): Promise<Answer> {
  const logged: Parameters<RequestLog['decided']>[] = [];
  const nothing = (): undefined => undefined;
  const log = { decided: (...call: (typeof logged)[number]) => logged.push(call) } as unknown as RequestLog;
  const metrics = quietMetrics();
  const app = quietApp(pair, {
    policies: () => policies,
    metrics,
    log: { ...log, refused: nothing, failed: nothing, limited: nothing },
  });
  const response = await app.inject({
    method: 'POST',
    url: `/${webhook}`,
    headers: { 'content-type': 'application/json' },
    payload: typeof review === 'string' ? review : JSON.stringify(review),
  });
  const body = response.json<{ message?: string; response?: { status?: { message?: string } } }>();
  const decided = response.statusCode === 200 ? body : undefined;
  return {
    code: response.statusCode,
    message: decided ? decided.response?.status?.message : body.message,
    reply: decided ? expectValidReply(webhook, UID, body) : ({} as DecodedReply),
    logged,
    metrics: await metrics.registry.metrics(),
  };
}

const UID = '705ab4f5-6393-11e8-b7cc-42010a800002';
const misspelt = { readinessProbe: { httpGet: { path: '/', port: 'htpp' } } };
const words = (count: number): string[] => Array.from({ length: count }, () => '');

function deployment(container: JsonObject = {}, metadata: JsonObject = {}, spec: JsonObject = {}): JsonObject {
  return {
    kind: 'Deployment',
    apiVersion: 'apps/v1',
    metadata: { name: 'web', namespace: 'apps', ...metadata },
    spec: { template: { spec: { containers: [appContainer(container)] } }, ...spec },
  };
}

const MEMBERS =
  'the request has more than 300000 members of objects and lists, and is not looked at; make the object smaller';
const LEVELS =
  'the request has more than 500 levels of objects and lists, and is not looked at; make the object smaller';

/** Nested so many times, in a field that only custom kinds may keep. */
const nested = (levels: number): JsonObject =>
  JSON.parse(`{"unknown":${'['.repeat(levels)}${']'.repeat(levels)}}`) as JsonObject;

describe('a review that is too large to be read', () => {
  it.each<[string, JsonObject, string]>([
    ['300,001 empty arguments', deployment({ args: words(300_001), ...misspelt }), MEMBERS],
    [
      '300,001 labels of the object',
      deployment(misspelt, { labels: Object.fromEntries(words(300_001).entries()) }),
      MEMBERS,
    ],
    ['500 levels', { ...deployment(misspelt), spec: nested(500) }, LEVELS],
    ['2,000 levels in front of the template', { ...deployment(misspelt), data: nested(2000) }, LEVELS],
  ])('is denied with the limit and what to do, and /mutate warns: %s', async (_, object, problem) => {
    const validated = await ask('validate', reviewOf(object));
    expect([validated.code, validated.message]).toEqual([200, `spec: ${problem} (valid-probe)`]);
    expect(validated.reply).toMatchObject({ allowed: false, auditAnnotations: { violations: 'valid-probe Deny' } });
    const mutated = await ask('mutate', reviewOf({ ...object, kind: 'Pod', apiVersion: 'v1' }));
    expect([mutated.code, mutated.reply]).toEqual([
      200,
      { allowed: true, patch: undefined, warnings: [`spec: ${problem} (valid-probe)`], auditAnnotations: {} },
    ]);
  });

  it('is logged and counted as what it is', async () => {
    const { logged, metrics } = await ask('validate', reviewOf(deployment({ args: words(300_001) })));
    const [[webhook, request, decision] = []] = logged;
    expect([webhook, request?.namespace, request?.name, request?.userName, decision?.result]).toEqual([
      'validate',
      'apps',
      'web',
      'jane',
      'deny',
    ]);
    expect(metrics).toContain(
      '{webhook="validate",operation="CREATE",kind="Deployment",result="deny",would_be="deny",dry_run="false"} 1',
    );
    expect(metrics).toContain('probewright_findings_total{rule="valid-probe",action="Deny"} 1');
  });

  it('is not what just fits', async () => {
    const fits = await ask(
      'validate',
      reviewOf({ ...deployment(), spec: { ...(deployment()['spec'] as JsonObject), ...nested(495) } }),
    );
    expect([fits.code, fits.reply.allowed]).toEqual([200, true]);
    expect((await ask('validate', reviewOf(deployment({ args: words(299_000) })))).message).toContain(
      'more than 5000 are not looked at',
    );
  });

  it.each<[string, JsonObject, JsonObject]>([
    [
      'a deletion',
      deployment(),
      { operation: 'DELETE', object: null, oldObject: deployment({ args: words(300_001) }) },
    ],
    ['an operation without an object', deployment({ args: words(300_001) }), { operation: 'CONNECT' }],
    ['a kind without probes', { ...deployment({ args: words(300_001) }), kind: 'Secret' }, {}],
    [
      'an object that is being deleted',
      deployment({ args: words(300_001) }, { deletionTimestamp: '2026-11-26T00:00:00Z' }),
      { operation: 'UPDATE', oldObject: deployment() },
    ],
    [
      'a ReplicaSet of a controller of Kubernetes',
      {
        ...deployment(
          { args: words(300_001) },
          { ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'u', controller: true }] },
        ),
        kind: 'ReplicaSet',
      },
      { userInfo: { username: 'system:kube-controller-manager' } },
    ],
  ])('is allowed if it would be allowed unread: %s', async (_, object, request) => {
    const { code, reply } = await ask('validate', reviewOf(object, request));
    expect([code, reply.allowed, reply.warnings]).toEqual([200, true, []]);
  });
});

it('a subresource that is too large to be read is skipped', async () => {
  const { request, ...review } = reviewOf(deployment({ args: words(300_001) }), { operation: 'UPDATE' });
  const { reply, logged } = await ask('validate', { ...review, request: { subResource: 'status', ...request } });
  expect([reply.allowed, logged[0]?.[2].skipped]).toEqual([true, 'subresource']);
});

it('an error of Probewright is HTTP 500, also when the stack is full', async () => {
  const overflow = (): never => {
    throw new RangeError('Maximum call stack size exceeded');
  };
  const app = quietApp(pair, {
    policies: () => Object.assign(Object.create(policies) as typeof policies, { policyFor: overflow }),
  });
  for (const url of ['/validate', '/mutate']) {
    const payload = reviewOf(pod([appContainer()]));
    expect((await app.inject({ method: 'POST', url, payload })).statusCode).toBe(500);
  }
});

describe('an update of which the old object makes the review too large', () => {
  const padded = deployment({ args: words(200_000), ...misspelt });
  const update = (object: JsonObject, oldObject: JsonObject): JsonObject =>
    reviewOf(object, { operation: 'UPDATE', oldObject });

  it.each<[string, JsonObject, JsonObject, string]>([
    ['takes the padding away', deployment(misspelt), deployment({ args: words(300_001), ...misspelt }), 'named-port'],
    ['keeps half of the padding', padded, padded, 'more than 5000 are not looked at'],
    ['takes the levels away', deployment(misspelt), { ...padded, spec: nested(600) }, 'named-port'],
  ])('is judged by the object alone: it %s', async (_, object, oldObject, message) => {
    const answer = await ask('validate', update(object, oldObject));
    expect([answer.code, answer.reply.allowed]).toEqual([200, false]);
    expect(answer.message).toContain(message);
  });

  it('is allowed when nothing is wrong with the object', async () => {
    expect((await ask('validate', update(deployment(), deployment({ args: words(300_001) })))).reply.allowed).toBe(
      true,
    );
  });
});

describe('a body that no API server sends', () => {
  const review = JSON.stringify(reviewOf(deployment(misspelt)));
  const object = JSON.stringify(deployment({ args: words(300_001), ...misspelt }));
  const written = review.replace(/"object":.*$/, '');

  it.each<[string, string, string]>([
    ['members before the review', `{"more":[${'{"33":1},'.repeat(102_000)}0],${review.slice(1)}`, MEMBERS],
    ['levels before the review', `{"more":${'['.repeat(600)}${']'.repeat(600)},${review.slice(1)}`, LEVELS],
    ['no review, only members', `{"a":1,"b":{"c":[${'0,'.repeat(300_000)}0]}}`, MEMBERS],
    ['a list', '['.repeat(600), LEVELS],
    [
      'the object before the rest',
      `{"kind":"AdmissionReview","request":{"object":${object},${review.slice(80)}`,
      MEMBERS,
    ],
    [
      'the old object before the object',
      `${written}"oldObject":${JSON.stringify(deployment())},"object":${object}}}`,
      MEMBERS,
    ],
    [
      'the old object alone before the limit',
      `${written}"oldObject":${object},"object":${JSON.stringify(deployment(misspelt))}}}`,
      MEMBERS,
    ],
    [
      'a user with too many groups',
      JSON.stringify(reviewOf(deployment(), { userInfo: { groups: words(300_001) } })),
      MEMBERS,
    ],
  ])('is denied as far as it is read, and /mutate allows it: %s', async (_, text, problem) => {
    const validated = await answer('validate', text);
    expect([validated.code, validated.response?.allowed]).toEqual([200, false]);
    expect(validated.response?.status?.message).toBe(`spec: ${problem} (valid-probe)`);
    const mutated = await answer('mutate', text);
    expect([mutated.code, mutated.response?.allowed]).toEqual([200, true]);
  });

  it('is denied as a review of a policy', async () => {
    const policy = {
      kind: 'ProbePolicy',
      apiVersion: 'probewright.dev/v1',
      metadata: {},
      spec: { containers: words(300_001) },
    };
    const { code, message } = await ask('review-policies', reviewOf(policy));
    expect([code, message]).toEqual([200, `metadata: ${MEMBERS}`]);
  });
});

/** The answer to a body whose uid may not have been read. */
async function answer(
  webhook: 'validate' | 'mutate',
  payload: string,
): Promise<{ code: number; response?: { allowed: boolean; status?: { message: string } } }> {
  const app = quietApp(pair, { policies: () => policies });
  const headers = { 'content-type': 'application/json' };
  const response = await app.inject({ method: 'POST', url: `/${webhook}`, headers, payload });
  return { code: response.statusCode, ...response.json<object>() };
}

describe('a body', () => {
  it('that is no JSON is refused without a word of it, because it may hold a secret', () => {
    for (const text of ['{"password": hunter2}', 'hunter2', '"hunter2', '{"a":"hunter2"'])
      expect(parseBody(text).problem).toMatch(
        /^the body is not JSON(?: at position \d+)?; send an AdmissionReview as JSON$/,
      );
  });

  it('that is a beginning has the members that are whole', () => {
    const text = JSON.stringify(reviewOf(deployment({ args: ['a', 'b'] })));
    for (let end = 0; end <= text.length; end += 1) {
      const { value, unread, problem } = parseBody(text.slice(0, end), 'cut') as Record<string, JsonObject | undefined>;
      expect([unread, problem]).toEqual(['cut', undefined]);
      const request = value?.['request'] as JsonObject | undefined;
      const whole = JSON.parse(text) as { request: JsonObject };
      // All but the last member of the request are as they were sent.
      for (const [key, member] of Object.entries(request ?? {}).slice(0, -1))
        expect(member).toEqual(whole.request[key]);
    }
  });
});
