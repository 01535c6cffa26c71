import { DEFAULT_TIMING } from '../probe/api-defaults.ts';
import { isFastEnough, toWrite } from './lib/round-numbers.ts';
import { containerPhrase, defineCheck, located, type Advice } from './check.ts';
import type { CheckedProbe } from './checked-workload.ts';

/** The first failed probe kills (pkg/kubelet/prober/worker.go, doProbe). */
export const singleFailure = defineCheck({
  id: 'single-failure',
  summary: 'One failed liveness probe restarts the container.',
  action: 'Warn',
  kinds: ['livenessProbe'],
  eachProbe: (liveness) => {
    const { timing } = liveness;
    if (timing?.failureThreshold !== 1) return undefined;
    return {
      ...located(liveness, 'failureThreshold'),
      message:
        `${containerPhrase(liveness.container)} is restarted after 1 failed livenessProbe: one lost packet is enough, ` +
        `or one answer that takes more than ${timing.timeoutSeconds} s`,
      ...moreFailures(liveness),
    };
  },
});

/** Advises the API server's default of 3 failures, or 2 for a probe whose period makes 3 too slow. */
function moreFailures(liveness: CheckedProbe): Advice {
  const enough = [DEFAULT_TIMING.failureThreshold, 2];
  const failureThreshold = enough.find((value) => isFastEnough(liveness, { failureThreshold: value }));
  if (failureThreshold === undefined) return { remedy: 'allow more failures, with a shorter periodSeconds' };
  const { words, edits } = toWrite(liveness, { failureThreshold });
  return { remedy: `write ${words}`, edits };
}
