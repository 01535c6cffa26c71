import { drainingAdvice, drainRace } from './lib/drain-race.ts';
import { containerPhrase, defineCheck, located } from './check.ts';

/**
 * Fields: handler and integers of `livenessProbe` and `readinessProbe` with different endpoints. Rule: (Fl-1)*Pl > Pr +
 * (Fr-1)*max(Pr,Tr) + Tr. If both endpoints detect a fault, the Pod then leaves its Services before the container is
 * killed (formulas: probe/timing.ts). The check shared-endpoint covers probes with the same endpoint.
 */
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
