import { member } from '../probes/json.ts';
import { PROBE_KINDS } from '../probes/probe.ts';
import { MOST_PROBE_FINDINGS } from './check.ts';
import { stringSetParameter } from './parameters.ts';
import { listed, the } from './wording.ts';
import { quote } from '../text/quote.ts';
import type { Check, CheckedContainer, Finding } from './check.ts';
import type { CheckedProbe } from './checked-probe.ts';

const DEFAULT_NAMES: ReadonlySet<string> = new Set(['jcmd', 'ps', 'ls']);
const ALL_KINDS: ReadonlySet<string> = new Set(PROBE_KINDS);
/** Forbidden names in a message: nobody reads more. */
const MOST_LISTED = 10;

/**
 * Field: `<probe>.exec.command[*]`; parameters `names` and `probes` (default: all three).
 *
 * Rule: no element is one of the names, bare, as a path's last segment (`/bin/ls`, not `/opt/ls/check`) or as a word
 * of a shell string (`ps aux | grep app`). Kyverno's deny-commands-in-exec-probe looks for the letters anywhere.
 */
export const execForbidden: Check = {
  id: 'exec-forbidden',
  run: (_workload, container, parameters) => {
    const names = stringSetParameter(parameters, 'names', DEFAULT_NAMES);
    const kinds = stringSetParameter(parameters, 'probes', ALL_KINDS);
    return container.probes
      .filter((probe) => probe.handlerKind === 'exec' && kinds.has(probe.kind))
      .flatMap((probe) => judge(container, probe, names));
  },
};

function judge(container: CheckedContainer, probe: CheckedProbe, names: ReadonlySet<string>): Finding[] {
  const argv = member(probe.handler, 'command');
  if (!Array.isArray(argv)) return [];
  const findings: Finding[] = [];
  for (const [index, element] of (argv as unknown[]).entries()) {
    if (findings.length === MOST_PROBE_FINDINGS) break;
    const forbidden = typeof element === 'string' ? forbiddenIn(element, names) : [];
    if (forbidden.length === 0) continue;
    const message =
      `${the(container)} runs ${listed(forbidden.map(quote))} in its ${probe.kind}, which the policy forbids; ` +
      'write an httpGet, tcpSocket or grpc handler, or another command';
    findings.push({ probe: probe.kind, path: `${probe.handlerPath}.command[${index}]`, message });
  }
  return findings;
}

/** Linux starts no program with a longer argument (MAX_ARG_STRLEN): such a probe fails every time, and needs no words of ours. */
const LONGEST_ARGUMENT = 131_072;

/** What separates words to a shell: blanks, operators, quotes and braces. */
const SEPARATORS: ReadonlySet<number> = new Set(Array.from(' \t\n\r\v\f;|&()<>`$"\'{}', (sign) => sign.charCodeAt(0)));
const SLASH = '/'.charCodeAt(0);

/** The names that are words of an argument, as a shell would split it, each by its last path segment. */
function forbiddenIn(argument: string, names: ReadonlySet<string>): string[] {
  const found = new Set<string>();
  if (argument.length > LONGEST_ARGUMENT) return [];
  let start = 0;
  for (let at = 0; at <= argument.length && found.size < MOST_LISTED; at++) {
    const code = at < argument.length ? argument.charCodeAt(at) : undefined;
    if (code === SLASH) start = at + 1;
    else if (code === undefined || SEPARATORS.has(code)) {
      if (at > start) {
        const word = argument.slice(start, at);
        if (names.has(word)) found.add(word);
      }
      start = at + 1;
    }
  }
  return [...found];
}
