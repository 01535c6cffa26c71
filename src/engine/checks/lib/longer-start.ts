import { failureThresholdFor } from '../../probe/timing.ts';
import { leastExecPeriodSeconds } from './heavy-client.ts';
import { isFastEnough, MOST_FAILURES, PERIODS, toWrite } from './round-numbers.ts';
import { startupProbeFor } from './startup-probe.ts';
import type { ProbeTiming } from '../../probe/timing.ts';
import type { CheckedProbe } from '../checked-workload.ts';
import type { Finding } from '../check.ts';

/**
 * Advises a higher failureThreshold, or also a longer period where that would take too many failures. A liveness probe
 * that needs more patience than a running container needs a startup probe instead.
 *
 * @param minimum the seconds that the container should be guaranteed to start
 */
export function longerStart(
  gate: CheckedProbe,
  timing: ProbeTiming,
  minimum: number,
): Pick<Finding, 'remedy' | 'edits' | 'copied'> {
  const numbers = patientNumbers(gate, timing, minimum);
  if (numbers !== undefined) {
    const { words, edits } = toWrite(gate, numbers);
    return { remedy: `write ${words} for ${minimum} s`, edits };
  }
  const startup = gate.kind === 'livenessProbe' ? startupProbeFor(gate, minimum) : undefined;
  if (startup !== undefined) return { remedy: `write ${startup.yaml}`, edits: [startup.edit], copied: startup.copied };
  return { remedy: `let the ${gate.kind} allow ${minimum} s to start` };
}

/** Returns numbers of the probe itself that guarantee the time. They allow at least as many failures as before. */
function patientNumbers(
  gate: CheckedProbe,
  { initialDelaySeconds: D, periodSeconds: own, failureThreshold: F }: ProbeTiming,
  minimum: number,
): Pick<ProbeTiming, 'periodSeconds' | 'failureThreshold'> | undefined {
  const least = leastExecPeriodSeconds(gate);
  for (const periodSeconds of [own, ...PERIODS.filter((period) => period > own && period >= least)]) {
    const failureThreshold = Math.max(F, failureThresholdFor(minimum, D, periodSeconds));
    const isRound = failureThreshold === F || failureThreshold <= MOST_FAILURES[gate.kind];
    const numbers = { periodSeconds, failureThreshold };
    if (isRound && isFastEnough(gate, numbers)) return numbers;
  }
  return undefined;
}
