import { whyAlwaysTrue } from '../command/meaning.ts';
import { shellLine } from '../command/quoting.ts';
import type { AlwaysTrue } from '../command/program-status.ts';
import { knownProgram } from '../command/programs.ts';
import { firstProgramAt, type ExecCommand } from '../command/words.ts';
import { isCut } from '../workload/bounded-container.ts';
import { cut, quote } from '../../base/text/cut.ts';
import { containerPhrase, defineCheck, located, yamlFlow, type Advice } from './check.ts';
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
    const found = alwaysTrueCommand(probe);
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

/**
 * Why the command of a probe always succeeds. Undefined for one that may fail. A ping that Redis answers while it loads
 * is right in a liveness probe: another answer would restart the server until it never has its data.
 */
export function alwaysTrueCommand({ command, kind }: Pick<Probe, 'command' | 'kind'>): AlwaysTrue | undefined {
  return command.once(kind === 'readinessProbe' ? blindToServing : blindToFailure);
}

const blindToServing = (command: ExecCommand): AlwaysTrue | undefined =>
  isCut(command.script ?? '') ? undefined : whyAlwaysTrue(command, ['answer', 'itself', 'output', 'ping']);
const blindToFailure = (command: ExecCommand): AlwaysTrue | undefined =>
  isCut(command.script ?? '') ? undefined : whyAlwaysTrue(command, ['answer', 'itself', 'output']);

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
  branch: (program) => [
    `each way through its ${quote(program)} succeeds`,
    { remedy: 'end the way of a failure with exit 1' },
  ],
  answer: (program) => [
    `${quote(program)} without -f succeeds when the server answers with an error, such as 500`,
    { remedy: 'write curl -f, which fails for an answer from 400 on, or compare the answer' },
  ],
  ping: (program, probe) => [
    `${quote(program)} succeeds when the server answers ${/ping/i.test(probe.command.argv.join(' ')) ? 'PING ' : ''}with an error`,
    comparedPing(probe),
  ],
  output: (program) => [
    `${quote(program)} succeeds when ${knownProgram(program)?.succeedsWhen ?? 'nothing is found'}`,
    {
      remedy:
        program === 'find'
          ? 'let its output decide: write | grep -q . behind it'
          : 'compare its output, such as | grep -q UP',
    },
  ],
  itself: (program) =>
    program === 'grep'
      ? [
          '"grep" finds its own process in the output of "ps"',
          { remedy: "write the pattern with brackets, such as grep '[n]ginx', or use pgrep" },
        ]
      : [
          `${quote(program)} finds its own shell, whose words have the pattern`,
          { remedy: `write the pattern with brackets, such as ${program} -f '[n]ginx'` },
        ],
};

/** A longer command is not repeated in the remedy. */
const MOST_REPEATED = 120;

/** Only the answer to PING tells whether the server serves. */
function comparedPing(probe: Probe): Advice {
  const { shell, argv: all } = probe.command;
  const argv = all.slice(firstProgramAt(all));
  if (argv.at(-1)?.toLowerCase() !== 'ping' && shell === undefined)
    return { remedy: 'ask with ping, and compare the answer: write | grep -q PONG behind it' };
  if (shell !== undefined) return { remedy: 'compare the answer: write | grep -q PONG behind the command' };
  const line = shellLine(argv);
  const written = (shown: string): string[] => ['sh', '-c', `${shown} | grep -q PONG`];
  const lacksPassword = mayLackPassword(probe);
  const also = lacksPassword ? ', and set REDISCLI_AUTH to the password of the server' : '';
  return {
    remedy: `write command: ${yamlFlow(written(cut(line, MOST_REPEATED)))}${also}`,
    // Not the equal liveness probe: with the comparison, it would kill a server that loads its data.
    ...(!lacksPassword &&
      !argv.some(isCut) && { edits: [{ path: probe.place.path('exec', 'command'), value: written(line) }] }),
  };
}

/**
 * Redis answers NOAUTH to a PING without the password, and no comparison would pass. Settings may give the password to
 * the server alone, and so may a file.
 */
function mayLackPassword({ command: { argv }, container }: Probe): boolean {
  const settings = container.settings();
  const hasPassword =
    argv.some((word) => /^(?:-a|--pass)$|^rediss?:\/\/[^/:]+:[^/]*@/.test(word)) ||
    settings.some(({ name }) => name === 'REDISCLI_AUTH');
  return (
    !hasPassword && settings.some(({ name, value = '' }) => /pass|auth|acl/i.test(name) || value.endsWith('.conf'))
  );
}
