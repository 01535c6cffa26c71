import { namesNoProgram } from '../probe/handler-values.ts';
import { containerPhrase, defineCheck, located, type Finding } from './check.ts';
import type { Probe } from '../workload/pod.ts';

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
    return {
      ...located(probe, 'exec', 'command', 0),
      message: `the ${probe.kind} of ${containerPhrase(probe.container)} runs a program without a name, so every probe errors`,
      ...whatToWrite(probe, elements),
    };
  },
});

function whatToWrite(probe: Probe, argv: readonly unknown[]): Pick<Finding, 'remedy' | 'edits'> {
  const first = argv.findIndex((word) => !namesNoProgram(word));
  if (first < 0) return { remedy: 'write the program, for example command: [cat, /tmp/healthy]' };
  const words = argv.slice(first);
  return {
    remedy: `remove the empty first ${first === 1 ? 'element' : 'elements'}, or write the program there`,
    ...(words.every((word) => typeof word === 'string') && {
      edits: [{ path: probe.place.path('exec', 'command'), value: words }],
    }),
  };
}
