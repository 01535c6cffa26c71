import { probeBounds as bounds } from '../policy/check-parameters.ts';
import { PROBE_INTEGERS } from '../probes/probe.ts';
import { probeGraceSeconds } from '../probes/grace-period.ts';
import { containerPhrase } from './wording.ts';
import { defineCheck } from './check.ts';
import type { Limits, ProbeBounds } from '../policy/check-parameters.ts';
import type { ProbeInteger } from '../probes/probe.ts';
import type { CheckedContainer, Finding } from './check.ts';
import type { CheckedProbe } from './checked-probe.ts';

const EXAMPLE =
  'e.g. { periodSeconds: { minimum: 2, maximum: 60 } }. What the probe leaves out counts with its default.';

/**
 * Fields: the six integers of each probe, after API defaulting. A probe without terminationGracePeriodSeconds uses the
 * Pod's value, so the field is skipped.
 *
 * Rule: the values are within `minimum` and `maximum` of the policy, per probe kind and field (Kubewarden, Datree). The
 * check is off by default.
 */
export const probeBounds = defineCheck({
  id: 'probe-bounds',
  summary: 'A number of the probe is outside its bounds.',
  action: 'Off',
  judgesProbeAlone: true,
  parameters: {
    livenessProbe: bounds({ text: `Bounds for liveness probes, ${EXAMPLE}` }),
    readinessProbe: bounds({ text: `Bounds for readiness probes, ${EXAMPLE}` }),
    startupProbe: bounds({ text: `Bounds for startup probes, ${EXAMPLE}` }),
  },
  run: (_workload, container, parameters) =>
    container.probes.flatMap((probe) => findingsOf(container, probe, parameters[probe.kind])),
});

function findingsOf(container: CheckedContainer, probe: CheckedProbe, bounds: ProbeBounds): Finding[] {
  return PROBE_INTEGERS.flatMap((field): Finding[] => {
    const value = valueOf(probe, field);
    const limits = bounds[field];
    const advice = value === undefined || limits === undefined ? undefined : whatToWrite(value, limits);
    if (advice === undefined) return [];
    const message = `${containerPhrase(container)} has ${field} ${value ?? ''} in its ${probe.kind}; write ${advice}`;
    return [{ probe: probe.kind, path: probe.place.path(field), message }];
  });
}

function valueOf(probe: CheckedProbe, field: ProbeInteger): number | undefined {
  if (field !== 'terminationGracePeriodSeconds') return probe.timing?.[field];
  const grace = probeGraceSeconds(probe.spec);
  return grace === 'absent' ? undefined : grace;
}

function whatToWrite(value: number, { minimum, maximum }: Limits): string | undefined {
  if (minimum !== undefined && value < minimum) return `${minimum} or more`;
  if (maximum !== undefined && value > maximum) return `${maximum} or less`;
  return undefined;
}
