import fastify from 'fastify';
import { serving } from './serving.ts';

/**
 * Baseline (b): the webhook that one writes in an afternoon. /mutate adds three fixed probes to the first container that
 * is named `app`; /validate allows all.
 */
interface Review {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request: {
    readonly uid: string;
    readonly object: { readonly spec: { readonly containers: readonly Record<string, unknown>[] } };
  };
}

const PROBES = {
  startupProbe: {
    httpGet: { path: '/healthcheck/live', port: 'http' },
    periodSeconds: 2,
    failureThreshold: 15,
    timeoutSeconds: 2,
  },
  livenessProbe: {
    httpGet: { path: '/healthcheck/live', port: 'http' },
    periodSeconds: 5,
    failureThreshold: 3,
    timeoutSeconds: 2,
  },
  readinessProbe: {
    httpGet: { path: '/healthcheck/ready', port: 'http' },
    periodSeconds: 5,
    failureThreshold: 2,
    timeoutSeconds: 2,
  },
};

const { port, cert, key } = serving();
const app = fastify({ https: { cert, key } });
app.post<{ Body: Review }>('/mutate', ({ body: { apiVersion, kind, request } }) => {
  const { containers } = request.object.spec;
  const index = containers.findIndex(({ name }) => name === 'app');
  const patch = Object.entries(PROBES)
    .filter(([probe]) => index >= 0 && containers[index]?.[probe] === undefined)
    .map(([probe, value]) => ({ op: 'add', path: `/spec/containers/${index}/${probe}`, value }));
  const response = {
    uid: request.uid,
    allowed: true,
    patchType: 'JSONPatch',
    patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
  };
  return { apiVersion, kind, response };
});
app.post<{ Body: Review }>('/validate', ({ body: { apiVersion, kind, request } }) => ({
  apiVersion,
  kind,
  response: { uid: request.uid, allowed: true },
}));
await app.listen({ host: '127.0.0.1', port });
