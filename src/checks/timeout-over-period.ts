import { intervalSeconds } from '../probes/timing.ts';
import { eachProbe } from './each-probe.ts';
import { containerPhrase } from './wording.ts';
import { defineCheck } from './check.ts';
import type { CheckedContainer, Finding } from './check.ts';
import type { CheckedProbe } from './checked-probe.ts';

/**
 * Fields: `<probe>.timeoutSeconds`, `<probe>.periodSeconds`.
 *
 * Rule: T <= P. The next probe starts only after the previous probe has ended. The interval of hanging probes is
 * therefore max(P,T) instead of P (pkg/kubelet/prober/worker.go, run; requested in kyverno/policies#1500). For a
 * startup probe the finding is a note: a longer interval gives the container more time to start.
 */
export const timeoutOverPeriod = defineCheck({
  id: 'timeout-over-period',
  summary: 'A probe may take longer than its period, which stretches the period.',
  action: 'Warn',
  judgesProbeAlone: true,
  run: (_workload, container) => eachProbe(container, (probe) => violationOf(container, probe)),
});

function violationOf(container: CheckedContainer, probe: CheckedProbe): Finding | undefined {
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
    remedy: `write periodSeconds: ${T}, or timeoutSeconds: ${P} or less`,
    // A shorter timeout could fail slow answers, so the edit makes the period longer.
    edits: [{ path: probe.place.path('periodSeconds'), value: T }],
    ...(probe.kind === 'startupProbe' && { level: 'Audit' }),
  };
}
