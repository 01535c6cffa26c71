import { afterEach, describe, expect, it } from 'vitest';
import { buildDashboardApp } from '../../../src/observer/dashboard/dashboard-port.ts';
import type { FastifyInstance } from 'fastify';

const PAGE = '<!doctype html>';
const apps: FastifyInstance[] = [];

function appOf(page: () => Promise<string | undefined> = () => Promise.resolve(PAGE)): FastifyInstance {
  const app = buildDashboardApp(page, { dropped: () => undefined, monotonic: () => 0 });
  apps.push(app);
  return app;
}
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close();
});

describe('the port of the page', () => {
  it('answers GET with the page, and HEAD with its headers', async () => {
    const app = appOf();
    const got = await app.inject('/');
    expect({ code: got.statusCode, body: got.body, type: got.headers['content-type'] }).toEqual({
      code: 200,
      body: '<!doctype html>',
      type: 'text/html; charset=utf-8',
    });
    const head = await app.inject({ method: 'HEAD', url: '/' });
    expect({ code: head.statusCode, body: head.body }).toEqual({
      code: 200,
      body: '',
    });
  });

  it('has headers against frames, sniffing and referrers on every answer', async () => {
    const app = appOf();
    for (const url of ['/', '/missing']) {
      const { headers } = await app.inject(url);
      expect(headers['content-security-policy']).toMatch(/^default-src 'none'; .*frame-ancestors 'none'$/);
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cache-control': 'private, no-cache',
      });
    }
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const)('refuses %s', async (method) => {
    const { statusCode, headers } = await appOf().inject({ method, url: '/' });
    expect({ statusCode, allow: headers.allow }).toEqual({ statusCode: 405, allow: 'GET, HEAD' });
  });

  it('answers 404 to other paths, without their text', async () => {
    const { statusCode, body } = await appOf().inject('/<script>');
    expect({ statusCode, body }).toEqual({ statusCode: 404, body: 'The page is at /.\n' });
  });

  it('answers 503 until policies have been read, and when the page cannot be made, without the reason', async () => {
    const early = await appOf(() => Promise.resolve(undefined)).inject('/');
    expect({ code: early.statusCode, retry: early.headers['retry-after'] }).toEqual({ code: 503, retry: '5' });
    const failed = await appOf(() => Promise.reject(new Error('secret'))).inject('/');
    expect({ code: failed.statusCode, retry: failed.headers['retry-after'] }).toEqual({ code: 503, retry: '30' });
    expect(failed.body).not.toContain('secret');
  });
});
