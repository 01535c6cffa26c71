import { DEFAULT_PROGRESS_DEADLINE_SECONDS } from '../probe/api-defaults.ts';
import { INT32_MAX } from '../probe/go-values.ts';
import { longestRecoverySeconds, longestStartSeconds, type ProbeTiming } from '../time/timing.ts';
import { isDeployment } from '../workload/kinds.ts';
import { containerPhrase, defineCheck } from './check.ts';
import { numberOf, oncePerWorkload } from './checked-workload.ts';
import { hasProbe, mayHaveProbes, startGateOf, timedProbe, type Container } from '../workload/pod.ts';
import type { ProbeKind } from '../probe/probe.ts';

/**
 * The deadline is at least B_max + Sr*Pr + minReadySeconds; B_max is the longest start that the probes allow. The API
 * server compares it with minReadySeconds only (omi#9988).
 */
export const progressDeadline = defineCheck({
  id: 'progress-deadline',
  summary: 'A rollout can be reported as failed while the container may still start.',
  action: 'Audit',
  relatedProbes: ['startupProbe', 'livenessProbe', 'readinessProbe'],
  run: (container, _, workload) => {
    const times = isDeployment(workload.kind) ? timesOf(container) : undefined;
    if (times === undefined) return undefined;
    const { start, ready } = times;
    const deadline = numberOf(workload, 'progressDeadlineSeconds') ?? DEFAULT_PROGRESS_DEADLINE_SECONDS;
    const minReady = numberOf(workload, 'minReadySeconds') ?? 0;
    const own = start + ready;
    // NaN is never too late.
    if (!(deadline < own + minReady)) return undefined;
    const path = ['spec', 'progressDeadlineSeconds'];
    const enough = Math.ceil((Math.max(own, slowestSeconds(workload)) + minReady) / 60) * 60;
    return {
      path,
      message:
        `${containerPhrase(container)} may take ${start} s to start, ${ready} s to be Ready and minReadySeconds ${minReady}, ` +
        `but a healthy rollout is reported as failed after ${deadline} s`,
      remedy: `write progressDeadlineSeconds: ${enough} or more`,
      ...(enough <= INT32_MAX && { edits: [{ path, value: enough }] }),
    };
  },
});

/** The probes for which a Pod waits until it is Ready. */
const GATES = ['startupProbe', 'readinessProbe'] as const;

/** The longest start, and the time to Ready, in seconds. Undefined for a container that is Ready as soon as it runs. */
function timesOf(container: Container): { readonly start: number; readonly ready: number } | undefined {
  if (!GATES.some((kind) => hasProbe(container, kind))) return undefined;
  return {
    start: derived(container, startGateOf(container), longestStartSeconds),
    ready: derived(container, 'readinessProbe', (timing) => longestRecoverySeconds(timing, 0)),
  };
}

/** The seconds of the slowest container: one deadline is right for all. */
const slowestSeconds = oncePerWorkload(({ pod }) => {
  const times = pod.containers.filter(mayHaveProbes).flatMap((container) => timesOf(container) ?? []);
  return Math.max(0, ...times.map(({ start, ready }) => start + ready || 0));
});

/** Computes seconds from a probe's timing: 0 without the probe, and NaN when the probe cannot be judged. */
function derived(container: Container, kind: ProbeKind, formula: (timing: ProbeTiming) => number): number {
  if (!hasProbe(container, kind)) return 0;
  const probe = timedProbe(container, kind);
  return probe === undefined ? NaN : formula(probe.timing);
}
