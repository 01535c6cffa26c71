import { adviceIfFast, roundPeriodFrom } from './lib/round-numbers.ts';
import { containerPhrase, defineCheck, located } from './check.ts';
import { isTimed } from '../workload/pod.ts';

/** The interval of hanging probes is max(P,T) (pkg/kubelet/prober/worker.go, run; kyverno/policies#1500). */
export const timeoutOverPeriod = defineCheck({
  id: 'timeout-over-period',
  summary: 'A probe may take longer than its period, which stretches the period.',
  action: 'Audit',
  judgesProbeAlone: true,
  eachProbe: (probe) => {
    if (!isTimed(probe) || probe.timing.timeoutSeconds <= probe.timing.periodSeconds) return undefined;
    const { timeoutSeconds: T, periodSeconds: P, failureThreshold: F } = probe.timing;
    const shorter = `timeoutSeconds: ${P} or less`;
    // A shorter timeout could fail slow answers, so a longer period comes first.
    const periodSeconds = roundPeriodFrom(T);
    const longer = periodSeconds && adviceIfFast(probe, { periodSeconds }, `, or ${shorter}`);
    return {
      ...located(probe, 'timeoutSeconds'),
      message:
        `${containerPhrase(probe.container)} is probed every ${T} s while it hangs, not every ${P} s ` +
        `(${F} ${F === 1 ? 'failure takes' : 'failures take'} ${F * T} s)`,
      ...(longer ?? { remedy: `write ${shorter}` }),
    };
  },
});
