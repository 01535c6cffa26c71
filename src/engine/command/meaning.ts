import { commandsOf } from './commands.ts';
import { pathsOfCommand, scriptIn, type Paths, type ProgramReader } from './paths.ts';
import type { AlwaysTrue } from './program-status.ts';
import { statusOf } from './programs.ts';
import type { Node, SimpleCommand } from './script.ts';
import { resultOfTest } from './test-status.ts';
import { invocationOf, optionsOf, shellInvocationOf, type ExecCommand } from './words.ts';

/** Reasons of a program that fails, but not for each failure of the application. */
type Blindness = Extract<AlwaysTrue['reason'], 'answer' | 'ping' | 'output' | 'itself'>;

/**
 * Tells why a command ends with status 0 whatever the application does. Undefined when the command may fail, and when
 * that is not known.
 * @param blind programs with these reasons count as if they always succeeded
 */
export function whyAlwaysTrue(command: ExecCommand, blind: readonly Blindness[]): AlwaysTrue | undefined {
  const { argv, invocation, shell, script: text } = command;
  if (invocation === undefined) return undefined;
  if (shell === undefined) {
    const { program, at } = invocation;
    if (isTest(program, argv.slice(at + 1)) === true) return { reason: 'constant', program };
    const status = statusOfWords(argv, false);
    return isOneOf(blind, status) || !isBlind(status) ? status : undefined;
  }
  if (text === undefined) return undefined;
  // Words behind the script are the finding of exec-shell.
  const isAll = shell.scriptAt === argv.length - 1;
  const nothing: AlwaysTrue | undefined = isAll ? { reason: 'constant', program: shell.program } : undefined;
  if (outcomesOf(command).canFail === 'no') return reasonOf(command.tree) ?? nothing;
  if (!mayBeBlind(command, blind)) return undefined;
  const used: AlwaysTrue[] = [];
  // A shell that runs one command may become that command, and is found no more.
  const isBeside = commandsOf(command).commands.length > 1;
  return pathsOfCommand(command, readerOf(blind, used, isBeside))?.canFail === 'no' ? used.at(-1) : undefined;
}

/** Whether a command can end with status 0, and with another one. `no` is a proof. */
export type Outcomes = Pick<Paths, 'canSucceed' | 'canFail'>;

/** What a command may end with, for all answers of its programs. */
export const outcomesOf = (command: ExecCommand): Outcomes => command.once(findOutcomes);

const UNKNOWN: Outcomes = { canSucceed: 'unknown', canFail: 'unknown' };

function findOutcomes(command: ExecCommand): Outcomes {
  const { argv, invocation, shell } = command;
  if (shell !== undefined || invocation === undefined) return pathsOfCommand(command, readerOf([], [])) ?? UNKNOWN;
  const { program, at } = invocation;
  const result = isTest(program, argv.slice(at + 1));
  const isFalse = program === 'false' || result === false;
  return { ...UNKNOWN, ...(isFalse && { canSucceed: 'no' }), ...(result === true && { canFail: 'no' }) };
}

/**
 * True when a command that is meant runs on every way that succeeds. True, too, where nobody works out the ways of the
 * script (`eval`, `trap`, a text that no shell reads): what is written there mostly runs.
 */
export function alwaysRuns(command: ExecCommand, isMeant: (words: readonly string[]) => boolean): boolean {
  if (command.script === undefined) return isMeant(command.argv);
  const paths = labelledPaths(command, (words) => (isMeant(words) ? ['meant'] : []));
  return paths !== undefined && (paths.isOpaque || paths.alwaysBeforeSuccess.has('meant'));
}

/** The ways through the script of a command, with labels for its programs. Undefined without a script. */
export function labelledPaths(
  command: ExecCommand,
  labelsOf: (words: readonly string[], node: SimpleCommand) => readonly string[],
): Paths | undefined {
  const read = readerOf([], []);
  return pathsOfCommand(command, (words, isFed, node) => ({
    ...read(words, isFed, node),
    labels: labelsOf(words, node),
  }));
}

const BLIND: readonly string[] = ['answer', 'ping', 'output', 'itself'] satisfies Blindness[];
const isBlind = (status: AlwaysTrue | undefined): boolean => status !== undefined && BLIND.includes(status.reason);
const isOneOf = (blind: readonly string[], status: AlwaysTrue | undefined): boolean =>
  status !== undefined && blind.includes(status.reason);

function mayBeBlind(command: ExecCommand, blind: readonly Blindness[]): boolean {
  return commandsOf(command).commands.some(({ words }) => {
    const isListing = /^(?:ps|pgrep|pkill)$/.test(invocationOf(words)?.program ?? '');
    return isListing || isOneOf(blind, statusOfWords(words, false));
  });
}

/** The status of a program with its words, behind the programs that start it. */
function statusOfWords(words: readonly string[], isFed: boolean): AlwaysTrue | undefined {
  const invocation = invocationOf(words);
  return invocation && statusOf(invocation.program, words.slice(invocation.at + 1), isFed);
}

function isTest(program: string, operands: readonly string[]): boolean | undefined {
  if (program !== 'test' && program !== '[') return undefined;
  const result = resultOfTest(program === '[' ? operands.slice(0, -1) : operands);
  return typeof result === 'boolean' ? result : undefined;
}

/**
 * @param used gets the blind programs that the walk meets
 * @param isBeside true when the shell runs beside its programs
 */
function readerOf(blind: readonly Blindness[], used: AlwaysTrue[], isBeside = false): ProgramReader {
  // The stages of the pipe so far, to find `ps | grep NAME`.
  let stages: (readonly string[])[] = [];
  return (argv, isFed) => {
    stages = isFed ? [...stages, argv] : [argv];
    const invocation = invocationOf(argv);
    const script = scriptIn(argv, shellInvocationOf(argv, invocation));
    const ownShell = isBeside && invocation !== undefined && findsOwnShell(argv.slice(invocation.at));
    const found: AlwaysTrue | undefined =
      isFed && findsItself(stages)
        ? { reason: 'itself', program: 'grep' }
        : ownShell
          ? { reason: 'itself', program: invocation.program }
          : statusOfWords(argv, isFed);
    if (found !== undefined && isOneOf(blind, found)) used.push(found);
    // With pipefail, the status of `ps` counts, too.
    const isListing = invocation?.program === 'ps' && blind.includes('itself');
    const succeeds = isListing || (found !== undefined && (!isBlind(found) || isOneOf(blind, found)));
    const status = succeeds ? 'succeeds' : invocation?.program === 'false' ? 'fails' : 'free';
    return { status, labels: [], ...(script !== undefined && { script }) };
  };
}

/** Names the part at the end of a script that always succeeds. */
function reasonOf(node: Node | undefined, isFed = false): AlwaysTrue | undefined {
  if (node === undefined) return undefined;
  switch (node.type) {
    case 'list': {
      const nodes = node.items.map((item) => item.node);
      // Nothing runs behind `exit`.
      return reasonOf(nodes.find(isExit) ?? nodes.at(-1), isFed);
    }
    case 'and':
      return reasonOf(node.right, isFed);
    case 'or': {
      const reason = reasonOf(node.right, isFed);
      return reason?.reason === 'constant' && node.right.type === 'command'
        ? { ...reason, reason: 'fallback' }
        : reason;
    }
    case 'pipe':
      return reasonOf(node.stages.at(-1), true);
    case 'group':
    case 'subshell':
      return reasonOf(node.body, isFed);
    case 'command': {
      if (node.words.length === 0) return undefined;
      const texts = node.words.map(({ text }) => text);
      const program = invocationOf(texts)?.program ?? texts[0] ?? '';
      return statusOfWords(texts, isFed) ?? { reason: 'constant', program };
    }
    case 'not':
      return { reason: 'branch', program: '!' };
    default:
      return { reason: 'branch', program: node.type };
  }
}

function isExit(node: Node): boolean {
  return node.type === 'command' && node.words[0]?.text === 'exit';
}

/**
 * True for `ps` in front of `grep`, unless a pattern with brackets or `grep -v` leaves the own process out.
 * Exported for its test.
 * @param stages the words of each stage of a pipe; none of a stage with a variable
 */
export function findsItself([first = [], ...others]: readonly (readonly string[])[]): boolean {
  if (first[0] !== 'ps' || others.length === 0 || first.slice(1).some((word) => /^-?[CpoO]/.test(word))) return false;
  return others.every(
    ([program, ...words]) =>
      program === 'grep' && words.length > 0 && !words.some((word) => /^-\w*[vxL]|[[^$]/.test(word)),
  );
}

/** True for `pgrep -f NAME`: the shell that runs it has the pattern among its own words, unless brackets hide it. */
function findsOwnShell([program = '', ...words]: readonly string[]): boolean {
  if (!/(?:^|\/)(?:pgrep|pkill)$/.test(program)) return false;
  const options = optionsOf(words, 'FGgPstUuN');
  const has = (...names: readonly string[]): boolean => options.some(({ name = '' }) => names.includes(name));
  const isAsking = program.endsWith('pgrep') || words.includes('-0');
  const patterns = options.filter(({ name }) => name === undefined).map(({ value }) => value);
  const isNarrow = has('-x', '--exact', '-P', '--parent', '-s', '-t', '-F', '--pidfile', '-v', '-n', '-o');
  return isAsking && has('-f', '--full') && !isNarrow && patterns.length === 1 && !/[[^$]/.test(patterns[0] ?? '^');
}
