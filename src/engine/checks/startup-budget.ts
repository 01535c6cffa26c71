import { guaranteedStartSeconds, longestStartSeconds } from '../probe/timing.ts';
import { LEAST_START_SECONDS } from '../probe/startup-budget.ts';
import { longerStart, atLeastObserved } from './lib/startup-probe.ts';
import { containerPhrase, defineCheck, located } from './check.ts';
import { startGateOf, timedProbe } from '../workload/pod.ts';

/**
 * max(0, D-1) + (F-1)*P is guaranteed, and F*P is the upper limit (pkg/kubelet/prober/worker.go): with D=0 and F=1 a
 * container was killed after 0.07 s.
 */
export const startupBudget = defineCheck({
  id: 'startup-budget',
  summary: 'The container is not guaranteed enough time to start.',
  action: 'Warn',
  judgesProbeAlone: true,
  parameters: {
    minimumSeconds: {
      type: 'integer',
      default: LEAST_START_SECONDS,
      text:
        'Seconds that a container must be guaranteed to start before a probe kills it. ' +
        `Default ${LEAST_START_SECONDS}; 0 accepts everything.`,
    },
  },
  run: (container, { minimumSeconds }, workload) => {
    const gate = timedProbe(container, startGateOf(container));
    if (gate === undefined) return undefined;
    const guaranteed = guaranteedStartSeconds(gate.timing);
    if (guaranteed >= minimumSeconds) return undefined;
    return {
      ...located(gate, 'failureThreshold'),
      message:
        `${containerPhrase(container)} has only ${guaranteed} s guaranteed to start ` +
        `(at most ${longestStartSeconds(gate.timing)} s) before its ${gate.kind} kills it`,
      ...longerStart(gate, atLeastObserved(container, workload, minimumSeconds)),
    };
  },
});
