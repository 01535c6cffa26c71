import { guaranteedStartSeconds, longestStartSeconds } from '../probe/timing.ts';
import { LEAST_START_SECONDS } from '../probe/startup-budget.ts';
import { longerStart, atLeastObserved, startupInPlaceOfDelays } from './lib/startup-probe.ts';
import { alwaysTrueCommand } from './exec-always-true.ts';
import { containerPhrase, defineCheck, located } from './check.ts';
import { startGateOf, timedProbe } from '../workload/pod.ts';

/**
 * max(0, D-1) + (F-1)*P is guaranteed, and F*P is the upper limit (pkg/kubelet/prober/worker.go): with D=0 and F=1 a
 * container was killed after 0.07 s. The delay of readiness says how long the author expects the start to take.
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
    const longest = longestStartSeconds(gate.timing);
    // A command that always succeeds never kills.
    const mayKill = gate.kind === 'livenessProbe' && gate.command.once(alwaysTrueCommand) === undefined;
    const readiness = mayKill ? timedProbe(container, 'readinessProbe') : undefined;
    const waiting = readiness && readiness.timing.initialDelaySeconds > longest ? readiness : undefined;
    if (guaranteed >= minimumSeconds && (waiting === undefined || minimumSeconds === 0)) return undefined;
    const waits = waiting ? `, and its readinessProbe waits ${waiting.timing.initialDelaySeconds} s` : '';
    return {
      ...located(gate, 'failureThreshold'),
      message:
        `${containerPhrase(container)} has only ${guaranteed} s guaranteed to start ` +
        `(at most ${longest} s) before its ${gate.kind} kills it${waits}`,
      ...(waiting
        ? startupInPlaceOfDelays(workload, gate, waiting)
        : longerStart(gate, atLeastObserved(container, workload, minimumSeconds))),
    };
  },
});
