import { equalJson } from '../../base/json/json-value.ts';
import { verdictSpan } from '../time/timing.ts';
import { drainingAdvice } from './lib/drain-race.ts';
import { endpointOf } from './lib/endpoint.ts';
import { leastStartSeconds } from './lib/startup-probe.ts';
import { containerPhrase, defineCheck, located } from './check.ts';
import { timedProbe } from '../workload/pod.ts';

/**
 * Equal after API defaulting (Kyverno, validate-probes; BSI IT-Grundschutz APP.4.4). A port by name is the port by
 * number. Off, because shared-endpoint knows when the same endpoint is safe.
 */
export const identicalProbes = defineCheck({
  id: 'identical-probes',
  summary: 'Liveness and readiness probe are the same.',
  action: 'Off',
  judgesProbeAlone: true,
  relatedProbes: ['livenessProbe', 'readinessProbe'],
  run: (container, _, workload) => {
    const liveness = timedProbe(container, 'livenessProbe');
    const readiness = timedProbe(container, 'readinessProbe');
    if (liveness === undefined || readiness === undefined) return undefined;
    const [endpoint, other] = [endpointOf(liveness), endpointOf(readiness)];
    const isTimedAlike = equalJson(liveness.timing, readiness.timing) && liveness.graceSeconds === 'absent';
    if (endpoint === undefined || endpoint !== other || !isTimedAlike) return undefined;
    const drainedAfter = verdictSpan(liveness.timing).latest;
    const advice = drainingAdvice(liveness, drainedAfter, leastStartSeconds(liveness, workload));
    return {
      ...located(liveness),
      message: `${containerPhrase(container)} has the same probe for liveness and readiness, so a fault restarts it instead of draining it`,
      ...advice,
      remedy: `${advice.remedy ?? ''}, or ask an endpoint that reports on this process only`,
    };
  },
});
