import { KNOWN_KINDS } from '../../../src/engine/workload/custom-kinds.ts';
import { Metrics } from '../../../src/webhook/http/metrics.ts';
import { DEFAULT_TRUSTED_CONTROLLERS } from '../../../src/webhook/review/trusted-controllers.ts';
import { NOW } from '../../support/now.ts';

/** The metrics of a server with one policy, on which nothing else has happened. */
export function quietMetrics(): Metrics {
  return new Metrics({
    policies: () => ({ loaded: 1, problems: 0, lastSync: 5000 }),
    certificateExpiry: () => ({ leaf: 9000 }),
    certificateRotations: () => [],
    certificateProblem: () => undefined,
    statusesSetAside: () => ({ failed: 0 }),
    bundlesSynced: () => new Map(),
    leader: () => false,
    now: () => 6000,
    build: { version: '1', commit: 'c' },
  });
}

/** What the webhook's app is built with in all of these tests. */
export const APP_SETTINGS = {
  mutation: 'On',
  enforcement: 'Deny',
  kinds: KNOWN_KINDS,
  controllers: DEFAULT_TRUSTED_CONTROLLERS,
  draining: () => false,
  now: () => NOW,
  monotonic: () => 1000,
  random: () => 0,
} as const;
