import { intervalSeconds, type ProbeTiming } from '../probe/timing.ts';
import { isFastEnough, roundPeriodFrom, toWrite } from './lib/round-numbers.ts';
import { containerPhrase, defineCheck, located, type Advice } from './check.ts';
import type { CheckedProbe } from './checked-workload.ts';

/** The interval of hanging probes is max(P,T) (pkg/kubelet/prober/worker.go, run; kyverno/policies#1500). */
export const timeoutOverPeriod = defineCheck({
  id: 'timeout-over-period',
  summary: 'A probe may take longer than its period, which stretches the period.',
  action: 'Audit',
  judgesProbeAlone: true,
  eachProbe: (probe) => {
    const { timing } = probe;
    if (timing === undefined || timing.timeoutSeconds <= timing.periodSeconds) return undefined;
    const { timeoutSeconds: T, periodSeconds: P, failureThreshold: F } = timing;
    const interval = intervalSeconds(timing, T);
    return {
      ...located(probe, 'timeoutSeconds'),
      message:
        `${containerPhrase(probe.container)} is probed every ${interval} s while it hangs, not every ${P} s ` +
        `(${F} ${F === 1 ? 'failure takes' : 'failures take'} ${F * interval} s)`,
      ...whatToWrite(probe, timing),
    };
  },
});

/** Advises a longer period, as a shorter timeout could fail slow answers, unless the probe would become too slow. */
function whatToWrite(probe: CheckedProbe, timing: ProbeTiming): Advice {
  const shorter = `timeoutSeconds: ${timing.periodSeconds} or less`;
  const periodSeconds = roundPeriodFrom(timing.timeoutSeconds);
  if (periodSeconds === undefined || !isFastEnough(probe, { periodSeconds })) return { remedy: `write ${shorter}` };
  const { words, edits } = toWrite(probe, { periodSeconds });
  return { remedy: `write ${words}, or ${shorter}`, edits };
}
