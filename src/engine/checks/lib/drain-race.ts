import { DEFAULT_TIMING } from '../../probe/default-values.ts';
import { killBy } from '../../probe/grace-period.ts';
import { failureThresholdBeyond, verdictSpan } from '../../probe/timing.ts';
import { endpointOf } from './endpoint.ts';
import { leastExecPeriodSeconds } from './exec-patience.ts';
import { isFastEnough, MOST_DRAIN_SECONDS, mostFailures, PERIODS } from './round-numbers.ts';
import { probeOf } from '../checked-probe.ts';
import type { CheckedContainer, CheckedWorkload, Finding } from '../check.ts';
import type { CheckedProbe } from '../checked-probe.ts';

/** The timing of a fault after which the container may be killed before its Pod leaves the Service. */
export interface DrainRace {
  readonly liveness: CheckedProbe;
  readonly readiness: CheckedProbe;
  readonly sameEndpoint: boolean;
  /** Earliest time at which liveness gives up, in seconds after a fault: (Fl-1)*Pl. */
  readonly killedAfter: number;
  /** Latest time at which readiness has given up, in seconds after a fault: Pr + (Fr-1)*max(Pr,Tr) + Tr. */
  readonly drainedAfter: number;
}

/**
 * Liveness numbers with which liveness gives up strictly later than readiness, in words and as edits. A readiness probe
 * that takes more than 60 s is the one to change (slow-detection), so there is no advice for liveness beside it.
 */
export function drainingAdvice(
  { podSpec }: CheckedWorkload,
  container: CheckedContainer,
  liveness: CheckedProbe,
  drainedAfter: number,
): Pick<Finding, 'remedy' | 'edits'> {
  if (drainedAfter > MOST_DRAIN_SECONDS)
    return { remedy: `first let readiness stop the traffic within ${MOST_DRAIN_SECONDS} s` };
  const timing = liveness.timing ?? DEFAULT_TIMING;
  const kill = killBy(liveness.spec, container.spec, podSpec);
  const least = Math.max(timing.timeoutSeconds, leastExecPeriodSeconds(liveness));
  for (const periodSeconds of [timing.periodSeconds, ...PERIODS.filter((period) => period >= least)]) {
    const failureThreshold = Math.max(timing.failureThreshold, failureThresholdBeyond(drainedAfter, periodSeconds));
    if (failureThreshold > mostFailures('livenessProbe')) continue;
    const after = { ...timing, periodSeconds, failureThreshold };
    if (!isFastEnough('livenessProbe', timing, after, kill)) continue;
    const changed = (['periodSeconds', 'failureThreshold'] as const).filter((field) => after[field] !== timing[field]);
    return {
      remedy: `write ${changed.map((field) => `${field}: ${after[field]}`).join(' and ')}`,
      edits: changed.map((field) => ({ path: liveness.place.path(field), value: after[field] })),
    };
  }
  return { remedy: 'shorten periodSeconds or timeoutSeconds of the readinessProbe' };
}

/**
 * Returns the timing of a fault when liveness may give up before readiness: (Fl-1)*Pl <= Pr + (Fr-1)*max(Pr,Tr) + Tr.
 * Undefined when readiness always gives up first, or when the container does not have two probes that can be compared.
 */
export function drainRace(container: CheckedContainer): DrainRace | undefined {
  const liveness = probeOf(container, 'livenessProbe');
  const readiness = probeOf(container, 'readinessProbe');
  if (liveness === undefined || readiness === undefined) return undefined;
  const { timing: l } = liveness;
  const { timing: r } = readiness;
  if (l === undefined || r === undefined) return undefined;
  const killedAfter = verdictSpan(l).earliest;
  const drainedAfter = verdictSpan(r).latest;
  if (killedAfter > drainedAfter) return undefined;

  const [livenessEndpoint, readinessEndpoint] = [endpointOf(container, liveness), endpointOf(container, readiness)];
  if (livenessEndpoint === undefined || readinessEndpoint === undefined) return undefined;
  return {
    liveness,
    readiness,
    sameEndpoint: livenessEndpoint === readinessEndpoint,
    killedAfter,
    drainedAfter,
  };
}
