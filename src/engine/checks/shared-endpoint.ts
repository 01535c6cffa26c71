import { DEFAULT_TIMING } from '../probe/api-defaults.ts';
import { member, objectMember } from '../../base/json/json-value.ts';
import { drainingAdvice, drainRace } from './lib/drain-race.ts';
import { MOST_DRAIN_SECONDS } from './lib/round-numbers.ts';
import { containerPhrase, defineCheck, located } from './check.ts';
import type { CheckedWorkload } from './checked-workload.ts';

/**
 * (Fl-1)*Pl > Pr + (Fr-1)*max(Pr,Tr) + Tr, as the Kubernetes documentation recommends. A note, because few authors
 * change these numbers; a warning at a timeout of 1 s, when a slow answer is a fault; a note with `replicas: 1`, where
 * no other Pod can take the traffic.
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
    const isImpatient = liveness.timing.timeoutSeconds === DEFAULT_TIMING.timeoutSeconds;
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
