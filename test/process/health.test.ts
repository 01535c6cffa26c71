import { afterEach, expect, it } from 'vitest';
import { buildHealthApp } from '../../src/process/health.ts';
import { Metrics } from '../../src/webhook/http/metrics.ts';
import { failureStatus } from '../../src/webhook/http/status.ts';
import { expectHarmless, HOSTILE } from '../support/hostile-text.ts';
import type { FastifyInstance } from 'fastify';

let app: FastifyInstance;
afterEach(() => app.close());

function healthApp(details: Readonly<Record<string, unknown>>): FastifyInstance {
  const metrics = new Metrics({
    policies: () => ({ loaded: 0, problems: 0, lastSync: undefined }),
    statusesSetAside: () => ({ failed: 0 }),
    leader: () => false,
    now: () => 0,
    build: { version: '', commit: '' },
  });
  return buildHealthApp(() => ({ ready: true, details }), metrics.registry, {
    dropped: () => undefined,
    monotonic: () => 0,
  });
}

it('/readyz lists the first twenty problems and how many more there are, each with its beginning', async () => {
  const problems = Array.from({ length: 100_000 }, (_, index) => `${index}: ${'x'.repeat(400)}`);
  app = healthApp({ policies: { inForce: 3, problems } });
  const { headers, payload } = await app.inject('/readyz');
  const answer = JSON.parse(payload) as { policies: { inForce: number; problems: string[] } };
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  expect(answer.policies.inForce).toBe(3);
  expect(answer.policies.problems).toHaveLength(21);
  expect(answer.policies.problems[0]).toBe(`0: ${'x'.repeat(294)}...`);
  expect(answer.policies.problems.at(-1)).toBe('and 99980 more');
});

it('/readyz lists twenty problems without a word of more', async () => {
  const problems = Array.from({ length: 20 }, (_, index) => `problem ${index}`);
  app = healthApp({ policies: { problems } });
  expect((await app.inject('/readyz')).json()).toEqual({ status: 'ready', policies: { problems } });
});

it('/readyz and refusals command no terminal, and /readyz keeps the very texts', async () => {
  const problems = [`ProbePolicy/apps/x: ${HOSTILE.slice(0, 200)}`];
  app = healthApp({ policies: { problems } });
  const { payload } = await app.inject('/readyz');
  expectHarmless(payload);
  expect(JSON.parse(payload)).toEqual({ status: 'ready', policies: { problems } });
  expectHarmless(failureStatus(400, HOSTILE).message);
});
