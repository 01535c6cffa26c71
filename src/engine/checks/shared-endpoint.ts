import { DEFAULT_TIMING } from '../probe/api-defaults.ts';
import { member, objectMember } from '../../base/json/json-value.ts';
import { drainingAdvice, drainRace } from './lib/drain-race.ts';
import { MOST_DRAIN_SECONDS } from './lib/round-numbers.ts';
import { containerPhrase, defineCheck, located } from './check.ts';
import type { CheckedWorkload } from './checked-workload.ts';

/**
 * Fields: handler and integers of `livenessProbe` and `readinessProbe`; `ports` of the container. Rule: with the same
 * endpoint, liveness gives up strictly later than readiness: (Fl-1)*Pl > Pr + (Fr-1)*max(Pr,Tr) + Tr. The same endpoint
 * means the same handler, target and headers. A port name equals its number. The Kubernetes documentation recommends
 * the same endpoint with a higher failureThreshold. Without the higher value, a fault restarts a container that should
 * be drained. The finding is a note, because few authors change these numbers. It is a warning if liveness has a
 * timeout of 1 s: then a slow answer under load is such a fault. With `replicas: 1` it stays a note: no other Pod can
 * take the traffic, so draining helps nobody.
 */
export const sharedEndpoint = defineCheck({
  id: 'shared-endpoint',
  summary: 'Liveness and readiness ask the same endpoint, and liveness does not give up later.',
  action: 'Audit',
  judgesProbeAlone: true,
  relatedProbes: ['readinessProbe'],
  run: (container) => {
    const race = drainRace(container);
    if (race?.sameEndpoint !== true) return undefined;
    const { liveness, killedAfter, drainedAfter } = race;
    const isImpatient = liveness.timing?.timeoutSeconds === DEFAULT_TIMING.timeoutSeconds;
    // A slower readiness probe is the finding of slow-detection.
    const isLoud = isImpatient && drainedAfter <= MOST_DRAIN_SECONDS && !isTheOnlyReplica(container.workload);
    return {
      ...located(liveness, 'failureThreshold'),
      message:
        `${containerPhrase(container)} asks one endpoint for liveness and readiness: a fault may restart it after ` +
        `${killedAfter} s, but readiness stops its traffic after up to ${drainedAfter} s`,
      ...drainingAdvice(liveness, drainedAfter),
      ...(isLoud && { level: 'Warn' }),
    };
  },
});

/** True when the manifest says that there is one Pod. Without `replicas`, an autoscaler may set the number. */
function isTheOnlyReplica({ object }: CheckedWorkload): boolean {
  return member(objectMember(object, 'spec') ?? {}, 'replicas') === 1;
}
