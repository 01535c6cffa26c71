import { parsedScript, type ExecCommand } from '../probe/exec-invocation.ts';
import { statusOfProgram, type AlwaysTrue } from '../probe/program-status.ts';
import { alwaysTrue } from '../probe/shell-status.ts';
import { shellLine } from '../probe/shell-quoting.ts';
import { isCut } from '../workload/bounded-container.ts';
import { cut, quote } from '../../base/text/cut.ts';
import { containerPhrase, defineCheck, located, yamlFlow, type Advice } from './check.ts';
import { handlerEdits } from './lib/endpoint.ts';
import type { Probe } from '../workload/pod.ts';

/**
 * The kubelet reads only the exit status, and that of a pipe is its last command's (POSIX, Shell Command Language,
 * 2.9.2).
 */
export const execAlwaysTrue = defineCheck({
  id: 'exec-always-true',
  summary: 'A probe command succeeds whatever the application does.',
  action: 'Warn',
  hidesFailures: true,
  handlers: ['exec'],
  readsCommand: true,
  judgesProbeAlone: true,
  eachProbe: (probe) => {
    const { command } = probe;
    const found = command.once(alwaysTrueCommand);
    if (found === undefined) return undefined;
    const scriptAt = command.shell?.scriptAt;
    const [cause, advice] = REASONS[found.reason](found.program, probe);
    return {
      ...located(probe, 'exec', 'command', ...(scriptAt === undefined ? [] : [scriptAt])),
      message: `${containerPhrase(probe.container)} has a ${probe.kind} that hides failures: ${cause}`,
      ...advice,
    };
  },
});

/** Why a command always succeeds. Undefined for one that may fail. */
export function alwaysTrueCommand(command: ExecCommand): AlwaysTrue | undefined {
  const { argv, invocation, shell } = command;
  if (shell !== undefined) return isCut(command.script ?? '') ? undefined : alwaysTrue(parsedScript(command), shell);
  if (invocation === undefined) return undefined;
  return statusOfProgram(invocation.program, argv.slice(invocation.at + 1), false);
}

/** Why a command always succeeds, and what to write instead. */
const REASONS: Readonly<Record<AlwaysTrue['reason'], (program: string, probe: Probe) => readonly [string, Advice]>> = {
  filter: (program, { command }) => [
    `its pipe ends in ${quote(program)}, which succeeds when the commands before it fail`,
    {
      remedy:
        command.shell?.program === 'bash'
          ? 'write set -o pipefail; in front of the pipe, or compare the output at its end, such as | grep -q UP'
          : 'compare the output at the end of the pipe, such as | grep -q UP',
    },
  ],
  fallback: (program) => [`${quote(program)} behind || always succeeds`, { remedy: `remove || ${program}` }],
  constant: (program) => [
    `its last command is ${quote(program)}, which always succeeds`,
    { remedy: 'let the script end with the status of the command that asks the application' },
  ],
  answer: (program) => [
    `${quote(program)} without -f succeeds when the server answers with an error, such as 500`,
    { remedy: 'write curl -f, which fails for an answer from 400 on, or compare the answer' },
  ],
  ping: (program, probe) => [
    `${quote(program)} succeeds when the server answers PING with an error`,
    comparedPing(probe),
  ],
  itself: (program) => [
    `${quote(program)} finds its own process in the output of "ps"`,
    { remedy: "write the pattern with brackets, such as grep '[n]ginx', or use pgrep" },
  ],
};

/** A longer command is not repeated in the remedy. */
const MOST_REPEATED = 120;

/** Only the answer to PING tells whether the server serves. */
function comparedPing(probe: Probe): Advice {
  const { argv, shell } = probe.command;
  if (shell !== undefined) return { remedy: 'compare the answer: write | grep -q PONG behind the command' };
  const line = shellLine(argv);
  const written = (shown: string): string[] => ['sh', '-c', `${shown} | grep -q PONG`];
  return {
    remedy: `write command: ${yamlFlow(written(cut(line, MOST_REPEATED)))}`,
    ...(!argv.some(isCut) && handlerEdits(probe, { command: written(line) })),
  };
}
