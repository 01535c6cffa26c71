import { namesNoProgram } from '../probes/exec-program.ts';
import { member } from '../json/json-value.ts';
import { eachProbe } from './each-probe.ts';
import { containerPhrase } from './wording.ts';
import { defineCheck } from './check.ts';
import type { CheckedContainer, Finding } from './check.ts';
import type { CheckedProbe } from './checked-probe.ts';

/**
 * Field: `<probe>.exec.command[0]`.
 *
 * Rule: the first element names a program. The API server rejects an empty list but accepts an empty first element, and
 * decodes null as an empty one. The container runtime then fails on every probe, and the kubelet discards the result
 * (pkg/kubelet/prober/prober.go).
 */
export const execCommand = defineCheck({
  id: 'exec-command',
  summary: 'A probe command names no program, so the probe errors every time.',
  action: 'Deny',
  run: (_workload, container) => eachProbe(container, (probe) => violationOf(container, probe)),
});

function violationOf(container: CheckedContainer, probe: CheckedProbe): Finding | undefined {
  const argv = probe.handlerKind === 'exec' ? member(probe.handler, 'command') : undefined;
  if (!Array.isArray(argv) || argv.length === 0 || !namesNoProgram(argv[0])) return undefined;
  return {
    probe: probe.kind,
    path: probe.place.path('exec', 'command', 0),
    message: `${containerPhrase(container)} is to run a program without a name, and every probe errors; ${whatToWrite(argv)}`,
  };
}

function whatToWrite(argv: readonly unknown[]): string {
  return argv.slice(1).some((word) => !namesNoProgram(word))
    ? 'take the empty first element out, or write the program there'
    : 'write the program there, such as command: [cat, /tmp/healthy]';
}
