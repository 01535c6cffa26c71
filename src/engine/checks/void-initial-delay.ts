import { guaranteedStartSeconds } from '../time/timing.ts';
import { containerPhrase, defineCheck, located } from './check.ts';
import { timedProbe } from '../workload/pod.ts';

/** The delay counts from the container's start, not from the startup probe's success (worker.go, doProbe). */
export const voidInitialDelay = defineCheck({
  id: 'void-initial-delay',
  summary: 'An initial delay has no effect behind the startup probe.',
  action: 'Audit',
  judgesProbeAlone: true,
  relatedProbes: ['startupProbe'],
  // An injected startup probe was made because of the delay, so the delay does have an effect.
  acceptsDelayOfInjectedStartup: true,
  kinds: ['livenessProbe', 'readinessProbe'],
  eachProbe: (probe) => {
    const guard = timedProbe(probe.container, 'startupProbe');
    const delay = probe.timing?.initialDelaySeconds ?? 0;
    const guarded = guard === undefined ? 0 : guaranteedStartSeconds(guard.timing);
    if (delay === 0 || guarded <= delay) return undefined;
    const place = located(probe, 'initialDelaySeconds');
    return {
      ...place,
      message:
        `${containerPhrase(probe.container)} delays its ${probe.kind} by ${delay} s from its start, ` +
        `which startupProbe already guards for ${guarded} s`,
      remedy: 'remove initialDelaySeconds',
      edits: [{ path: place.path, value: null }],
    };
  },
});
