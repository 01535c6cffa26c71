import { NETCAT } from './clients.ts';
import { commandsOf } from './commands.ts';
import { alwaysRuns } from './meaning.ts';
import { knownProgram } from './programs.ts';
import { invocationOf, type ExecCommand } from './words.ts';

const isHeavy = (program: string | undefined): boolean =>
  program !== undefined && knownProgram(program)?.isHeavy === true;

/** The command line of Windows starts a program like a shell: `cmd /c powershell ...`. */
const WINDOWS_SHELL = /^cmd(?:\.exe)?$/i;

/**
 * The program with a virtual machine or an interpreter that a command starts on every way that succeeds. Undefined
 * without one, and when nobody knows.
 */
export const heavyProgramOf = (command: ExecCommand): string | undefined => command.once(findHeavy);

function findHeavy(command: ExecCommand): string | undefined {
  const { argv, invocation, script } = command;
  const program = invocation?.program ?? '';
  if (WINDOWS_SHELL.test(program)) {
    const words = argv.slice((invocation?.at ?? 0) + 1).flatMap((word) => word.split(/\s+/));
    const [first] = words.filter((word) => !word.startsWith('/'));
    return isHeavy(first) ? first : undefined;
  }
  if (script === undefined) return isHeavy(program) ? program : undefined;
  const name = commandsOf(command)
    .commands.map(({ words }) => invocationOf(words)?.program)
    .find(isHeavy);
  const runs = (words: readonly string[]): boolean => isHeavy(invocationOf(words)?.program);
  return name !== undefined && alwaysRuns(command, runs) ? name : undefined;
}

/** True for a command that only looks at its machine, or opens a connection: only a node without time makes it late. */
export const isCheap = (command: ExecCommand): boolean => command.once(findCheap);

function findCheap(command: ExecCommand): boolean {
  const { commands, isUnread } = commandsOf(command);
  const isAlone = !/\/dev\/(?:tcp|udp)\//.test(command.argv.join(' '));
  const started = commands.filter(({ words }) => words.length > 0);
  return command.isWhole && isAlone && !isUnread && started.length > 0 && started.every(({ words }) => isSmall(words));
}

function isSmall(words: readonly string[]): boolean {
  const known = knownProgram(invocationOf(words)?.program ?? '');
  return known?.looks === true || (known?.client === NETCAT && words.some((word) => /^-\w*z/.test(word)));
}
