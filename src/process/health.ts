import { cut } from '../base/text/cut.ts';
import { plainApp, type PortLimits } from './http-app.ts';
import { jsonText } from '../base/text/visible.ts';
import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';

export interface Readiness {
  readonly ready: boolean;
  /** One entry for each part, with its name and its state. A part may have problems while the server stays ready. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** Limits on the answer: every client may ask, and a kubelet asks every few seconds. The log has the full text. */
const MOST_LISTED = 20;
const LONGEST_TEXT = 300;

/**
 * `/livez`: the process answers. `/readyz`: whether it is ready, with the reasons. `/metrics`. Apart from the webhook
 * port: the kubelet needs no TLS, and a busy webhook does not fail the liveness probe.
 */
export function buildHealthApp(readiness: () => Readiness, registry: Registry, limits: PortLimits): FastifyInstance {
  const app = plainApp(limits);
  app.get('/livez', () => ({ status: 'alive' }));
  app.get('/readyz', (_request, reply) => {
    const { ready, details } = readiness();
    const answer = jsonText({ status: ready ? 'ready' : 'not ready', ...details }, briefly);
    return reply
      .code(ready ? 200 : 503)
      .type('application/json; charset=utf-8')
      .send(answer);
  });
  app.get('/metrics', async (_request, reply) => reply.type(registry.contentType).send(await registry.metrics()));
  return app;
}

/** A list: its first elements and the number of the others. A text: its beginning. */
function briefly(_key: string, value: unknown): unknown {
  if (typeof value === 'string') return cut(value, LONGEST_TEXT);
  if (!Array.isArray(value) || value.length <= MOST_LISTED) return value;
  return [...(value.slice(0, MOST_LISTED) as unknown[]), `and ${value.length - MOST_LISTED} more`];
}
