import { drainRace } from './drain-race.ts';
import { the } from './wording.ts';
import type { Check, Finding } from './check.ts';

/**
 * Fields: handler and integers of `livenessProbe` and `readinessProbe`, which ask different endpoints.
 *
 * Rule: (Fl-1)*Pl > Pr + (Fr-1)*max(Pr,Tr) + Tr, so that a fault that both endpoints notice takes the Pod out of its
 * Services before the container is killed (formulas: src/probes/timing.ts). The same endpoint is shared-endpoint's
 * business.
 */
export const killedBeforeDrained: Check = {
  id: 'killed-before-drained',
  relatedProbes: ['readinessProbe'],
  run: (_workload, container): Finding[] => {
    const race = drainRace(container);
    if (race?.sameEndpoint !== false) return [];
    const { liveness, killedAfter, drainedAfter, enough } = race;
    const message =
      `${the(container)} may be killed ${killedAfter} s after a fault, before readiness has stopped its traffic ` +
      `(up to ${drainedAfter} s); write failureThreshold: ${enough}`;
    return [{ probe: 'livenessProbe', path: `${liveness.path}.failureThreshold`, message }];
  },
};
