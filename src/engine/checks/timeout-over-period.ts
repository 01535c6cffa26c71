import { killBy } from '../probe/grace-period.ts';
import { intervalSeconds } from '../probe/timing.ts';
import { eachProbe } from './lib/each-probe.ts';
import { isFastEnough, roundPeriodFrom } from './lib/round-numbers.ts';
import { containerPhrase } from './lib/wording.ts';
import { defineCheck } from './check.ts';
import type { ProbeTiming } from '../probe/timing.ts';
import type { CheckedContainer, CheckedWorkload, Finding } from './check.ts';
import type { CheckedProbe } from './checked-probe.ts';

/**
 * Fields: `<probe>.timeoutSeconds`, `<probe>.periodSeconds`.
 *
 * Rule: T <= P. The next probe starts only after the previous probe has ended. The interval of hanging probes is
 * therefore max(P,T) instead of P (pkg/kubelet/prober/worker.go, run; requested in kyverno/policies#1500). The finding
 * is a note: such a probe works, only less often than it says.
 */
export const timeoutOverPeriod = defineCheck({
  id: 'timeout-over-period',
  summary: 'A probe may take longer than its period, which stretches the period.',
  action: 'Audit',
  judgesProbeAlone: true,
  run: (workload, container) => eachProbe(container, (probe) => violationOf(workload, container, probe)),
});

function violationOf(workload: CheckedWorkload, container: CheckedContainer, probe: CheckedProbe): Finding | undefined {
  const timing = probe.timing;
  if (timing === undefined || timing.timeoutSeconds <= timing.periodSeconds) return undefined;
  const { timeoutSeconds: T, periodSeconds: P, failureThreshold: F } = timing;
  const interval = intervalSeconds(timing, T);
  return {
    probe: probe.kind,
    path: probe.place.path('timeoutSeconds'),
    message:
      `${containerPhrase(container)} is probed every ${interval} s while it hangs, not every ${P} s ` +
      `(${F} ${F === 1 ? 'failure takes' : 'failures take'} ${F * interval} s)`,
    ...whatToWrite(workload, container, probe, timing),
  };
}

/** Advises a longer period, as a shorter timeout could fail slow answers, unless the probe would become too slow. */
function whatToWrite(
  { podSpec }: CheckedWorkload,
  container: CheckedContainer,
  probe: CheckedProbe,
  timing: ProbeTiming,
): Pick<Finding, 'remedy' | 'edits'> {
  const shorter = `timeoutSeconds: ${timing.periodSeconds} or less`;
  const periodSeconds = roundPeriodFrom(timing.timeoutSeconds);
  const kill = killBy(probe.spec, container.spec, podSpec);
  if (periodSeconds === undefined || !isFastEnough(probe.kind, timing, { ...timing, periodSeconds }, kill))
    return { remedy: `write ${shorter}` };
  return {
    remedy: `write periodSeconds: ${periodSeconds}, or ${shorter}`,
    edits: [{ path: probe.place.path('periodSeconds'), value: periodSeconds }],
  };
}
