import { DEFAULT_TIMING } from '../probe/api-defaults.ts';
import { drainingAdvice, drainRace } from './killed-before-drained.ts';
import { MOST_DRAIN_SECONDS } from './lib/round-numbers.ts';
import { containerPhrase, defineCheck, located } from './check.ts';
import { numberOf, selectingServices, type CheckedWorkload } from './checked-workload.ts';

/**
 * (Fl-1)*Pl > Pr + (Fr-1)*max(Pr,Tr) + Tr, as the Kubernetes documentation recommends. A note, because few authors
 * change these numbers; a warning for HTTP at a timeout of 1 s, when a slow answer is a fault. A note with
 * `replicas: 1` and for an agent of its node, where no other Pod can take the traffic, and where Services are known and
 * none selects the Pod.
 */
export const sharedEndpoint = defineCheck({
  id: 'shared-endpoint',
  summary: 'Liveness and readiness ask the same endpoint, and liveness does not give up later.',
  action: 'Audit',
  judgesProbeAlone: true,
  relatedProbes: ['readinessProbe'],
  run: (container, _, workload) => {
    const race = drainRace(container);
    if (race?.sameEndpoint !== true) return undefined;
    const { liveness, killedAfter, drainedAfter } = race;
    const isImpatient =
      liveness.handler.kind === 'httpGet' && liveness.timing.timeoutSeconds === DEFAULT_TIMING.timeoutSeconds;
    // A slower readiness probe is the finding of slow-detection. Without `replicas`, an autoscaler may set the number.
    const isLoud =
      isImpatient &&
      drainedAfter <= MOST_DRAIN_SECONDS &&
      numberOf(workload, 'replicas') !== 1 &&
      !(workload.kind.kind === 'DaemonSet' && container.pod.hostNetwork) &&
      mayGetTraffic(workload);
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

/** Without any Service, the Services are not among the inputs. */
function mayGetTraffic(workload: CheckedWorkload): boolean {
  const { services } = workload.facts;
  const isKnown = services !== undefined && [...services.lists.values()].some(({ length }) => length > 0);
  return !isKnown || selectingServices(workload).length > 0;
}
