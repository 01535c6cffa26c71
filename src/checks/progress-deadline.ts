import { member, objectMember } from '../probes/json.ts';
import { isCount, longestStartSeconds, recoverySpan } from '../probes/timing.ts';
import { hasProbe, isPresent, probeOf } from './checked-probe.ts';
import { the } from './wording.ts';
import type { JsonObject } from '../probes/json.ts';
import type { ProbeKind } from '../probes/probe.ts';
import type { ProbeTiming } from '../probes/timing.ts';
import type { Check, CheckedContainer, CheckedWorkload, Finding } from './check.ts';

/** The API server's default (pkg/apis/apps/v1/defaults.go, SetDefaults_Deployment). */
const DEFAULT_DEADLINE_SECONDS = 600;

/**
 * Fields: `spec.progressDeadlineSeconds`, `spec.minReadySeconds` of a Deployment; the integers of the startup probe
 * (of the liveness probe where there is none) and of the readiness probe.
 *
 * Rule: progressDeadlineSeconds >= B_max + Sr*Pr + minReadySeconds, with B_max = D + P + (F-1)*max(P,T) + T the
 * longest start that the probe allows. The API server checks against minReadySeconds only; a rollout that takes the
 * time that its probes grant is then reported as failed (omi#9988).
 */
export const progressDeadline: Check = {
  id: 'progress-deadline',
  relatedProbes: ['startupProbe', 'livenessProbe', 'readinessProbe'],
  run: (workload, container): Finding[] => {
    const spec = deploymentSpec(workload);
    const start = spec && startSeconds(container);
    if (spec === undefined || start === undefined) return [];
    const deadline = secondsOr(spec, 'progressDeadlineSeconds', DEFAULT_DEADLINE_SECONDS);
    const minReady = secondsOr(spec, 'minReadySeconds', 0);
    const ready = readySeconds(container);
    if (deadline === undefined || minReady === undefined || ready === undefined) return [];
    const needed = start + ready + minReady;
    if (deadline >= needed) return [];
    const message =
      `${the(container)} may take ${start} s to start, ${ready} s to be Ready and minReadySeconds ${minReady}, but a healthy rollout ` +
      `is reported as failed after ${deadline} s; write progressDeadlineSeconds: ${needed} or more`;
    return [{ path: 'spec.progressDeadlineSeconds', message }];
  },
};

function deploymentSpec({ kind, object }: CheckedWorkload): JsonObject | undefined {
  return kind.group === 'apps' && kind.kind === 'Deployment' ? objectMember(object, 'spec') : undefined;
}

function startSeconds(container: CheckedContainer): number | undefined {
  return derived(
    container,
    hasProbe(container, 'startupProbe') ? 'startupProbe' : 'livenessProbe',
    longestStartSeconds,
  );
}

function readySeconds(container: CheckedContainer): number | undefined {
  return derived(container, 'readinessProbe', (timing) => recoverySpan(timing, 0).latest);
}

/** What follows from a probe's timing: 0 without the probe, undefined when it cannot be judged. */
function derived(
  container: CheckedContainer,
  kind: ProbeKind,
  formula: (timing: ProbeTiming) => number,
): number | undefined {
  if (!hasProbe(container, kind)) return 0;
  const probe = probeOf(container, kind);
  const timing = probe?.timing;
  return timing && formula(timing);
}

function secondsOr(spec: JsonObject, field: string, fallback: number): number | undefined {
  const value = member(spec, field);
  if (!isPresent(value)) return fallback;
  return isCount(value) ? value : undefined;
}
