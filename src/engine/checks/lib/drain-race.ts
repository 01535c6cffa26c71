import { MOST_DRAIN_SECONDS, MOST_FAILURES } from '../../time/bounds.ts';
import { failureThresholdBeyond, failureThresholdFor, verdictSpan } from '../../time/timing.ts';
import { mayAct, probeOf, timedProbe, type Container, type TimedProbe } from '../../workload/pod.ts';
import { endpointOf } from './endpoint.ts';
import { leastExecPeriodSeconds } from './exec-period.ts';
import { isFastEnough, patientAdvice } from './round-numbers.ts';
import type { Advice } from '../check.ts';

interface DrainRace {
  readonly liveness: TimedProbe;
  readonly sameEndpoint: boolean;
  /** Earliest time at which liveness gives up, in seconds after a fault: (Fl-1)*Pl. */
  readonly killedAfter: number;
  /** Latest time at which readiness has given up, in seconds after a fault: Pr + (Fr-1)*max(Pr,Tr) + Tr. */
  readonly drainedAfter: number;
}

/**
 * Liveness numbers with which liveness gives up strictly later than readiness, in words and as edits. A readiness probe
 * that takes more than 60 s is the one to change (slow-detection), so there is no advice for liveness beside it.
 *
 * @param leastStart the seconds to start that the advice of other checks guarantees by the same number
 */
export function drainingAdvice(liveness: TimedProbe, drainedAfter: number, leastStart: number): Advice {
  if (drainedAfter > MOST_DRAIN_SECONDS)
    return { remedy: `first let readiness stop the traffic within ${MOST_DRAIN_SECONDS} s` };
  const { timing } = liveness;
  const advice =
    timing.failureThreshold > MOST_FAILURES.livenessProbe
      ? undefined
      : patientAdvice(liveness, shortestPeriod(liveness), failuresBeyond(liveness, drainedAfter, leastStart));
  if (advice !== undefined) return advice;
  const readiness = probeOf(liveness.container, 'readinessProbe');
  const fields = readiness !== undefined && mayAct(readiness) ? '' : 'periodSeconds or ';
  return { remedy: `shorten ${fields}timeoutSeconds of the readinessProbe` };
}

/** The shortest period that advice may give a probe. A command with side effects does not run more often. */
export function shortestPeriod(probe: TimedProbe): number {
  const { periodSeconds: own, timeoutSeconds: T } = probe.timing;
  return Math.max(T, leastExecPeriodSeconds(probe), mayAct(probe) ? own : 0);
}

/** The failures of a period with which liveness gives up after readiness, and guarantees a start. */
export function failuresBeyond(liveness: TimedProbe, drainedAfter: number, leastStart: number) {
  const { initialDelaySeconds: D } = liveness.timing;
  return (period: number): number =>
    Math.max(failureThresholdBeyond(drainedAfter, period), failureThresholdFor(leastStart, D, period));
}

/**
 * Returns the timing of a fault when liveness may give up before readiness: (Fl-1)*Pl <= Pr + (Fr-1)*max(Pr,Tr) + Tr.
 * Undefined when readiness always gives up first, or when the container does not have two probes that can be compared.
 */
export function drainRace(container: Container): DrainRace | undefined {
  const liveness = timedProbe(container, 'livenessProbe');
  const readiness = timedProbe(container, 'readinessProbe');
  if (liveness === undefined || readiness === undefined) return undefined;
  const killedAfter = verdictSpan(liveness.timing).earliest;
  const drainedAfter = verdictSpan(readiness.timing).latest;
  if (killedAfter > drainedAfter) return undefined;
  const [ofLiveness, ofReadiness] = [endpointOf(liveness), endpointOf(readiness)];
  if (ofLiveness === undefined || ofReadiness === undefined) return undefined;
  return { liveness, sameEndpoint: ofLiveness === ofReadiness, killedAfter, drainedAfter };
}

/** The failures at its own period with which liveness gives up after readiness. Undefined if that is no advice. */
export function drainingFailures(liveness: TimedProbe): number | undefined {
  const drainedAfter = drainRace(liveness.container)?.drainedAfter ?? Infinity;
  const failureThreshold = failureThresholdBeyond(drainedAfter, liveness.timing.periodSeconds);
  const isAdvice = drainedAfter <= MOST_DRAIN_SECONDS && failureThreshold <= MOST_FAILURES.livenessProbe;
  return isAdvice && isFastEnough(liveness, { failureThreshold }) ? failureThreshold : undefined;
}
