import { beforeAll, describe, expect, it } from 'vitest';
import { LATE } from '../../../src/webhook/http/review-endpoint.ts';
import { quietApp, quietMetrics, type QuietOptions } from './quiet-app.ts';
import type { Metrics } from '../../../src/webhook/http/metrics.ts';
import { makeServingPair } from '../../support/certificate.ts';
import { waitUntil } from '../../cluster/client/wait-until.ts';
import { expectValidReply } from '../../support/protocol.ts';
import { appContainer, clusterPolicyDocument, deploymentOf, pod, policySet, reviewOf } from '../../support/worlds.ts';
import type { FastifyInstance } from 'fastify';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

let pair: { certPem: string; keyPem: string };
beforeAll(async () => {
  pair = await makeServingPair();
});

const policies = policySet(clusterPolicyDocument({ kubernetesProbeEndpoints: { readinessProbe: '/r' } }));

interface World {
  readonly app: FastifyInstance;
  readonly metrics: Metrics;
  readonly lines: unknown[][];
}

function world(options: QuietOptions = {}): World {
  const metrics = quietMetrics();
  const lines: unknown[][] = [];
  const app = quietApp(pair, {
    policies: () => policies,
    metrics,
    log: {
      decided: (...fields) => lines.push(['decided', ...fields]),
      refused: (...fields) => lines.push(['refused', ...fields]),
      failed: (...fields) => lines.push(['failed', ...fields]),
      limited: () => undefined,
    },
    ...options,
  });
  return { app, metrics, lines };
}

const review = reviewOf(pod([appContainer()]));
const uid = String(review.request['uid']);

async function post(
  app: FastifyInstance,
  url: string,
  payload: unknown,
  headers: Record<string, string> = {},
): Promise<{ code: number; body: JsonObject; headers: JsonObject }> {
  const response = await app.inject({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json', ...headers },
    payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
  });
  expect(response.headers['content-type']).toMatch(/^application\/json/);
  expect(response.headers).not.toHaveProperty('retry-after');
  return { code: response.statusCode, body: response.json(), headers: response.headers };
}

describe('a v1 AdmissionReview', () => {
  it('posted to /mutate is answered with the patch', async () => {
    const { app } = world();
    const { code, body } = await post(app, '/mutate?timeout=5s', review);
    expect(code).toBe(200);
    expect(expectValidReply('mutate', uid, body).patch?.map(({ path }) => path)).toEqual([
      '/metadata/annotations',
      '/spec/containers/0/readinessProbe',
    ]);
  });

  it('posted to /validate is allowed without a patch', async () => {
    const { body } = await post(world().app, '/validate', review);
    expect(expectValidReply('validate', uid, body)).toEqual({
      allowed: true,
      patch: undefined,
      warnings: [],
      auditAnnotations: {},
    });
  });

  it('that is denied ends with the sentence of the platform team, and no other answer has it', async () => {
    const { app } = world({ denialContact: 'Ask #platform.' });
    const denied = reviewOf(deploymentOf(pod([appContainer({ readinessProbe: { httpGet: { port: 'htpp' } } })])));
    const { body } = await post(app, '/validate', denied);
    const { status } = body['response'] as { status: { message: string } };
    const lines = status.message.split('\n');
    expect([lines[0], lines.at(-1)]).toEqual([expect.stringContaining('(named-port)'), 'Ask #platform.']);
    for (const [url, object] of [
      ['/validate', review],
      ['/mutate', review],
    ] as const)
      expect(JSON.stringify((await post(app, url, object)).body)).not.toContain('#platform');
  });

  it('gets no patch under mutation Audit, but annotations that say what would have been added', async () => {
    const { body } = await post(world({ mutation: 'Audit' }).app, '/mutate', review);
    const { patch, auditAnnotations } = expectValidReply('mutate', uid, body);
    expect(patch).toBeUndefined();
    expect(auditAnnotations).toHaveProperty('would-inject', '{"app":{"readinessProbe":"ClusterProbePolicy/cluster"}}');
  });

  it('gets nothing at all under mutation Off', async () => {
    const { body } = await post(world({ mutation: 'Off' }).app, '/mutate', review);
    expect(body['response']).toEqual({ uid, allowed: true });
  });

  it('that arrives together with others, good and bad, gets the answer to itself', async () => {
    const { app } = world();
    const named = (name: string): JsonObject => ({ ...reviewOf(pod([appContainer({ name })])) });
    const bodies = [named('one'), '{"', named('two'), { kind: 'Lease' }, named('three')];
    const answers = await Promise.all(bodies.map((body) => post(app, '/mutate', body)));
    expect(answers.map(({ code }) => code)).toEqual([200, 400, 200, 400, 200]);
    const injected = answers.flatMap(({ code, body }) =>
      code === 200 ? [expectValidReply('mutate', uid, body).auditAnnotations['injected']] : [],
    );
    expect(injected).toEqual(
      ['one', 'two', 'three'].map((name) => `{"${name}":{"readinessProbe":"ClusterProbePolicy/cluster"}}`),
    );
  });

  it('that waits for others is answered in its turn, and a flood is told to try again', async () => {
    let time = 0;
    const policiesNow = (): typeof policies => {
      time += 600;
      return policies;
    };
    const { app, metrics } = world({ policies: policiesNow, monotonic: () => time });
    const flood = Array.from({ length: 60 }, () => post(app, '/mutate', review));
    await flood[2];
    const late = await post(app, '/mutate', review);
    expect([late.code, late.body['response']]).toMatchObject([
      200,
      { allowed: true, warnings: [expect.stringContaining(LATE)] },
    ]);
    const answers = await Promise.all(flood);
    expect(answers.filter(({ body }) => 'patch' in (body['response'] as JsonObject))).toHaveLength(60);
    expect(await metrics.registry.metrics()).toContain('probewright_reviews_not_judged_total{webhook="mutate"} 1');
  });

  it('of 6 MiB is answered like any other', async () => {
    const big = reviewOf(pod([appContainer()], { metadata: { annotations: { big: 'x'.repeat(6 * 1024 * 1024) } } }));
    expect((await post(world().app, '/mutate', big)).code).toBe(200);
  });

  it.each(['__proto__', 'constructor', 'prototype'])(
    'with a %s key is answered like any other, and the key changes nothing',
    async (key) => {
      const text = JSON.stringify(review).replace('"image":', `"${key}":{"livenessProbe":{},"containers":[]},"image":`);
      const { code, body } = await post(
        world().app,
        '/mutate',
        text.replace('"spec":', `"${key}":{"prototype":{"x":1}},"spec":`),
      );
      expect(code).toBe(200);
      expect(expectValidReply('mutate', uid, body).patch).toHaveLength(2);
      expect(({} as JsonObject)['livenessProbe']).toBeUndefined();
    },
  );
});

describe('a body that is no v1 AdmissionReview', () => {
  const without = (path: string): unknown => {
    const copy = structuredClone(review) as unknown as { request: Record<string, unknown> };
    Reflect.deleteProperty(path === 'request' ? copy : copy.request, path);
    return copy;
  };

  it.each<[string, unknown, string]>([
    ['no JSON', '{"a":', 'the body is not JSON'],
    ['nothing', '', 'the body is not JSON'],
    ['null', 'null', 'the body must be an AdmissionReview object, not null'],
    ['an array', [], 'the body must be an AdmissionReview object, not an array'],
    ['another kind', { ...review, kind: 'Pod' }, 'kind must be AdmissionReview, not "Pod"'],
    [
      'v1beta1',
      { ...review, apiVersion: 'admission.k8s.io/v1beta1' },
      'apiVersion must be admission.k8s.io/v1, not "admission.k8s.io/v1beta1"',
    ],
    ['no request', without('request'), 'request must be an object, not absent'],
    ['no uid', without('uid'), 'request.uid must be a string, not absent'],
    ['no kind', without('kind'), 'request.kind must be an object, not absent'],
    ['no operation', without('operation'), 'request.operation must be a string, not absent'],
    ['no object on CREATE', without('object'), 'request.object must be an object when request.operation is CREATE'],
    [
      'a string for an object',
      reviewOf(pod([]), { object: 'x' }),
      'request.object must be an object or null, not a string',
    ],
  ])('(%s) is HTTP 400 with a Status that says so', async (_, payload, message) => {
    for (const url of ['/mutate', '/validate']) {
      const { code, body } = await post(world().app, url, payload);
      expect(code).toBe(400);
      expect(body).toMatchObject({
        kind: 'Status',
        apiVersion: 'v1',
        status: 'Failure',
        reason: 'BadRequest',
        code: 400,
        message: expect.stringContaining(message) as string,
      });
    }
  });

  it('of another content type is HTTP 415', async () => {
    const { code, body } = await post(world().app, '/mutate', JSON.stringify(review), {
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect([code, body['message']]).toEqual([415, 'probewright: Content-Type must be application/json']);
  });

  it('with a text that has many commas and braces is answered like any other', async () => {
    const text = JSON.stringify('{"\\":,['.repeat(100_000));
    const body = `{"more":${text},${JSON.stringify(review).slice(1)}`;
    expect((await post(world().app, '/mutate', body)).code).toBe(200);
  });

  it('over 64 MiB is HTTP 413, as no API server sends it', async () => {
    const { app } = world();
    const headers = { 'content-length': String(64 * 1024 * 1024 + 1) };
    expect((await post(app, '/mutate', JSON.stringify(review), headers)).code).toBe(413);
  });
});

describe('a request from a namespace that the policies do not know yet', () => {
  const none = policySet();

  /** Requests decided without the labels of their namespace, by why. */
  async function missed(metrics: Metrics, webhook: string): Promise<Record<string, number>> {
    const text = await metrics.registry.metrics();
    const lines = text.matchAll(
      /^probewright_namespace_waits_skipped_total\{webhook="(\w+)",reason="(.+?)"\} (\d+)$/gm,
    );
    const own = [...lines].filter((line) => line[1] === webhook);
    return Object.fromEntries(own.map((line) => [String(line[2]), Number(line[3])] as const));
  }

  it.each(['/mutate', '/validate'])(
    'to %s is answered by the policies that are in force once it is known',
    async (url) => {
      const { promise, resolve } = Promise.withResolvers<undefined>();
      const asked: string[] = [];
      let inForce = none;
      const { app, lines } = world({
        policies: () => inForce,
        namespaceKnown: (namespace) => {
          asked.push(namespace);
          return promise;
        },
      });
      const answering = post(app, url, review);
      await waitUntil('it is asked about', () => asked.length > 0);
      expect([asked, lines]).toEqual([['apps'], []]);
      inForce = policies;
      resolve(undefined);
      expect((await answering).code).toBe(200);
      const decision = lines[0]?.[3] as { policies: string[] };
      expect(decision.policies).toEqual(['ClusterProbePolicy/cluster']);
    },
  );

  it('is answered at once when there is nothing to wait for', async () => {
    const { app, lines } = world({ namespaceKnown: () => undefined });
    expect([(await post(app, '/mutate', review)).code, lines.length]).toEqual([200, 1]);
  });

  it('is answered by what is known before the API server loses patience, which is counted', async () => {
    const { app, metrics } = world({ namespaceKnown: () => new Promise(() => undefined) });
    expect((await post(app, '/mutate?timeout=200ms', review)).code).toBe(200);
    expect(await missed(metrics, 'mutate')).toEqual({ 'no-room': 0, timeout: 1, 'no-contact': 0 });
  });

  it.each(['timeout', 'no-contact', 'no-room'] as const)(
    'is answered by what is known when its labels are not to be had, which is counted: %s',
    async (reason) => {
      const { app, metrics } = world({
        namespaceKnown: () => (reason === 'no-room' ? reason : Promise.resolve(reason)),
      });
      expect((await post(app, '/validate', review)).code).toBe(200);
      expect(await missed(metrics, 'validate')).toEqual({ 'no-room': 0, timeout: 0, 'no-contact': 0, [reason]: 1 });
      expect(await missed(metrics, 'mutate')).toEqual({ 'no-room': 0, timeout: 0, 'no-contact': 0 });
    },
  );

  it('is not judged when its time is over all the same', async () => {
    let time = 0;
    const { app } = world({
      monotonic: () => time,
      namespaceKnown: () => {
        time = 5000;
        return Promise.resolve(undefined);
      },
    });
    const { code, body } = await post(app, '/mutate?timeout=5s', review);
    expect([code, body['response']]).toMatchObject([200, { allowed: true, warnings: [expect.stringContaining(LATE)] }]);
  });

  it('is not asked about for an object outside namespaces', async () => {
    const namespaceKnown = (): never => {
      throw new Error('asked');
    };
    const outside = { ...review, request: { ...review.request, namespace: '' } };
    expect((await post(world({ namespaceKnown }).app, '/mutate', outside)).code).toBe(200);
  });
});

describe('the webhook server', () => {
  it('answers other paths and methods with a Status that names the right ones', async () => {
    const response = await world().app.inject({ method: 'GET', url: '/mutate?x=y' });
    expect(response.statusCode).toBe(404);
    expect(response.json<JsonObject>()['message']).toBe(
      'probewright: no GET /mutate: POST an AdmissionReview to /mutate, /validate or /review-policies',
    );
  });

  it('answers 500 while the policies are not loaded, so that failurePolicy decides', async () => {
    const { app, lines } = world({ policies: () => undefined });
    for (const url of ['/mutate', '/validate']) {
      const { code, body } = await post(app, url, review);
      expect([code, body['reason'], body['message']]).toEqual([
        500,
        'InternalError',
        'probewright: the policies are not loaded yet',
      ]);
    }
    expect(lines.map(([kind]) => kind)).toEqual(['failed', 'failed']);
  });

  it('answers an error of its own with 500, never with allowed: false', async () => {
    const broken = {
      policyFor: () => {
        throw new Error('boom');
      },
    };
    const { code, body } = await post(world({ policies: () => broken as never }).app, '/mutate', review);
    expect([code, body['message']]).toEqual([500, 'probewright: boom']);
  });

  it.each([
    ['5s', 3999, 'judged'],
    ['5s', 4001, 'not judged'],
    ['1m0s', 47_000, 'judged'],
    ['500ms', 401, 'not judged'],
    ['nonsense', 100_000, 'judged'],
  ])('obeys ?timeout=%s: after %i ms a review is %s', async (timeout, elapsed, expected) => {
    const clock = [0, elapsed];
    const { app, metrics } = world({ monotonic: () => clock.shift() ?? elapsed });
    const { code, body } = await post(app, `/mutate?timeout=${timeout}`, review);
    expect([code, JSON.stringify(body).includes(LATE)]).toEqual([200, expected === 'not judged']);
    const text = await metrics.registry.metrics();
    expect(text).toContain(`probewright_reviews_not_judged_total{webhook="mutate"} ${expected === 'judged' ? 0 : 1}`);
  });

  it('closes connections after a request that is no review, and keeps others', async () => {
    const { app } = world();
    const connectionAfter = async (url: string, payload: unknown, type?: string): Promise<unknown[]> => {
      const { code, headers } = await post(app, url, payload, type === undefined ? {} : { 'content-type': type });
      return [code, headers['connection']];
    };
    expect([
      await connectionAfter('/mutate', review),
      await connectionAfter('/mutate', '{'),
      await connectionAfter('/elsewhere', review),
      await connectionAfter('/mutate', 'a: 1', 'application/yaml'),
    ]).toEqual([
      [200, 'keep-alive'],
      [400, 'close'],
      [404, 'close'],
      [415, 'close'],
    ]);
  });

  it('closes connections after their next answer while it drains', async () => {
    expect((await post(world().app, '/mutate', review)).headers['connection']).not.toBe('close');
    const { code, headers } = await post(world({ draining: () => true }).app, '/mutate', review);
    expect([code, headers['connection']]).toEqual([200, 'close']);
  });

  it("has the settings that the API server's client asks for", () => {
    const { server } = world().app;
    const { keepAliveTimeout, requestTimeout, headersTimeout, timeout } = server;
    expect({ keepAliveTimeout, requestTimeout, headersTimeout, timeout }).toEqual({
      keepAliveTimeout: 120_000,
      requestTimeout: 35_000,
      headersTimeout: 35_000,
      timeout: 40_000,
    });
  });

  it('counts decisions, injected probes and reasons, with labels that callers cannot grow', async () => {
    const { app, metrics } = world();
    await post(app, '/mutate', review);
    await post(app, '/mutate', reviewOf({ ...pod([]), kind: 'Kind-of-the-callers' }));
    await post(app, '/mutate', '{');
    const text = await metrics.registry.metrics();
    expect(text).toContain(
      'probewright_admission_requests_total{webhook="mutate",operation="CREATE",kind="Pod",result="mutate",would_be="mutate",dry_run="false"} 1',
    );
    expect(text).toContain(
      'probewright_admission_requests_total{webhook="mutate",operation="CREATE",kind="other",result="skip",would_be="skip",dry_run="false"} 1',
    );
    expect(text).toContain(
      'probewright_admission_requests_total{webhook="mutate",operation="other",kind="other",result="error",would_be="error",dry_run="false"} 1',
    );
    expect(text).toContain('probewright_patch_operations_total{rule="policy",probe="readinessProbe"} 1');
    expect(text).toContain('probewright_not_injected_total{reason="no-endpoint"} 2');
    expect(text).toContain('probewright_admission_duration_seconds_count{webhook="mutate"} 3');
    expect(text).toContain('probewright_admission_in_flight 0');
    expect(text).toContain('probewright_cert_expiry_timestamp_seconds{cert="leaf"} 9');
    expect(text).not.toContain('callers');
  });

  it('counts what the top rung would do, on each rung', async () => {
    const { app, metrics } = world({ enforcement: 'Audit', mutation: 'Audit' });
    const misnamed = { readinessProbe: { httpGet: { path: '/', port: 'htpp' } } };
    const denied = reviewOf(deploymentOf(pod([appContainer(misnamed)])));
    await post(app, '/mutate', review);
    await post(app, '/validate', denied);
    const text = await metrics.registry.metrics();
    const requests = (webhook: string, kind: string, result: string): string =>
      `probewright_admission_requests_total{webhook="${webhook}",operation="CREATE",kind="${kind}",${result},dry_run="false"} 1`;
    expect(text).toContain(requests('mutate', 'Pod', 'result="allow",would_be="mutate"'));
    expect(text).toContain(requests('validate', 'Deployment', 'result="allow",would_be="deny"'));
    expect(text).toContain('probewright_findings_total{rule="named-port",action="Audit"} 1');
    expect(text).toContain('probewright_would_be_findings_total{rule="named-port",action="Deny"} 1');
    expect(text).toContain('probewright_findings_total{rule="named-port",action="Deny"} 0');
  });

  it('logs an error of its own that comes after the answer, and does not answer twice', async () => {
    const failed: unknown[] = [];
    const log = {
      decided: () => {
        throw new Error('boom');
      },
      refused: () => undefined,
      limited: () => undefined,
      failed: (...fields: unknown[]) => failed.push(fields),
    };
    expect((await post(world({ log }).app, '/mutate', review)).code).toBe(200);
    expect(failed).toEqual([['/mutate', new Error('boom')]]);
  });

  it('logs one line a decision', async () => {
    const { app, lines } = world();
    await post(app, '/mutate', review);
    expect(lines).toHaveLength(1);
    expect(lines[0]?.slice(0, 2)).toEqual(['decided', 'mutate']);
  });
});
