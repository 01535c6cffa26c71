import { drainRace } from './drain-race.ts';
import { the } from './wording.ts';
import type { Check, Finding } from './check.ts';

/**
 * Fields: handler and integers of `livenessProbe` and `readinessProbe`; `ports` of the container.
 *
 * Rule: when both ask the same endpoint (same handler and target; a port name equals its number; headers count),
 * liveness must give up strictly later than readiness: (Fl-1)*Pl > Pr + (Fr-1)*max(Pr,Tr) + Tr. The same endpoint
 * with a higher failureThreshold is what the Kubernetes documentation recommends; without it a fault restarts the
 * container that should have been drained.
 */
export const sharedEndpoint: Check = {
  id: 'shared-endpoint',
  relatedProbes: ['readinessProbe'],
  run: (_workload, container): Finding[] => {
    const race = drainRace(container);
    if (race?.sameEndpoint !== true) return [];
    const { liveness, killedAfter, drainedAfter, enough } = race;
    const message =
      `${the(container)} asks one endpoint for liveness and readiness, and may be restarted ${killedAfter} s after a fault ` +
      `while readiness takes up to ${drainedAfter} s to stop its traffic; write failureThreshold: ${enough}`;
    return [{ probe: 'livenessProbe', path: `${liveness.path}.failureThreshold`, message }];
  },
};
