import { DEFAULT_TIMING } from '../probe/default-values.ts';
import { killBy } from '../probe/grace-period.ts';
import { probeOf } from './checked-probe.ts';
import { killsInTime } from './lib/round-numbers.ts';
import { containerPhrase } from './lib/wording.ts';
import { defineCheck } from './check.ts';
import type { ProbeTiming } from '../probe/timing.ts';
import type { CheckedContainer, CheckedWorkload, Finding } from './check.ts';
import type { CheckedProbe } from './checked-probe.ts';

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
  run: (workload, container): Finding[] => {
    const liveness = probeOf(container, 'livenessProbe');
    const timing = liveness?.timing;
    if (liveness === undefined || timing?.failureThreshold !== 1) return [];
    const path = liveness.place.path('failureThreshold');
    const message =
      `${containerPhrase(container)} is restarted after 1 failed livenessProbe: one lost packet is enough, ` +
      `or one answer that takes more than ${timing.timeoutSeconds} s`;
    return [{ probe: 'livenessProbe', path, message, ...moreFailures(workload, container, liveness, timing) }];
  },
});

/** Advises the API server's default of 3 failures, or 2 for a probe whose period makes 3 too slow. */
function moreFailures(
  { podSpec }: CheckedWorkload,
  container: CheckedContainer,
  liveness: CheckedProbe,
  timing: ProbeTiming,
): Pick<Finding, 'remedy' | 'edits'> {
  const kill = killBy(liveness.spec, container.spec, podSpec);
  const value = [DEFAULT_TIMING.failureThreshold, 2].find((failureThreshold) =>
    killsInTime(timing, { ...timing, failureThreshold }, kill),
  );
  if (value === undefined) return { remedy: 'allow more failures, with a shorter periodSeconds' };
  const path = liveness.place.path('failureThreshold');
  return { remedy: `write failureThreshold: ${value}`, edits: [{ path, value }] };
}
