import { guaranteedStartSeconds } from '../time/timing.ts';
import { SAFETY_SECONDS } from '../time/bounds.ts';
import { atLeastObserved, startupProbeFor } from './lib/startup-probe.ts';
import { containerPhrase, defineCheck } from './check.ts';
import { hasProbe, timedProbe } from '../workload/pod.ts';

/**
 * The next container starts when the sidecar has started: its startup probe has succeeded, and its postStart hook has
 * ended (KEP-753; `started` in ContainerStatus). Readiness and liveness do not count. Nobody knows who needs the
 * sidecar, so the finding is a note.
 */
export const sidecarGate = defineCheck({
  id: 'sidecar-gate',
  summary: 'A native sidecar has no startup probe, so the next containers do not wait for it.',
  action: 'Audit',
  relatedProbes: ['livenessProbe', 'readinessProbe'],
  run: (container, _, workload) => {
    const { role, probes, hasPostStart, place } = container;
    if (role !== 'sidecar' || probes.length === 0 || hasPostStart || hasProbe(container, 'startupProbe'))
      return undefined;
    const liveness = timedProbe(container, 'livenessProbe');
    const source = timedProbe(container, 'readinessProbe') ?? liveness;
    const least = liveness === undefined ? SAFETY_SECONDS : guaranteedStartSeconds(liveness.timing);
    const startup = source && startupProbeFor(source, atLeastObserved(container, workload, least));
    return {
      probe: 'startupProbe',
      path: place.path('startupProbe'),
      message: `${containerPhrase(container)} has no startupProbe, so the next containers do not wait until this sidecar answers`,
      ...(startup?.advice ?? { remedy: 'write a startupProbe' }),
    };
  },
});
