import { isBlank } from '../probes/go-values.ts';
import { member } from '../probes/json.ts';
import { eachProbe } from './each-probe.ts';
import { the } from './wording.ts';
import type { Check, CheckedContainer, Finding } from './check.ts';
import type { CheckedProbe } from './checked-probe.ts';

/**
 * Field: `<probe>.exec.command[0]`.
 *
 * Rule: it names a program. The API server refuses an empty list but accepts an empty first element (a null becomes
 * one); the container runtime then errors on every probe, and the kubelet throws the result away
 * (pkg/kubelet/prober/prober.go).
 */
export const execCommand: Check = {
  id: 'exec-command',
  run: (_workload, container) => eachProbe(container, (probe) => judge(container, probe)),
};

function judge(container: CheckedContainer, probe: CheckedProbe): Finding | undefined {
  const argv = probe.handlerKind === 'exec' ? member(probe.handler, 'command') : undefined;
  if (!Array.isArray(argv) || argv.length === 0 || !namesNothing(argv[0])) return undefined;
  return {
    probe: probe.kind,
    path: `${probe.handlerPath}.command[0]`,
    message: `${the(container)} is to run a program without a name, and every probe errors; ${whatToWrite(argv)}`,
  };
}

function namesNothing(value: unknown): boolean {
  return value === null || (typeof value === 'string' && isBlank(value));
}

function whatToWrite(argv: readonly unknown[]): string {
  return argv.slice(1).some((word) => !namesNothing(word))
    ? 'take the empty first element out, or write the program there'
    : 'write the program there, such as command: [cat, /tmp/healthy]';
}
