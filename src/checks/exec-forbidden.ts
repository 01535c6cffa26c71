import { member } from '../probes/json.ts';
import { PROBE_KINDS } from '../probes/probe.ts';
import { stringsParameter } from './parameters.ts';
import { listed, the } from './wording.ts';
import { quote } from '../text/quote.ts';
import type { Check, CheckedContainer, Finding } from './check.ts';
import type { CheckedProbe } from './checked-probe.ts';

const DEFAULT_NAMES = ['jcmd', 'ps', 'ls'];

/**
 * Field: `<probe>.exec.command[*]`; parameters `names` and `probes` (default: all three).
 *
 * Rule: no element is one of the names, bare, as a path's last segment (`/bin/ls`, not `/opt/ls/check`) or as a word
 * of a shell string (`ps aux | grep app`). Kyverno's deny-commands-in-exec-probe looks for the letters anywhere.
 */
export const execForbidden: Check = {
  id: 'exec-forbidden',
  run: (_workload, container, parameters) => {
    const names = stringsParameter(parameters, 'names', DEFAULT_NAMES);
    const kinds = stringsParameter(parameters, 'probes', PROBE_KINDS);
    return container.probes
      .filter((probe) => probe.handlerKind === 'exec' && kinds.includes(probe.kind))
      .flatMap((probe) => judge(container, probe, names));
  },
};

function judge(container: CheckedContainer, probe: CheckedProbe, names: readonly string[]): Finding[] {
  const argv = member(probe.handler, 'command');
  if (!Array.isArray(argv)) return [];
  return argv.flatMap((element: unknown, index): Finding[] => {
    const programs = typeof element === 'string' ? programsIn(element) : [];
    const forbidden = names.filter((name) => programs.includes(name));
    if (forbidden.length === 0) return [];
    const message =
      `${the(container)} runs ${listed(forbidden.map(quote))} in its ${probe.kind}, which the policy forbids; ` +
      'write an httpGet, tcpSocket or grpc handler, or another command';
    return [{ probe: probe.kind, path: `${probe.handlerPath}.command[${index}]`, message }];
  });
}

/** The words of an argument, as a shell would split it, each by its last path segment. */
function programsIn(argument: string): string[] {
  return argument.split(/[\s;|&()<>`$"'{}]+/).map((word) => word.slice(word.lastIndexOf('/') + 1));
}
