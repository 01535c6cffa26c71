import { outcomesOf } from '../command/meaning.ts';
import { namesNoProgram } from '../probe/handler-values.ts';
import { containerPhrase, defineCheck, located, type Finding } from './check.ts';
import type { Probe } from '../workload/pod.ts';

/**
 * The API server accepts an empty or null first word; the kubelet discards the error (pkg/kubelet/prober/prober.go).
 */
export const execCommand = defineCheck({
  id: 'exec-command',
  summary: 'A probe command names no program, or can only fail.',
  action: 'Deny',
  cannotWork: true,
  handlers: ['exec'],
  judgesProbeAlone: true,
  eachProbe: (probe) => {
    const { elements } = probe.handler;
    if (elements.length === 0 || !namesNoProgram(elements[0])) return neverSucceeds(probe);
    const first = elements.findIndex((word) => !namesNoProgram(word));
    const words = elements.slice(first);
    const isKnown = first > 0 && words.every((word) => typeof word === 'string');
    return {
      ...located(probe, 'exec', 'command', 0),
      message: `the ${probe.kind} of ${containerPhrase(probe.container)} runs a program without a name, so every probe errors`,
      remedy:
        first < 0
          ? 'write the program, for example command: [cat, /tmp/healthy]'
          : `remove the empty first ${first === 1 ? 'element' : 'elements'}, or write the program there`,
      ...(isKnown && { edits: [{ path: probe.place.path('exec', 'command'), value: words }] }),
    };
  },
});

/** A warning: whoever writes `exit 1` may want the Pod out of its Service. */
function neverSucceeds(probe: Probe): Finding | undefined {
  if (!probe.command.isWhole || outcomesOf(probe.command).canSucceed !== 'no') return undefined;
  return {
    ...located(probe, 'exec', 'command'),
    message: `the command of the ${probe.kind} of ${containerPhrase(probe.container)} never succeeds: each way through it ends with a failure`,
    remedy: 'let it end with the status of the command that asks the application',
    level: 'Warn',
  };
}
