import { buildWebhookApp, type WebhookApp } from '../../../src/webhook/http/app.ts';
import { KNOWN_KINDS } from '../../../src/engine/workload/kinds.ts';
import { DEFAULT_TRUSTED_CONTROLLERS } from '../../../src/webhook/review/trusted-controllers.ts';
import { NOW } from '../../support/now.ts';
import type { FastifyInstance } from 'fastify';
import { Metrics } from '../../../src/webhook/http/metrics.ts';

/** The metrics of a server with one policy, on which nothing else has happened. */
export function quietMetrics(): Metrics {
  return new Metrics({
    policies: () => ({ loaded: 1, problems: 0, lastSync: 5000 }),
    certificates: () => ({ leafNotAfter: 9000 }),
    statusesSetAside: () => ({ failed: 0 }),
    leader: () => false,
    now: () => 6000,
    build: { version: '1', commit: 'c' },
  });
}

/** An app that mutates and denies, with clocks that stand still, and a log that notes nothing. */
export function quietApp(
  { certPem: cert, keyPem: key }: { readonly certPem: string; readonly keyPem: string },
  options: Partial<WebhookApp> & Pick<WebhookApp, 'policies'>,
): FastifyInstance {
  const nothing = (): undefined => undefined;
  return buildWebhookApp({
    cert,
    key,
    mutation: 'On',
    enforcement: 'Deny',
    kinds: KNOWN_KINDS,
    controllers: DEFAULT_TRUSTED_CONTROLLERS,
    draining: () => false,
    metrics: quietMetrics(),
    log: { decided: nothing, refused: nothing, failed: nothing, limited: nothing },
    now: () => NOW,
    monotonic: () => 1000,
    random: () => 0,
    ...options,
  });
}
