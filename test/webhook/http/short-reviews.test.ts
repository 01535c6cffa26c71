import { once } from 'node:events';
import { Agent, request } from 'node:https';
import { connect } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildWebhookApp } from '../../../src/webhook/http/app.ts';
import { quietMetrics } from './quiet-metrics.ts';
import type { Metrics } from '../../../src/webhook/http/metrics.ts';
import { KNOWN_KINDS } from '../../../src/engine/workload/custom-kinds.ts';
import { DEFAULT_TRUSTED_CONTROLLERS } from '../../../src/webhook/review/trusted-controllers.ts';
import { makeServingPair } from '../../support/certificate.ts';
import { expectValidReply } from '../../support/protocol.ts';
import { appContainer, clusterPolicyDocument, pod, policySet, reviewOf } from '../../support/worlds.ts';
import { NOW } from '../../support/now.ts';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { WebhookApp } from '../../../src/webhook/http/app.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

let pair: { certPem: string; keyPem: string; caPem: string };
const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
const apps: FastifyInstance[] = [];
beforeAll(async () => {
  pair = await makeServingPair();
});
afterEach(async () => {
  for (const app of apps.splice(0)) {
    app.server.closeAllConnections();
    await app.close();
  }
});
afterAll(() => {
  agent.destroy();
});

interface World {
  readonly port: number;
  readonly metrics: Metrics;
  readonly lines: unknown[][];
  /** The requests that Fastify routed. */
  readonly routed: string[];
}

async function world(options: Partial<WebhookApp> = {}): Promise<World> {
  const metrics = quietMetrics();
  const lines: unknown[][] = [];
  const policies = policySet(clusterPolicyDocument({ kubernetesProbeEndpoints: { readinessProbe: '/r' } }));
  const app = buildWebhookApp({
    cert: pair.certPem,
    key: pair.keyPem,
    policies: () => policies,
    mutation: 'On',
    enforcement: 'Deny',
    kinds: KNOWN_KINDS,
    controllers: DEFAULT_TRUSTED_CONTROLLERS,
    draining: () => false,
    now: () => NOW,
    metrics,
    log: {
      decided: (...fields) => lines.push(['decided', ...fields]),
      refused: (...fields) => lines.push(['refused', ...fields]),
      failed: (...fields) => lines.push(['failed', ...fields]),
      limited: () => undefined,
    },
    monotonic: () => performance.now(),
    busy: () => 0,
    random: () => 0,
    ...options,
  });
  const routed: string[] = [];
  app.addHook('onRequest', ({ url }, _reply, done) => {
    routed.push(url);
    done();
  });
  apps.push(app);
  await app.listen({ host: '127.0.0.1', port: 0 });
  return { port: (app.server.address() as AddressInfo).port, metrics, lines, routed };
}

interface Answer {
  readonly code: number | undefined;
  readonly headers: JsonObject;
  readonly body: JsonObject;
}

function post(port: number, path: string, body: string, headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port,
        path,
        method: 'POST',
        agent,
        headers: { 'content-type': 'application/json', ...headers },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () => {
          resolve({
            code: response.statusCode,
            headers: response.headers,
            body: JSON.parse(text) as JsonObject,
          });
        });
      },
    );
    sent.on('error', reject).end(body);
  });
}

const patient = { timeout: 20_000, interval: 5 };
const review = reviewOf(pod([appContainer()]));
const uid = String(review.request['uid']);
const text = JSON.stringify(review);

/** What does not depend on when it was answered. */
function lasting({ code, headers, body }: Answer): unknown {
  return { code, body, headers: { ...headers, date: undefined } };
}

describe('a short review', () => {
  it.each(['/mutate?timeout=10s', '/mutate', '/validate?timeout=500ms'])(
    'to %s is answered without Fastify, and as Fastify would answer it',
    async (path) => {
      const { port, routed, lines } = await world();
      const answer = await post(port, path, text);
      expect(routed).toEqual([]);
      expectValidReply(path.startsWith('/mutate') ? 'mutate' : 'validate', uid, answer.body);
      const typed = await post(port, path, text, { 'content-type': 'application/json; charset=utf-8' });
      expect(routed).toEqual([path]);
      expect(lasting(answer)).toEqual(lasting(typed));
      expect(lines.map(([kind]) => kind)).toEqual(['decided', 'decided']);
    },
  );

  it.each([
    ['is not JSON', '/mutate', '{"a":'],
    ['is no review', '/validate', '{}'],
    ['comes too late', '/mutate?timeout=0.001ms', text],
  ])('that %s is refused, logged and counted as Fastify would do it', async (_, path, body) => {
    const { port, metrics, routed, lines } = await world();
    const answer = await post(port, path, body);
    expect([answer.code === 200, routed]).toEqual([false, []]);
    const typed = await post(port, path, body, { 'content-type': 'application/json; charset=utf-8' });
    expect(lasting(answer)).toEqual(lasting(typed));
    expect(lines[0]).toEqual(lines[1]);
    expect(await metrics.registry.metrics()).toMatch(/admission_requests_total\{.*result="error",.*\} 2/);
  });

  it('that has no answer is HTTP 500, and an error of ours', async () => {
    const { port, lines } = await world({ policies: () => undefined });
    expect((await post(port, '/mutate', text)).code).toBe(500);
    expect(lines).toEqual([['failed', '/mutate', expect.any(Error)]]);
  });

  it('is left to Fastify when its caller may not call', async () => {
    const { port, routed, lines } = await world({ callers: { ca: pair.caPem, names: [] } });
    expect((await post(port, '/mutate', text)).code).toBe(401);
    expect([routed.length, lines[0]?.[0]]).toEqual([0, 'refused']);
  });

  it('is the last one of its connection while the server drains, and after a thousand answers', async () => {
    const draining = await world({ draining: () => true });
    expect((await post(draining.port, '/mutate', text)).headers['connection']).toBe('close');
    const { port } = await world();
    let count = 1;
    while ((await post(port, '/mutate', text)).headers['connection'] !== 'close') count += 1;
    expect(count).toBe(1000);
  });

  it('with a long answer is the last one of its connection', async () => {
    const containers = Array.from({ length: 150 }, (_, index) => ({
      name: `c${index}`,
      ports: [{ containerPort: 80 }],
    }));
    const policies = policySet(
      clusterPolicyDocument({
        containers: ['*'],
        port: 80,
        kubernetesProbeEndpoints: { readinessProbe: '/r', livenessProbe: '/l', startupProbe: '/s' },
      }),
    );
    const { port, routed } = await world({ policies: () => policies });
    const answer = await post(port, '/mutate', JSON.stringify(reviewOf(pod(containers))));
    expect([routed, answer.code]).toEqual([[], 200]);
    expect(JSON.stringify(answer.body).length).toBeGreaterThan(64 * 1024);
    expect(answer.headers['connection']).toBe('close');
  });

  it('whose caller hangs up in the middle of it is refused, and no longer under way', async () => {
    const { port, metrics, lines } = await world();
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    socket.write('POST /mutate HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"');
    await expect.poll(() => metrics.registry.metrics(), patient).toContain('in_flight 1');
    socket.destroy();
    await expect.poll(() => metrics.registry.metrics(), patient).toContain('in_flight 0');
    expect(lines).toEqual([['refused', '/mutate', 400, 'aborted']]);
  });
});
