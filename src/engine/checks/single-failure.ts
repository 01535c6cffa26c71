import { leastStartSeconds, moreFailures, withStartKept } from './lib/startup-probe.ts';
import { containerPhrase, defineCheck, located } from './check.ts';
import { isTimed, mayAct } from '../workload/pod.ts';

/** The first failed probe counts (pkg/kubelet/prober/worker.go, doProbe). A note for readiness, which kills nothing. */
export const singleFailure = defineCheck({
  id: 'single-failure',
  summary: 'One failed probe restarts the container, or takes its Pod out of Services.',
  action: 'Warn',
  judgesProbeAlone: true,
  kinds: ['livenessProbe', 'readinessProbe'],
  eachProbe: (probe, _, workload) => {
    if (!isTimed(probe) || probe.timing.failureThreshold !== 1) return undefined;
    const isKill = probe.kind === 'livenessProbe';
    return {
      ...located(probe, 'failureThreshold'),
      message:
        `${containerPhrase(probe.container)} ${isKill ? 'is restarted' : 'gets no traffic'} after 1 failed ${probe.kind}: ` +
        `one lost packet is enough, or one answer that takes more than ${probe.timing.timeoutSeconds} s`,
      ...(withStartKept(probe, workload, moreFailures(probe, leastStartSeconds(probe, workload))) ?? {
        remedy: `allow more failures${mayAct(probe) ? '' : ', with a shorter periodSeconds'}`,
      }),
      ...(!isKill && { level: 'Audit' }),
    };
  },
});
