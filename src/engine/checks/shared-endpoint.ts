import { DEFAULT_TIMING } from '../probe/api-defaults.ts';
import { drainingAdvice, drainRace } from './lib/drain-race.ts';
import { leastStartSeconds, withStartKept } from './lib/startup-probe.ts';
import { MOST_DRAIN_SECONDS } from '../time/bounds.ts';
import { containerPhrase, defineCheck, located, type Finding } from './check.ts';
import { endpointOf } from './lib/endpoint.ts';
import { hasProbe, probeOf, type Container } from '../workload/pod.ts';
import { numberOf, selectingServices, type CheckedWorkload } from './checked-workload.ts';

/**
 * (Fl-1)*Pl > Pr + (Fr-1)*max(Pr,Tr) + Tr, as the Kubernetes documentation recommends. A note, because few authors
 * change these numbers; a warning for HTTP at a timeout of 1 s, when a slow answer is a fault. A note with
 * `replicas: 1` and for a DaemonSet, where no other Pod can take the traffic, where Services are known and none selects
 * the Pod, and behind a startup probe, which takes the slow answers of a start. A note too where the author's startup
 * probe asks more than the readiness probe.
 */
export const sharedEndpoint = defineCheck({
  id: 'shared-endpoint',
  summary: 'Liveness and readiness ask the same endpoint, and liveness does not give up later.',
  action: 'Audit',
  judgesProbeAlone: true,
  relatedProbes: ['startupProbe', 'readinessProbe'],
  run: (container, _, workload) => {
    const race = drainRace(container);
    if (race?.sameEndpoint !== true) return deeperStart(container);
    const { liveness, killedAfter, drainedAfter } = race;
    const isImpatient =
      liveness.handler.kind === 'httpGet' && liveness.timing.timeoutSeconds === DEFAULT_TIMING.timeoutSeconds;
    // A slower readiness probe is the finding of slow-detection. Without `replicas`, an autoscaler may set the number.
    const isLoud =
      isImpatient &&
      drainedAfter <= MOST_DRAIN_SECONDS &&
      numberOf(workload, 'replicas') !== 1 &&
      workload.kind.kind !== 'DaemonSet' &&
      !hasProbe(container, 'startupProbe') &&
      mayGetTraffic(workload);
    return {
      ...located(liveness, 'failureThreshold'),
      message:
        `${containerPhrase(container)} asks one endpoint for liveness and readiness: a fault may restart it after ` +
        `${killedAfter} s, but readiness stops its traffic after up to ${drainedAfter} s`,
      ...withStartKept(
        liveness,
        workload,
        drainingAdvice(liveness, drainedAfter, leastStartSeconds(liveness, workload)),
      ),
      ...(isLoud && { level: 'Warn' }),
    };
  },
});

/** After the start, nobody asks the endpoint of the startup probe again. A TCP connection says less than the others. */
function deeperStart(container: Container): Finding | undefined {
  const startup = probeOf(container, 'startupProbe');
  const [liveness, readiness] = [probeOf(container, 'livenessProbe'), probeOf(container, 'readinessProbe')];
  if (startup === undefined || liveness === undefined || readiness === undefined) return undefined;
  const isOwn = container.written.some(({ kind }) => kind === 'startupProbe');
  const [atStart, later] = [endpointOf(startup), endpointOf(liveness)];
  if (!isOwn || startup.handler.kind === 'tcpSocket' || atStart === undefined || later === undefined) return undefined;
  if (atStart === later || later !== endpointOf(readiness)) return undefined;
  return {
    ...located(readiness, readiness.handler.kind),
    message: `${containerPhrase(container)} asks one endpoint for liveness and readiness, and another one at the start only: a Pod that is degraded later stays in its Services`,
    remedy: 'ask the endpoint of the startupProbe in the readinessProbe, too',
  };
}

/** Without any Service, the Services are not among the inputs. */
function mayGetTraffic(workload: CheckedWorkload): boolean {
  const { services } = workload.facts;
  const isKnown = services !== undefined && [...services.lists.values()].some(({ length }) => length > 0);
  return !isKnown || selectingServices(workload).length > 0;
}
