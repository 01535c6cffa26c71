import fastify from 'fastify';
import { limitConnections } from './connection-limit.ts';
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

/**
 * The plain-HTTP port: `/livez` says that the process answers, `/readyz` that it should be sent requests and why, `/metrics` is for
 * Prometheus. Apart from the webhook port, so that the kubelet needs no TLS and a busy webhook does not kill the Pod.
 */
export function buildHealthApp(readiness: () => Readiness, metrics: Metrics, monotonic: () => number): FastifyInstance {
  const app = fastify({ logger: false, return503OnClosing: false, forceCloseConnections: true });
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
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not ready', ...details });
  });
  app.get('/metrics', async (_request, reply) =>
    reply.type(metrics.registry.contentType).send(await metrics.registry.metrics()),
  );
  return app;
}
