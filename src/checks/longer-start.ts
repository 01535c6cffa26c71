import { isSubstituteOfStartup } from './drain-race.ts';
import { patientThreshold, startupProbeFor } from './startup-probe.ts';
import type { ProbeTiming } from '../probes/timing.ts';
import type { CheckedContainer, CheckedWorkload, Finding } from './check.ts';
import type { CheckedProbe } from './checked-probe.ts';

/**
 * Advises a higher failureThreshold, or a longer period where that would take too many failures. A liveness probe that
 * needs that much patience needs a startup probe instead.
 *
 * @param minimum the seconds that the container should be guaranteed to start
 */
export function longerStart(
  workload: CheckedWorkload,
  container: CheckedContainer,
  gate: CheckedProbe,
  timing: ProbeTiming,
  minimum: number,
): Pick<Finding, 'remedy' | 'edits' | 'copied'> {
  const afterDelay = minimum - Math.max(0, timing.initialDelaySeconds - 1);
  const { periodSeconds, failureThreshold } = patientThreshold(afterDelay, timing);
  if (gate.kind === 'livenessProbe' && isSubstituteOfStartup(failureThreshold, periodSeconds)) {
    const startup = startupProbeFor(workload, container, gate, minimum);
    if (startup !== undefined)
      return { remedy: `write ${startup.yaml}`, edits: [startup.edit], copied: startup.copied };
  }
  const failures = { path: gate.place.path('failureThreshold'), value: failureThreshold };
  if (periodSeconds === timing.periodSeconds)
    return { remedy: `write failureThreshold: ${failureThreshold} for ${minimum} s`, edits: [failures] };
  return {
    remedy: `write periodSeconds: ${periodSeconds} and failureThreshold: ${failureThreshold} for ${minimum} s`,
    edits: [{ path: gate.place.path('periodSeconds'), value: periodSeconds }, failures],
  };
}
