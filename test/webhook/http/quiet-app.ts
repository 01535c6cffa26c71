import { buildWebhookApp, type WebhookApp } from '../../../src/webhook/http/app.ts';
import { KNOWN_KINDS } from '../../../src/engine/workload/kinds.ts';
import { decide, type DecideSettings } from '../../../src/webhook/review/decide.ts';
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

/** What a test may give: parts of the app, and the settings of its decisions. */
export type QuietOptions = Partial<WebhookApp & DecideSettings>;

/** An app that mutates and denies, with clocks that stand still, and a log that notes nothing. */
export function quietApp(
  { certPem: cert, keyPem: key }: { readonly certPem: string; readonly keyPem: string },
  options: QuietOptions & Pick<DecideSettings, 'policies'>,
): FastifyInstance {
  const nothing = (): undefined => undefined;
  const settings: DecideSettings = {
    mutation: 'On',
    enforcement: 'Deny',
    kinds: KNOWN_KINDS,
    controllers: DEFAULT_TRUSTED_CONTROLLERS,
    now: () => NOW,
    ...options,
  };
  return buildWebhookApp({
    cert,
    key,
    decide: (webhook, request) => decide(webhook, request, settings),
    draining: () => false,
    metrics: quietMetrics(),
    log: { decided: nothing, refused: nothing, failed: nothing, limited: nothing },
    monotonic: () => 1000,
    random: () => 0,
    ...options,
  });
}
