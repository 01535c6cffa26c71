import { DEFAULT_TIMING } from '../probe/api-defaults.ts';
import { adviceIfFast } from './lib/round-numbers.ts';
import { containerPhrase, defineCheck, located } from './check.ts';
import { isTimed } from '../workload/pod.ts';

/** The first failed probe kills (pkg/kubelet/prober/worker.go, doProbe). */
export const singleFailure = defineCheck({
  id: 'single-failure',
  summary: 'One failed liveness probe restarts the container.',
  action: 'Warn',
  kinds: ['livenessProbe'],
  eachProbe: (liveness) => {
    if (!isTimed(liveness) || liveness.timing.failureThreshold !== 1) return undefined;
    return {
      ...located(liveness, 'failureThreshold'),
      message:
        `${containerPhrase(liveness.container)} is restarted after 1 failed livenessProbe: one lost packet is enough, ` +
        `or one answer that takes more than ${liveness.timing.timeoutSeconds} s`,
      // The API server's default of 3 failures, or 2 for a probe whose period makes 3 too slow.
      ...(adviceIfFast(liveness, { failureThreshold: DEFAULT_TIMING.failureThreshold }) ??
        adviceIfFast(liveness, { failureThreshold: 2 }) ?? {
          remedy: 'allow more failures, with a shorter periodSeconds',
        }),
    };
  },
});
