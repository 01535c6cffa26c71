import { DEFAULT_TIMING } from '../probes/default-values.ts';
import { drainingAdvice, drainRace } from './drain-race.ts';
import { containerPhrase } from './wording.ts';
import { defineCheck } from './check.ts';
import type { Finding } from './check.ts';

/**
 * Fields: handler and integers of `livenessProbe` and `readinessProbe`; `ports` of the container.
 *
 * Rule: with the same endpoint, liveness gives up strictly later than readiness: (Fl-1)*Pl > Pr + (Fr-1)*max(Pr,Tr) +
 * Tr. The same endpoint means the same handler, target and headers. A port name equals its number. The Kubernetes
 * documentation recommends the same endpoint with a higher failureThreshold. Without the higher value, a fault restarts
 * a container that should be drained. The finding is a note, because few authors change these numbers. It is a warning
 * if liveness has a timeout of 1 s: then a slow answer under load is such a fault.
 */
export const sharedEndpoint = defineCheck({
  id: 'shared-endpoint',
  summary: 'Liveness and readiness ask the same endpoint, and liveness does not give up later.',
  action: 'Audit',
  judgesProbeAlone: true,
  relatedProbes: ['readinessProbe'],
  run: (workload, container): Finding[] => {
    const race = drainRace(container);
    if (race?.sameEndpoint !== true) return [];
    const { liveness, killedAfter, drainedAfter } = race;
    const message =
      `${containerPhrase(container)} asks one endpoint for liveness and readiness: a fault may restart it after ` +
      `${killedAfter} s, but readiness stops its traffic after up to ${drainedAfter} s`;
    const path = liveness.place.path('failureThreshold');
    const isImpatient = liveness.timing?.timeoutSeconds === DEFAULT_TIMING.timeoutSeconds;
    return [
      {
        probe: 'livenessProbe',
        path,
        message,
        ...drainingAdvice(workload, container, liveness, drainedAfter),
        ...(isImpatient && { level: 'Warn' }),
      },
    ];
  },
});
