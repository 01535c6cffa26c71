import { consumptionOf, type Consumption } from '../command/changes.ts';
import { quote } from '../../base/text/cut.ts';
import { containerPhrase, defineCheck, located } from './check.ts';
import { isTimed } from '../workload/pod.ts';

const DOES: Readonly<Record<Consumption['effect'], string>> = {
  removes: 'removes',
  writes: 'overwrites',
  sends: 'sends something with',
};

/**
 * A command that takes away what it asks for works only while the application brings it again. A note: as a heartbeat,
 * it may be meant so.
 */
export const execChanges = defineCheck({
  id: 'exec-changes',
  summary: 'A probe command removes what it asks for, or sends something.',
  action: 'Audit',
  handlers: ['exec'],
  kinds: ['livenessProbe', 'readinessProbe'],
  readsCommand: true,
  // The command works as it is.
  acceptsHandler: true,
  judgesProbeAlone: true,
  eachProbe: (probe) => {
    const used = consumptionOf(probe.command);
    if (used === undefined) return undefined;
    const { effect, what } = used;
    const isSent = effect === 'sends';
    // From one success to the last failure: so long has the application for the next file.
    const seconds = isTimed(probe) ? probe.timing.periodSeconds * probe.timing.failureThreshold : undefined;
    const lacking = isSent || seconds === undefined ? '' : `, and the application has ${seconds} s to write it again`;
    return {
      ...located(probe, 'exec', 'command'),
      message: `the ${probe.kind} of ${containerPhrase(probe.container)} ${DOES[effect]} ${quote(what)} each time${lacking}`,
      remedy: isSent
        ? 'ask with a request that changes nothing'
        : 'compare the age of the file, and keep it: find FILE -mmin -1 | grep -q .',
    };
  },
});
