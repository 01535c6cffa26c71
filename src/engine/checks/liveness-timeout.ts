import { DEFAULT_TIMING } from '../probe/api-defaults.ts';
import { verdictSpan } from '../time/timing.ts';
import { containerPhrase, defineCheck, located } from './check.ts';
import { isTimed } from '../workload/pod.ts';

/** A pause of so many seconds is usual: a collection of garbage, a node without memory, a moved machine. */
const LONG_PAUSE_SECONDS = 30;

/**
 * T = 1 and (F-1)*max(P,T) + T < 30: when a process stands still, each probe hangs, and one pause is enough for all
 * failures. Never a warning, because every second chart has such a probe. A single failure is the finding of
 * single-failure, and a short timeout of a command that of exec-cost.
 */
export const livenessTimeout = defineCheck({
  id: 'liveness-timeout',
  summary: 'One pause of the process is enough to restart the container.',
  action: 'Audit',
  judgesProbeAlone: true,
  notesDefault: true,
  kinds: ['livenessProbe'],
  handlers: ['httpGet', 'tcpSocket', 'grpc'],
  eachProbe: (probe) => {
    if (!isTimed(probe)) return undefined;
    const { timing, container } = probe;
    const { timeoutSeconds: T, periodSeconds: P, failureThreshold: F } = timing;
    // The failures of a pause begin with a probe, so the period before the first one does not count.
    const pause = verdictSpan(timing).latest - P;
    if (T !== DEFAULT_TIMING.timeoutSeconds || F === 1 || pause >= LONG_PAUSE_SECONDS) return undefined;
    return {
      ...located(probe, 'timeoutSeconds'),
      message: `${containerPhrase(container)} is restarted after one pause of ${pause} s: ${F} answers that each take more than ${T} s are enough`,
      remedy: 'write a longer timeoutSeconds, such as 5, or more failures',
    };
  },
});
