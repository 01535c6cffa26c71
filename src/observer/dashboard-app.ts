import { PAGE_SECURITY_POLICY } from '../explain/fleet-page/report-page.ts';
import { plainApp } from '../process/http-app.ts';
import type { FastifyInstance } from 'fastify';
import type { CachedPage } from './dashboard/page-cache.ts';
import type { PlainAppInputs } from '../process/http-app.ts';

/** The page may not be framed: only a header can say so. */
const HEADERS = {
  'content-security-policy': `${PAGE_SECURITY_POLICY}; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  // Shared caches must not keep the page. A browser asks each time, and mostly gets a 304.
  'cache-control': 'private, no-cache',
};

/**
 * The port of the page: `GET /` and `HEAD /`, and nothing else. The page is read-only.
 *
 * @param page resolves with undefined while there is nothing to show yet
 */
export function buildDashboardApp(
  page: () => Promise<CachedPage | undefined>,
  inputs: PlainAppInputs,
): FastifyInstance {
  const app = plainApp(inputs);
  app.addHook('onRequest', (_request, reply, done) => {
    void reply.headers(HEADERS);
    done();
  });
  app.get('/', async (request, reply) => {
    const shown = await page();
    if (shown === undefined) return reply.code(503).header('retry-after', '5').send(NOT_YET);
    void reply.header('etag', shown.etag);
    if (isKnown(request.headers['if-none-match'], shown.etag)) return reply.code(304).send();
    return reply.type('text/html; charset=utf-8').send(shown.body);
  });
  app.setNotFoundHandler((request, reply) => {
    const isPage = request.url.split('?')[0] === '/';
    if (isPage) void reply.code(405).header('allow', 'GET, HEAD').send('This page is read-only: use GET.\n');
    else void reply.code(404).send('The page is at /.\n');
  });
  app.setErrorHandler((_error, _request, reply) => {
    void reply
      .code(503)
      .header('retry-after', '30')
      .send('The page cannot be made now. The log of the observer has the reason.\n');
  });
  return app;
}

const NOT_YET = 'The policies have not been read yet. Ask again in a few seconds.\n';

/** RFC 9110, section 13.1.2: a list of tags, weak or not, or a star. */
function isKnown(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')));
}
