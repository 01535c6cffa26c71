import { intervalSeconds } from '../probes/timing.ts';
import { eachProbe } from './each-probe.ts';
import { the } from './wording.ts';
import type { Check, CheckedContainer, Finding } from './check.ts';
import type { CheckedProbe } from './checked-probe.ts';

/**
 * Fields: `<probe>.timeoutSeconds`, `<probe>.periodSeconds`.
 *
 * Rule: T <= P. A probe runs to its end before the next one starts, so the interval of hanging probes is max(P,T),
 * not P (pkg/kubelet/prober/worker.go, run; asked for in kyverno/policies#1500).
 */
export const timeoutOverPeriod: Check = {
  id: 'timeout-over-period',
  run: (_workload, container) => eachProbe(container, (probe) => judge(container, probe)),
};

function judge(container: CheckedContainer, probe: CheckedProbe): Finding | undefined {
  const timing = probe.timing;
  if (timing === undefined || timing.timeoutSeconds <= timing.periodSeconds) return undefined;
  const { timeoutSeconds: T, periodSeconds: P, failureThreshold: F } = timing;
  const interval = intervalSeconds(timing, T);
  return {
    probe: probe.kind,
    path: `${probe.path}.timeoutSeconds`,
    message:
      `${the(container)} is probed every ${interval} s while it hangs, not every ${P} s ` +
      `(${F} ${F === 1 ? 'failure takes' : 'failures take'} ${F * interval} s); write timeoutSeconds: ${P} or less, or periodSeconds: ${T}`,
  };
}
