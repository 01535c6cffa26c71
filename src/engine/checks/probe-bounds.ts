import { probeBounds as bounds, type Limits, type ProbeBounds } from '../policy/check-parameters.ts';
import { PROBE_INTEGERS, type ProbeInteger } from '../probe/probe.ts';
import { probeGraceSeconds } from '../probe/grace-period.ts';
import { containerPhrase, defineCheck, type Finding } from './check.ts';
import type { CheckedProbe } from './checked-workload.ts';

const EXAMPLE =
  'e.g. { periodSeconds: { minimum: 2, maximum: 60 } }. What the probe leaves out counts with its default.';

/**
 * After API defaulting. A probe without its own grace period uses the Pod's, which is not judged (Kubewarden, Datree).
 */
export const probeBounds = defineCheck({
  id: 'probe-bounds',
  summary: 'A number of the probe is outside its bounds.',
  action: 'Off',
  judgesProbeAlone: true,
  parameters: {
    livenessProbe: bounds(`Bounds for liveness probes, ${EXAMPLE}`),
    readinessProbe: bounds(`Bounds for readiness probes, ${EXAMPLE}`),
    startupProbe: bounds(`Bounds for startup probes, ${EXAMPLE}`),
  },
  run: (container, parameters) => {
    const found: Finding[] = [];
    for (const probe of container.probes) addFindings(found, probe, parameters[probe.kind]);
    return found;
  },
});

function addFindings(found: Finding[], probe: CheckedProbe, bounds: ProbeBounds): void {
  for (const field of PROBE_INTEGERS) {
    const limits = bounds[field];
    if (limits === undefined) continue;
    const value = valueOf(probe, field);
    const advice = value === undefined ? undefined : whatToWrite(value, limits);
    if (advice === undefined) continue;
    const message = `${containerPhrase(probe.container)} has ${field} ${value ?? ''} in its ${probe.kind}, outside the bounds of a policy`;
    const path = probe.place.path(field);
    const edits = isKnownToWork(probe, field, advice) ? { edits: [{ path, value: advice.bound }] } : undefined;
    found.push({ probe: probe.kind, path, message, remedy: `write ${advice.words}`, ...edits });
  }
}

function valueOf(probe: CheckedProbe, field: ProbeInteger): number | undefined {
  if (field !== 'terminationGracePeriodSeconds') return probe.timing?.[field];
  const grace = probeGraceSeconds(probe.spec);
  return grace === 'absent' ? undefined : grace;
}

interface Advice {
  readonly words: string;
  readonly bound: number;
  readonly raises: boolean;
}

function whatToWrite(value: number, { minimum, maximum }: Limits): Advice | undefined {
  if (minimum !== undefined && value < minimum) return { words: `${minimum} or more`, bound: minimum, raises: true };
  if (maximum !== undefined && value > maximum) return { words: `${maximum} or less`, bound: maximum, raises: false };
  return undefined;
}

/** True when the bound gives more time; fewer failures or a shorter start may not work. */
function isKnownToWork({ kind }: CheckedProbe, field: ProbeInteger, { raises }: Advice): boolean {
  if (raises || field === 'terminationGracePeriodSeconds') return true;
  return kind === 'readinessProbe' && (field === 'initialDelaySeconds' || field === 'periodSeconds');
}
