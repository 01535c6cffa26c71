import { guaranteedStartSeconds } from '../time/timing.ts';
import { listeningOf } from '../port/listening.ts';
import { askedPort } from './lib/probe-port.ts';
import { loopbackSetting } from './listen-address.ts';
import { longerStart, observedStarts, secondsToGuarantee } from './lib/startup-probe.ts';
import { containerPhrase, defineCheck, located } from './check.ts';
import { startGateOf, timedProbe } from '../workload/pod.ts';

/**
 * A container that needed longer once needs longer again. The message has no measured figures, because tools recognise
 * a finding by its message.
 */
export const observedStartup = defineCheck({
  id: 'observed-startup',
  summary: 'The container needed more time to start in the past than its probes guarantee.',
  action: 'Warn',
  asksForTime: true,
  run: (container, _, workload) => {
    const starts = observedStarts(container, workload);
    const gate = starts && timedProbe(container, startGateOf(container));
    if (starts === undefined || gate === undefined) return undefined;
    const guaranteed = guaranteedStartSeconds(gate.timing);
    // The kubelet's connections are refused, however long the start takes.
    const asked = askedPort(gate);
    if (asked !== undefined && loopbackSetting(container.once(listeningOf), asked.number)) return undefined;
    const { longestSeconds, boundSeconds } = starts;
    const wasKilled = boundSeconds > 0 && guaranteed <= boundSeconds;
    if (guaranteed >= longestSeconds && !wasKilled) return undefined;
    const seen = wasKilled ? 'a probe has ended such a start' : 'the container has needed longer';
    return {
      ...located(gate, 'failureThreshold'),
      message: `${containerPhrase(container)} has ${guaranteed} s guaranteed to start before its ${gate.kind} kills it, and ${seen}`,
      properties: { guaranteedSeconds: guaranteed, starts: starts.starts, longestSeconds, boundSeconds },
      ...longerStart(gate, secondsToGuarantee(starts)),
    };
  },
});
