import { DEFAULT_TIMING } from '../probes/default-values.ts';
import { failureThresholdBeyond, verdictSpan } from '../probes/timing.ts';
import { endpointOf } from './endpoint.ts';
import { probeOf } from './checked-probe.ts';
import type { CheckedContainer, Finding } from './check.ts';
import type { CheckedProbe } from './checked-probe.ts';

/** The timing of a fault after which the container may be killed before its Pod leaves the Service. */
export interface DrainRace {
  readonly liveness: CheckedProbe;
  readonly readiness: CheckedProbe;
  readonly sameEndpoint: boolean;
  /** Earliest time at which liveness gives up, in seconds after a fault: (Fl-1)*Pl. */
  readonly killedAfter: number;
  /** Latest time at which readiness has given up, in seconds after a fault: Pr + (Fr-1)*max(Pr,Tr) + Tr. */
  readonly drainedAfter: number;
  readonly livenessThreshold: number;
  /** The smallest Fl with which liveness gives up strictly later than readiness. */
  readonly enough: number;
}

/** Liveness numbers with which liveness gives up strictly later than readiness, in words and as edits. */
export function drainingAdvice(liveness: CheckedProbe, drainedAfter: number): Pick<Finding, 'remedy' | 'edits'> {
  const timing = liveness.timing ?? DEFAULT_TIMING;
  const { periodSeconds: P, failureThreshold: F } = timing;
  const enough = failureThresholdBeyond(drainedAfter, P);
  if (enough <= Math.max(F, MOST_FAILURES) || enough * P < MOST_TOLERANCE_SECONDS)
    return {
      remedy: `write failureThreshold: ${enough}`,
      edits: [{ path: liveness.place.path('failureThreshold'), value: enough }],
    };
  // More failures would replace a startup probe (delayed-liveness). A longer period has the same effect.
  const most = Math.max(F, MOST_FAILURES);
  const period = Math.floor(drainedAfter / (most - 1)) + 1;
  const failures = Math.max(F, failureThresholdBeyond(drainedAfter, period));
  return {
    remedy: `write periodSeconds: ${period} and failureThreshold: ${failures}`,
    edits: [
      { path: liveness.place.path('periodSeconds'), value: period },
      { path: liveness.place.path('failureThreshold'), value: failures },
    ],
  };
}

/** Above these two numbers, the check delayed-liveness takes a liveness probe for a substitute of a startup probe. */
const MOST_FAILURES = 10;
const MOST_TOLERANCE_SECONDS = 120;

/**
 * True for numbers of a liveness probe that delayed-liveness takes, by default, for a substitute of a startup probe.
 */
export function isSubstituteOfStartup(failureThreshold: number, periodSeconds: number): boolean {
  return failureThreshold > MOST_FAILURES && failureThreshold * periodSeconds >= MOST_TOLERANCE_SECONDS;
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
    livenessThreshold: l.failureThreshold,
    enough: failureThresholdBeyond(drainedAfter, l.periodSeconds),
  };
}
