import { member, objectMember } from '../../base/json/json-value.ts';
import { DEFAULT_PROGRESS_DEADLINE_SECONDS } from '../probe/default-values.ts';
import { INT32_MAX } from '../probe/go-values.ts';
import { startGateOf } from '../probe/startup-budget.ts';
import { isCount, longestRecoverySeconds, longestStartSeconds } from '../probe/timing.ts';
import { isDeployment } from '../workload/kinds.ts';
import { hasProbe, isPresent, probeOf } from './checked-probe.ts';
import { roundDeadlineFrom } from './lib/round-numbers.ts';
import { containerPhrase } from './lib/wording.ts';
import { defineCheck } from './check.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { ProbeKind } from '../probe/probe.ts';
import type { ProbeTiming } from '../probe/timing.ts';
import type { CheckedContainer, CheckedWorkload, Finding } from './check.ts';

/**
 * Fields: `spec.progressDeadlineSeconds`, `spec.minReadySeconds` of a Deployment; the integers of the readiness probe
 * and of the startup probe. Without a startup probe, the liveness probe's integers are used.
 *
 * Rule: progressDeadlineSeconds >= B_max + Sr*Pr + minReadySeconds. B_max = D + P + (F-1)*max(P,T) + T is the longest
 * start that the probe allows. The API server compares the deadline with minReadySeconds only. A rollout that uses the
 * time that its probes allow is then reported as failed (omi#9988). The finding is a note: few starts take that long,
 * and a failed report changes nothing in the cluster.
 */
export const progressDeadline = defineCheck({
  id: 'progress-deadline',
  summary: 'A rollout can be reported as failed while the container may still start.',
  action: 'Audit',
  relatedProbes: ['startupProbe', 'livenessProbe', 'readinessProbe'],
  run: (workload, container): Finding[] => {
    const spec = deploymentSpec(workload);
    const start = spec && startSeconds(container);
    if (spec === undefined || start === undefined) return [];
    const deadline = secondsOr(spec, 'progressDeadlineSeconds', DEFAULT_PROGRESS_DEADLINE_SECONDS);
    const minReady = secondsOr(spec, 'minReadySeconds', 0);
    const ready = readySeconds(container);
    if (deadline === undefined || minReady === undefined || ready === undefined) return [];
    const needed = start + ready + minReady;
    if (deadline >= needed) return [];
    const message =
      `${containerPhrase(container)} may take ${start} s to start, ${ready} s to be Ready and minReadySeconds ${minReady}, ` +
      `but a healthy rollout is reported as failed after ${deadline} s`;
    const path = ['spec', 'progressDeadlineSeconds'];
    const enough = roundDeadlineFrom(needed);
    return [
      {
        path,
        message,
        remedy: `write progressDeadlineSeconds: ${enough} or more`,
        ...(enough <= INT32_MAX && { edits: [{ path, value: enough }] }),
      },
    ];
  },
});

function deploymentSpec({ kind, object }: CheckedWorkload): JsonObject | undefined {
  return isDeployment(kind) ? objectMember(object, 'spec') : undefined;
}

function startSeconds(container: CheckedContainer): number | undefined {
  return derived(container, startGateOf(container.spec), longestStartSeconds);
}

function readySeconds(container: CheckedContainer): number | undefined {
  return derived(container, 'readinessProbe', (timing) => longestRecoverySeconds(timing, 0));
}

/**
 * Computes a value from a probe's timing. Returns 0 without the probe, and undefined when the probe cannot be judged.
 */
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
