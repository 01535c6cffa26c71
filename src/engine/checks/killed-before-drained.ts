import { failureThresholdBeyond, verdictSpan } from '../probe/timing.ts';
import { endpointOf } from './lib/endpoint.ts';
import { leastExecPeriodSeconds } from './lib/heavy-client.ts';
import { MOST_DRAIN_SECONDS, MOST_FAILURES, patientAdvice } from './lib/round-numbers.ts';
import { containerPhrase, defineCheck, located, type Advice } from './check.ts';
import { mayAct, probeOf, timedProbe, type Container, type TimedProbe } from '../workload/pod.ts';

/** (Fl-1)*Pl > Pr + (Fr-1)*max(Pr,Tr) + Tr for probes of different endpoints; shared-endpoint has the others. */
export const killedBeforeDrained = defineCheck({
  id: 'killed-before-drained',
  summary: 'A container can be killed before its traffic is taken away.',
  action: 'Audit',
  judgesProbeAlone: true,
  relatedProbes: ['readinessProbe'],
  run: (container) => {
    const race = drainRace(container);
    if (race?.sameEndpoint !== false) return undefined;
    const { liveness, killedAfter, drainedAfter } = race;
    return {
      ...located(liveness, 'failureThreshold'),
      message:
        `${containerPhrase(container)} may be restarted ${killedAfter} s after a fault, before readiness stops its traffic ` +
        `(after up to ${drainedAfter} s)`,
      ...drainingAdvice(liveness, drainedAfter),
    };
  },
});

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
 */
export function drainingAdvice(liveness: TimedProbe, drainedAfter: number): Advice {
  if (drainedAfter > MOST_DRAIN_SECONDS)
    return { remedy: `first let readiness stop the traffic within ${MOST_DRAIN_SECONDS} s` };
  const { timing } = liveness;
  const least = Math.max(timing.timeoutSeconds, leastExecPeriodSeconds(liveness));
  const shortest = mayAct(liveness) ? timing.periodSeconds : least;
  const advice =
    timing.failureThreshold > MOST_FAILURES.livenessProbe
      ? undefined
      : patientAdvice(liveness, shortest, (period) => failureThresholdBeyond(drainedAfter, period));
  if (advice !== undefined) return advice;
  const readiness = probeOf(liveness.container, 'readinessProbe');
  const fields = readiness !== undefined && mayAct(readiness) ? '' : 'periodSeconds or ';
  return { remedy: `shorten ${fields}timeoutSeconds of the readinessProbe` };
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
