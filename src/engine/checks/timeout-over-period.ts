import { roundPeriodFrom } from '../time/bounds.ts';
import { leastExecPeriodSeconds } from './lib/exec-period.ts';
import { adviceIfFast } from './lib/round-numbers.ts';
import { withStartKept } from './lib/startup-probe.ts';
import { containerPhrase, defineCheck, located, type Advice } from './check.ts';
import { isTimed } from '../workload/pod.ts';

/** Advice with edits comes first. */
const alternatives = (longer: Advice | undefined, shorter: string): string =>
  (longer?.edits ? [longer.remedy, shorter] : [shorter, longer?.remedy])
    .filter((words) => words !== undefined)
    .join(', or ');

/** The interval of hanging probes is max(P,T) (pkg/kubelet/prober/worker.go, run; kyverno/policies#1500). */
export const timeoutOverPeriod = defineCheck({
  id: 'timeout-over-period',
  summary: 'A probe may take longer than its period, which stretches the period.',
  action: 'Audit',
  judgesProbeAlone: true,
  eachProbe: (probe, _, workload) => {
    if (!isTimed(probe) || probe.timing.timeoutSeconds <= probe.timing.periodSeconds) return undefined;
    const { timeoutSeconds: T, periodSeconds: P, failureThreshold: F } = probe.timing;
    const shorter = `timeoutSeconds: ${P} or less`;
    // A shorter timeout could fail slow answers, so a longer period comes first.
    const periodSeconds = roundPeriodFrom(Math.max(T, leastExecPeriodSeconds(probe)));
    const advice = periodSeconds === undefined ? undefined : adviceIfFast(probe, { periodSeconds });
    const longer = withStartKept(probe, workload, advice);
    return {
      ...located(probe, 'timeoutSeconds'),
      message:
        `${containerPhrase(probe.container)} is probed every ${T} s while it hangs, not every ${P} s ` +
        `(${F} ${F === 1 ? 'failure takes' : 'failures take'} ${F * T} s)`,
      ...longer,
      remedy: alternatives(longer, `write ${shorter}`),
    };
  },
});
