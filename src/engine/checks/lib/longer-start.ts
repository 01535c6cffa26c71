import { killBy } from '../../probe/grace-period.ts';
import { failureThresholdFor } from '../../probe/timing.ts';
import { leastExecPeriodSeconds } from './exec-patience.ts';
import { isFastEnough, mostFailures, PERIODS } from './round-numbers.ts';
import { startupProbeFor } from './startup-probe.ts';
import type { ProbeTiming } from '../../probe/timing.ts';
import type { CheckedContainer, CheckedWorkload, Finding } from '../check.ts';
import type { CheckedProbe } from '../checked-probe.ts';

/**
 * Advises a higher failureThreshold, or also a longer period where that would take too many failures. A liveness probe
 * that needs more patience than a running container needs a startup probe instead.
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
  const numbers = patientNumbers(workload, container, gate, timing, minimum);
  if (numbers !== undefined) {
    const changed = (['periodSeconds', 'failureThreshold'] as const).filter(
      (field) => numbers[field] !== timing[field],
    );
    return {
      remedy: `write ${changed.map((field) => `${field}: ${numbers[field]}`).join(' and ')} for ${minimum} s`,
      edits: changed.map((field) => ({ path: gate.place.path(field), value: numbers[field] })),
    };
  }
  const startup = gate.kind === 'livenessProbe' ? startupProbeFor(workload, container, gate, minimum) : undefined;
  if (startup !== undefined) return { remedy: `write ${startup.yaml}`, edits: [startup.edit], copied: startup.copied };
  return { remedy: `let the ${gate.kind} allow ${minimum} s to start` };
}

/** Returns numbers of the probe itself that guarantee the time. They allow at least as many failures as before. */
function patientNumbers(
  { podSpec }: CheckedWorkload,
  container: CheckedContainer,
  gate: CheckedProbe,
  timing: ProbeTiming,
  minimum: number,
): Pick<ProbeTiming, 'periodSeconds' | 'failureThreshold'> | undefined {
  const { initialDelaySeconds: D, periodSeconds: own, failureThreshold } = timing;
  const kill = killBy(gate.spec, container.spec, podSpec);
  const least = Math.max(own, leastExecPeriodSeconds(gate));
  for (const periodSeconds of [own, ...PERIODS.filter((period) => period > own && period >= least)]) {
    const enough = Math.max(failureThreshold, failureThresholdFor(minimum, D, periodSeconds));
    const after = { ...timing, periodSeconds, failureThreshold: enough };
    const isRound = enough === failureThreshold || enough <= mostFailures(gate.kind);
    if (isRound && isFastEnough(gate.kind, timing, after, kill)) return { periodSeconds, failureThreshold: enough };
  }
  return undefined;
}
