import { afterEach, describe, expect, it } from 'vitest';
import { connect } from 'node:net';
import { buildDashboardApp, isSafeHost } from '../../../src/observer/dashboard/dashboard-port.ts';
import type { FastifyInstance } from 'fastify';

const PAGE = '<!doctype html>';
const apps: FastifyInstance[] = [];

function appOf(page: () => Promise<string | undefined> = () => Promise.resolve(PAGE)): FastifyInstance {
  const app = buildDashboardApp(page, { dropped: () => undefined, monotonic: () => 0 }, ['probes.example.com']);
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

  it.each(['/', '/missing', '/?x'])('refuses %s to a Host with a public name, and says what to do', async (url) => {
    const page = { made: 0 };
    const app = appOf(() => Promise.resolve(String((page.made += 1))));
    const { statusCode, body, headers } = await app.inject({ url, headers: { host: 'evil.example:8080' } });
    expect({ statusCode, body, made: page.made }).toEqual({
      statusCode: 421,
      body:
        'The page does not answer to the Host "evil.example:8080". Open it at http://localhost by kubectl ' +
        'port-forward, or list the name in --dashboard-hosts (observer.dashboard.hosts).\n',
      made: 0,
    });
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
  });

  it('refuses HTTP/1.0 without a Host', async () => {
    const app = appOf();
    const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
    const socket = connect(Number(port), '127.0.0.1', () => socket.write('GET / HTTP/1.0\r\n\r\n'));
    const chunks: string[] = [];
    for await (const chunk of socket) chunks.push(String(chunk));
    expect(chunks.join('')).toMatch(/^HTTP\/1\.1 421 /);
  });
});

describe('a safe Host', () => {
  it.each([
    ...['localhost', 'localhost:8080', 'LOCALHOST:8080', 'localhost.', 'a.localhost:80'],
    ...['127.0.0.1:8080', '127.9.9.9', '10.244.0.7:8080', '[::1]', '[::1]:8080', '[::ffff:127.0.0.1]:80'],
    ...['probewright-observer', 'probewright-observer:80', 'probewright-observer.probewright-system'],
    ...['probewright-observer.apps.svc', 'probewright-observer.apps.svc.cluster.local.:80'],
    ...['probes.example.com', 'Probes.Example.com.:443'],
  ])('is %s', (host) => {
    expect(isSafeHost(host, ['probes.example.com'])).toBe(true);
  });

  it.each([
    ...['', ':8080', 'evil.example', 'evil.example:8080', 'evil.example.', 'EVIL.EXAMPLE'],
    ...['localhost.evil.example', 'evil-localhost.example', '127.0.0.1.evil.example', '127.0.0.1.nip.io', '1.2.3'],
    ...['x.svc.evil.example', 'svc.cluster.local.evil.example', 'xsvc.example', 'x.xn--p1ai', 'x.xn--fiqs8s:80'],
    ...['sub.probes.example.com', 'probes.example.com.evil.example', 'aprobes.example.com', 'probes.example.com..'],
    ...['localhost:80:80', 'localhost:x', 'localhost@evil.example', 'localhost/evil', 'evil.example, localhost'],
    ...[
      '[::1',
      '::1',
      '[::1]x',
      '[evil.example]',
      '[127.0.0.1]',
      'localhost ',
      'localhost\n',
      'probewright-observer.dev',
    ],
  ])('is not "%s"', (host) => {
    expect(isSafeHost(host, ['probes.example.com'])).toBe(false);
  });
});
