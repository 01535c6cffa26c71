import { failureThresholdFor, guaranteedStartSeconds, longestStartSeconds } from '../probes/timing.ts';
import { hasProbe, probeOf } from './checked-probe.ts';
import { integerParameter } from './parameters.ts';
import { the } from './wording.ts';
import type { Check, CheckedContainer, Finding } from './check.ts';

const DEFAULT_MINIMUM_SECONDS = 10;

/**
 * Fields: `startupProbe.failureThreshold` with `.periodSeconds` and `.initialDelaySeconds`; the liveness probe's
 * where there is no startup probe, since it is then the one that kills a container that starts slowly.
 *
 * Rule: max(0, D-1) + (F-1)*P >= minimumSeconds. F*P is the upper end, not the promise: with D=0 and F=1 a container
 * was killed after 0.07 s (pkg/kubelet/prober/worker.go; docs of the formula: src/probes/timing.ts).
 */
export const startupBudget: Check = {
  id: 'startup-budget',
  run: (_workload, container, parameters) => {
    const minimum = integerParameter(parameters, 'minimumSeconds', DEFAULT_MINIMUM_SECONDS);
    const finding = judge(container, minimum);
    return finding === undefined ? [] : [finding];
  },
};

function judge(container: CheckedContainer, minimum: number): Finding | undefined {
  const gate = probeOf(container, hasProbe(container, 'startupProbe') ? 'startupProbe' : 'livenessProbe');
  const timing = gate?.timing;
  if (gate === undefined || timing === undefined) return undefined;
  const guaranteed = guaranteedStartSeconds(timing);
  if (guaranteed >= minimum) return undefined;
  const enough = failureThresholdFor(minimum, timing.initialDelaySeconds, timing.periodSeconds);
  return {
    probe: gate.kind,
    path: `${gate.path}.failureThreshold`,
    message:
      `${the(container)} has only ${guaranteed} s guaranteed to start (at most ${longestStartSeconds(timing)} s) before its ` +
      `${gate.kind} kills it; write failureThreshold: ${enough} for ${minimum} s`,
  };
}
