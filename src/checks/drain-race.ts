import { failureThresholdBeyond, faultSpan } from '../probes/timing.ts';
import { endpointOf } from './endpoint.ts';
import { probeOf } from './checked-probe.ts';
import type { CheckedContainer } from './check.ts';
import type { CheckedProbe } from './checked-probe.ts';

/** A fault after which the container may be killed before its Pod is out of the Service. */
export interface DrainRace {
  readonly liveness: CheckedProbe;
  readonly readiness: CheckedProbe;
  readonly sameEndpoint: boolean;
  /** Seconds after a fault at which liveness gives up at the earliest: (Fl-1)*Pl. */
  readonly killedAfter: number;
  /** Seconds after a fault at which readiness has given up at the latest: Pr + (Fr-1)*max(Pr,Tr) + Tr. */
  readonly drainedAfter: number;
  readonly livenessThreshold: number;
  /** The smallest Fl with which liveness gives up strictly later. */
  readonly enough: number;
}

/** The smallest failureThreshold with which liveness gives up strictly later than this readiness probe, in a container that has both. */
export function drainingThreshold(container: CheckedContainer): number | undefined {
  const liveness = probeOf(container, 'livenessProbe')?.timing;
  const readiness = probeOf(container, 'readinessProbe')?.timing;
  if (liveness === undefined || readiness === undefined) return undefined;
  return failureThresholdBeyond(faultSpan(readiness, readiness.timeoutSeconds).latest, liveness.periodSeconds);
}

/**
 * The race between liveness and readiness after a fault, when liveness may win it: (Fl-1)*Pl <= Pr +
 * (Fr-1)*max(Pr,Tr) + Tr. Undefined when readiness surely comes first, or when there are not two probes that can be
 * compared.
 */
export function drainRace(container: CheckedContainer): DrainRace | undefined {
  const liveness = probeOf(container, 'livenessProbe');
  const readiness = probeOf(container, 'readinessProbe');
  if (liveness === undefined || readiness === undefined) return undefined;
  const { timing: l } = liveness;
  const { timing: r } = readiness;
  if (l === undefined || r === undefined) return undefined;
  const killedAfter = faultSpan(l, 0).earliest;
  const drainedAfter = faultSpan(r, r.timeoutSeconds).latest;
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
