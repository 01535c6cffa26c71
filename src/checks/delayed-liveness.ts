import { hasProbe, probeOf } from './checked-probe.ts';
import { drainingThreshold } from './drain-race.ts';
import { integerParameter } from './parameters.ts';
import { startupProbeFor } from './startup-probe.ts';
import { the } from './wording.ts';
import type { ProbeTiming } from '../probes/timing.ts';
import type { Check, CheckParameters, CheckedContainer, Finding } from './check.ts';

const DEFAULT_SECONDS = 30;
const DEFAULT_TOLERANCE_SECONDS = 120;
/**
 * Up to this failureThreshold a long tolerance is a choice about a running container, not a way to survive the start.
 */
const ORDINARY_FAILURE_THRESHOLD = 10;
const API_DEFAULT_THRESHOLD = 3;

/**
 * Fields: `livenessProbe.initialDelaySeconds`, `.failureThreshold`, `.periodSeconds`; absent `startupProbe`.
 *
 * Rule: without a startup probe, D < seconds, and not both F*P >= toleranceSeconds and F > 10. These are the two
 * workarounds that the startup probe was made to replace (KEP-950): the first delays the detection of a deadlock on
 * every start, the second for ever.
 */
export const delayedLiveness: Check = {
  id: 'delayed-liveness',
  run: (_workload, container, parameters) => {
    const finding = judge(container, parameters);
    return finding === undefined ? [] : [finding];
  },
};

function judge(container: CheckedContainer, parameters: CheckParameters): Finding | undefined {
  const liveness = probeOf(container, 'livenessProbe');
  const timing = liveness?.timing;
  if (liveness === undefined || timing === undefined || hasProbe(container, 'startupProbe')) return undefined;
  const workaround = workaroundIn(timing, drainingThreshold(container), parameters);
  const startup = startupProbeFor(liveness);
  if (workaround === undefined || startup === undefined) return undefined;
  return {
    probe: 'livenessProbe',
    path: `${liveness.path}.${workaround.field}`,
    message:
      `${the(container)} ${workaround.harm}; ${workaround.instead} and write ${startup.yaml} ` +
      `(guarantees ${startup.guaranteedSeconds} s to start)`,
  };
}

interface Workaround {
  readonly field: 'initialDelaySeconds' | 'failureThreshold';
  readonly harm: string;
  readonly instead: string;
}

/** @param draining the least failureThreshold that shared-endpoint and killed-before-drained let pass; undefined when they have no say */
function workaroundIn(
  timing: ProbeTiming,
  draining: number | undefined,
  parameters: CheckParameters,
): Workaround | undefined {
  const { initialDelaySeconds: D, periodSeconds: P, failureThreshold: F } = timing;
  if (D >= integerParameter(parameters, 'seconds', DEFAULT_SECONDS))
    return {
      field: 'initialDelaySeconds',
      harm: `is not watched for ${D} s after every start`,
      instead: 'take initialDelaySeconds out',
    };
  const tolerance = integerParameter(parameters, 'toleranceSeconds', DEFAULT_TOLERANCE_SECONDS);
  if (F <= ORDINARY_FAILURE_THRESHOLD || F * P < tolerance) return undefined;
  const enough = Math.max(API_DEFAULT_THRESHOLD, draining ?? 0);
  return {
    field: 'failureThreshold',
    harm: `may hang for ${F * P} s (${F} failures, one every ${P} s) at any time before it is restarted`,
    instead: enough < F ? `lower failureThreshold to ${enough}` : 'keep failureThreshold',
  };
}
