import { LEAST_START_SECONDS } from '../probe/startup-budget.ts';
import { atLeastObserved, moreFailures } from './lib/startup-probe.ts';
import { containerPhrase, defineCheck, located } from './check.ts';
import { isTimed, mayAct, startGateOf } from '../workload/pod.ts';

/** The first failed probe counts (pkg/kubelet/prober/worker.go, doProbe). A note for readiness, which kills nothing. */
export const singleFailure = defineCheck({
  id: 'single-failure',
  summary: 'One failed probe restarts the container, or takes its Pod out of Services.',
  action: 'Warn',
  kinds: ['livenessProbe', 'readinessProbe'],
  eachProbe: (probe, _, workload) => {
    if (!isTimed(probe) || probe.timing.failureThreshold !== 1) return undefined;
    const isKill = probe.kind === 'livenessProbe';
    // What startup-budget advises for the same probe, so that both say one number.
    const isGate = startGateOf(probe.container) === probe.kind;
    const least = isGate ? atLeastObserved(probe.container, workload, LEAST_START_SECONDS) : 0;
    return {
      ...located(probe, 'failureThreshold'),
      message:
        `${containerPhrase(probe.container)} ${isKill ? 'is restarted' : 'gets no traffic'} after 1 failed ${probe.kind}: ` +
        `one lost packet is enough, or one answer that takes more than ${probe.timing.timeoutSeconds} s`,
      ...(moreFailures(probe, least) ?? {
        remedy: `allow more failures${mayAct(probe) ? '' : ', with a shorter periodSeconds'}`,
      }),
      ...(!isKill && { level: 'Audit' }),
    };
  },
});
