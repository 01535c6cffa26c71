import { guaranteedStartSeconds, longestStartSeconds, type ProbeTiming } from '../time/timing.ts';
import { expectedStartSeconds, LEAST_START_SECONDS, ORDINARY_READINESS_FAILURES } from '../time/bounds.ts';
import { endpointOf } from './lib/endpoint.ts';
import { longerStart, atLeastObserved, startupInPlaceOfDelays } from './lib/startup-probe.ts';
import { alwaysTrueCommand } from './exec-always-true.ts';
import { containerPhrase, defineCheck, located } from './check.ts';
import { startGateOf, timedProbe, type TimedProbe } from '../workload/pod.ts';

/**
 * max(0, D-1) + (F-1)*P is guaranteed, and F*P is the upper limit (pkg/kubelet/prober/worker.go): with D=0 and F=1 a
 * container was killed after 0.07 s. The delay and the many failures of readiness say how long a start the author
 * expects. A note where readiness may wait for other programs.
 */
export const startupBudget = defineCheck({
  id: 'startup-budget',
  summary: 'The container is not guaranteed enough time to start.',
  action: 'Warn',
  judgesProbeAlone: true,
  asksForTime: true,
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
    const mayKill = gate.kind === 'livenessProbe' && alwaysTrueCommand(gate) === undefined;
    const readiness = mayKill ? timedProbe(container, 'readinessProbe') : undefined;
    // A shorter period must not make liveness give up before readiness.
    const expected = readiness === undefined ? 0 : expectedStartSeconds(readiness.timing);
    const waiting = readiness && expectsMore(readiness.timing, gate.timing) ? readiness : undefined;
    if (guaranteed >= minimumSeconds && (waiting === undefined || minimumSeconds === 0)) return undefined;
    const isDoubtful = guaranteed >= minimumSeconds && waiting !== undefined && mayWaitForOthers(waiting, gate);
    const waits = waiting ? `, and its readinessProbe waits for ${expectedStartSeconds(waiting.timing)} s` : '';
    return {
      ...located(gate, 'failureThreshold'),
      message:
        `${containerPhrase(container)} has only ${guaranteed} s guaranteed to start ` +
        `(at most ${longest} s) before its ${gate.kind} kills it${waits}`,
      ...(waiting
        ? startupInPlaceOfDelays(workload, gate, waiting)
        : longerStart(gate, atLeastObserved(container, workload, Math.max(minimumSeconds, expected)))),
      ...(isDoubtful && { level: 'Audit' }),
    };
  },
});

/**
 * True when liveness gives up before readiness does, and the author expects that long a start. Many failures of
 * readiness are such a time. A delay is one where liveness surely gives up before: most delays are a few seconds.
 */
function expectsMore(readiness: ProbeTiming, liveness: ProbeTiming): boolean {
  const expected = expectedStartSeconds(readiness);
  const { initialDelaySeconds: D, periodSeconds: P, failureThreshold: F } = liveness;
  // Equal numbers of both probes expect the same start.
  const given =
    readiness.failureThreshold > ORDINARY_READINESS_FAILURES ? D + (F - 1) * P : longestStartSeconds(liveness);
  return expected > given;
}

/**
 * True when the patience of readiness may be for other programs: liveness soon asks another endpoint, which may answer
 * before the start ends. A delay is always one of the start.
 */
function mayWaitForOthers(readiness: TimedProbe, liveness: TimedProbe): boolean {
  return (
    liveness.timing.initialDelaySeconds <= LEAST_START_SECONDS &&
    readiness.timing.initialDelaySeconds <= longestStartSeconds(liveness.timing) &&
    endpointOf(liveness) !== endpointOf(readiness)
  );
}
