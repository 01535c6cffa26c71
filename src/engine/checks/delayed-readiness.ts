import { WARNED_DELAY_SECONDS } from '../time/bounds.ts';
import { startupInPlaceOfDelays, startupProbeFor } from './lib/startup-probe.ts';
import { containerPhrase, defineCheck, located, type Advice } from './check.ts';
import type { CheckedWorkload } from './checked-workload.ts';
import { hasProbe, isTimed, timedProbe, type TimedProbe } from '../workload/pod.ts';

/**
 * The delay counts in every Pod, also in one that starts quickly (pkg/kubelet/prober/worker.go, doProbe). A note below
 * 60 s, and for a command: the delay spares the start its processes.
 */
export const delayedReadiness = defineCheck({
  id: 'delayed-readiness',
  summary: 'A readiness probe waits for a slow start in place of a startup probe.',
  action: 'Warn',
  relatedProbes: ['livenessProbe'],
  parameters: {
    seconds: {
      type: 'integer',
      default: 30,
      text: 'initialDelaySeconds of a readiness probe from which on the check reports the delay. Seconds, default 30.',
    },
  },
  kinds: ['readinessProbe'],
  eachProbe: (readiness, { seconds }, workload) => {
    if (!isTimed(readiness) || hasProbe(readiness.container, 'startupProbe')) return undefined;
    const delay = readiness.timing.initialDelaySeconds;
    if (delay === 0 || delay < seconds) return undefined;
    return {
      ...located(readiness, 'initialDelaySeconds'),
      message: `${containerPhrase(readiness.container)} is not Ready for ${delay} s after every start, and every rollout waits for that`,
      ...whatToWrite(readiness, workload),
      ...((delay < WARNED_DELAY_SECONDS || readiness.handler.kind === 'exec') && { level: 'Audit' }),
    };
  },
});

/** Advises a startup probe. Nothing kills a start without liveness, so these edits only remove the delay. */
function whatToWrite(readiness: TimedProbe, workload: CheckedWorkload): Advice {
  const { container, place, timing } = readiness;
  const liveness = timedProbe(container, 'livenessProbe');
  if (liveness !== undefined) return startupInPlaceOfDelays(workload, liveness, readiness);
  const removal = 'remove initialDelaySeconds';
  const edits = [{ path: place.path('initialDelaySeconds'), value: null }];
  const startup = startupProbeFor(readiness, timing.initialDelaySeconds);
  if (startup === undefined || hasProbe(container, 'livenessProbe')) return { remedy: removal, edits };
  return {
    remedy: `${removal}, or replace it by ${startup.yaml} (guarantees ${startup.guaranteedSeconds} s to start)`,
    edits,
    copied: { probe: 'readinessProbe', otherwise: removal },
  };
}
