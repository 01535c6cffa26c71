import { Metrics } from '../../../src/webhook/http/metrics.ts';

/** The metrics of a server with one policy, on which nothing else has happened. */
export function quietMetrics(): Metrics {
  return new Metrics({
    policies: () => ({ loaded: 1, problems: 0, lastSync: 5000 }),
    certificateExpiry: () => ({ leaf: 9 }),
    statusesSetAside: () => ({ failed: 0 }),
    leader: () => false,
    now: () => 6000,
    build: { version: '1', commit: 'c' },
  });
}
