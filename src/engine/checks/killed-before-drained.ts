import { drainingAdvice, drainRace } from './lib/drain-race.ts';
import { leastStartSeconds, withStartKept } from './lib/startup-probe.ts';
import { containerPhrase, defineCheck, located } from './check.ts';

/** (Fl-1)*Pl > Pr + (Fr-1)*max(Pr,Tr) + Tr for probes of different endpoints; shared-endpoint has the others. */
export const killedBeforeDrained = defineCheck({
  id: 'killed-before-drained',
  summary: 'A container can be killed before its traffic is taken away.',
  action: 'Audit',
  judgesProbeAlone: true,
  relatedProbes: ['readinessProbe'],
  run: (container, _, workload) => {
    const race = drainRace(container);
    if (race?.sameEndpoint !== false) return undefined;
    const { liveness, killedAfter, drainedAfter } = race;
    return {
      ...located(liveness, 'failureThreshold'),
      message:
        `${containerPhrase(container)} may be restarted ${killedAfter} s after a fault, before readiness stops its traffic ` +
        `(after up to ${drainedAfter} s)`,
      ...withStartKept(
        liveness,
        workload,
        drainingAdvice(liveness, drainedAfter, leastStartSeconds(liveness, workload)),
      ),
    };
  },
});
