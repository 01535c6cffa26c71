import fastify from 'fastify';
import { limitConnections } from './connection-limit.ts';
import { NO_SCHEMAS } from './no-schemas.ts';
import { cut } from '../text/cut.ts';
import { jsonText } from '../text/json-text.ts';
import type { FastifyInstance } from 'fastify';
import type { Metrics } from './metrics.ts';

/** Why the server is or is not ready, part by part. */
export interface Readiness {
  readonly ready: boolean;
  /** One entry a part: what it is and how it is doing. A part may have problems while the server stays ready. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** The kubelet and a few scrapers need one each. */
const CONNECTIONS = 100;

/** Anybody may ask, and a kubelet does every few seconds: the log has the rest. */
const MOST_LISTED = 20;
const LONGEST_TEXT = 300;

/**
 * The plain-HTTP port: `/livez` says that the process answers, `/readyz` that it should be sent requests and why, `/metrics` is for
 * Prometheus. Apart from the webhook port, so that the kubelet needs no TLS and a busy webhook does not kill the Pod.
 */
export function buildHealthApp(readiness: () => Readiness, metrics: Metrics, monotonic: () => number): FastifyInstance {
  const app = fastify({
    logger: false,
    schemaController: NO_SCHEMAS,
    return503OnClosing: false,
    forceCloseConnections: true,
  });
  limitConnections(app.server, {
    most: CONNECTIONS,
    dropped: () => {
      metrics.connectionDropped('health');
    },
    monotonic,
  });
  app.get('/livez', () => ({ status: 'alive' }));
  app.get('/readyz', (_request, reply) => {
    const { ready, details } = readiness();
    const answer = jsonText({ status: ready ? 'ready' : 'not ready', ...details }, briefly);
    return reply
      .code(ready ? 200 : 503)
      .type('application/json; charset=utf-8')
      .send(answer);
  });
  app.get('/metrics', async (_request, reply) =>
    reply.type(metrics.registry.contentType).send(await metrics.registry.metrics()),
  );
  return app;
}

/** A value as it is answered: of a list its first elements and how many more there are, of a text its beginning. */
function briefly(_key: string, value: unknown): unknown {
  if (typeof value === 'string') return cut(value, LONGEST_TEXT);
  if (!Array.isArray(value) || value.length <= MOST_LISTED) return value;
  return [...(value.slice(0, MOST_LISTED) as unknown[]), `and ${value.length - MOST_LISTED} more`];
}
