import { namesNoProgram } from '../probe/handler-values.ts';
import { containerPhrase, defineCheck, located } from './check.ts';

/**
 * The API server accepts an empty or null first word; the kubelet discards the error (pkg/kubelet/prober/prober.go).
 */
export const execCommand = defineCheck({
  id: 'exec-command',
  summary: 'A probe command names no program, so the probe errors every time.',
  action: 'Deny',
  cannotWork: true,
  handlers: ['exec'],
  judgesProbeAlone: true,
  eachProbe: (probe) => {
    const { elements } = probe.handler;
    if (elements.length === 0 || !namesNoProgram(elements[0])) return undefined;
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
