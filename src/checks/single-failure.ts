import { DEFAULT_TIMING } from '../probes/default-values.ts';
import { probeOf } from './checked-probe.ts';
import { containerPhrase } from './wording.ts';
import { defineCheck } from './check.ts';
import type { Finding } from './check.ts';

/**
 * Field: `livenessProbe.failureThreshold`.
 *
 * Rule: F > 1. With F = 1 the first failed probe kills the container (pkg/kubelet/prober/worker.go, doProbe). One lost
 * packet, or one answer that takes longer than timeoutSeconds, is such a failure. The API server's default is 3.
 */
export const singleFailure = defineCheck({
  id: 'single-failure',
  summary: 'One failed liveness probe restarts the container.',
  action: 'Warn',
  run: (_workload, container): Finding[] => {
    const liveness = probeOf(container, 'livenessProbe');
    const timing = liveness?.timing;
    if (liveness === undefined || timing?.failureThreshold !== 1) return [];
    const path = liveness.place.path('failureThreshold');
    const message =
      `${containerPhrase(container)} is restarted after 1 failed livenessProbe: one lost packet is enough, ` +
      `or one answer that takes more than ${timing.timeoutSeconds} s`;
    const value = DEFAULT_TIMING.failureThreshold;
    return [
      { probe: 'livenessProbe', path, message, remedy: `write failureThreshold: ${value}`, edits: [{ path, value }] },
    ];
  },
});
