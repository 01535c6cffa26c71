import { quoted } from '../../base/json/quoted-value.ts';
import { beginning, cut } from '../../base/text/cut.ts';
import { firstProgramAt, isShell, programName, shellInvocationOf, ExecCommand } from '../command/words.ts';
import { knownProgram, statusOf } from '../command/programs.ts';
import { isBlank } from '../probe/go-values.ts';
import { isShellOperator, shellLine, variableIn } from '../command/quoting.ts';
import { MOST_TEXT_CHARACTERS, isCut } from '../workload/bounded-container.ts';
import { containerPhrase, defineCheck, located, yamlFlow } from './check.ts';
import { handlerEdits } from './lib/endpoint.ts';
import type { Container } from '../workload/pod.ts';

/** The kubelet runs the elements of a command as they are (ExecAction: "it is not run inside a shell"). */
export const execShell = defineCheck({
  id: 'exec-shell',
  summary: 'A probe command needs a shell and starts none, or gives a shell a command without -c.',
  action: 'Warn',
  cannotWork: true,
  handlers: ['exec'],
  readsCommand: true,
  judgesProbeAlone: true,
  eachProbe: (probe) => {
    const found = shellProblem(probe.container, probe.command);
    if (found === undefined) return undefined;
    const problem = probe.kind === 'livenessProbe' ? { ...found, meant: withoutComparedPing(found.meant) } : found;
    // Joined words may make a text of megabytes.
    const shown = problem.meant.slice(0, LONGEST_REMEDY).map((word) => beginning(word, MOST_TEXT_CHARACTERS));
    return {
      ...located(probe, 'exec', 'command', problem.at),
      message: `${containerPhrase(probe.container)} ${problem.fault}`,
      remedy: cut(`${problem.isGuess ? 'if both are meant, ' : ''}write command: ${yamlFlow(shown)}`, LONGEST_REMEDY),
      ...(!problem.isGuess && handlerEdits(probe, { command: problem.meant })),
    };
  },
});

/** The ping alone: Redis answers it with an error while it loads, and liveness would never let it end. */
function withoutComparedPing(meant: readonly string[]): readonly string[] {
  const [item, ...others] = new ExecCommand(meant).tree?.items ?? [];
  const [first] = item?.node.type === 'pipe' && others.length === 0 ? item.node.stages : [];
  if (first?.type !== 'command' || !first.words.every(({ isLiteral }) => isLiteral)) return meant;
  const [program = '', ...operands] = first.words.map(({ text }) => text);
  return statusOf(programName(program), operands, false)?.reason === 'ping' ? [program, ...operands] : meant;
}

/** A longer command is not repeated in the remedy. */
const LONGEST_REMEDY = 300;

/** Why a command does not do what its author means, without a shell. */
interface ShellProblem {
  /** Index of the element that does not work. */
  readonly at: number;
  /** The problem in words, behind the name of the container. */
  readonly fault: string;
  /** The command that the author means. */
  readonly meant: readonly string[];
  /** True when nobody knows whether `meant` is what the author means. */
  readonly isGuess?: boolean;
}

/** Returns the first problem of a command. Undefined also for a command that is cut. */
function shellProblem(container: Container, reading: ExecCommand): ShellProblem | undefined {
  if (!reading.isWhole) return undefined;
  return (
    reading.once(lineAsProgram) ??
    reading.once(operatorAsArgument) ??
    reading.once(lineAsArgument) ??
    variableAsArgument(container, reading) ??
    reading.once(commandAsFile) ??
    reading.once(wordsBehindScript) ??
    reading.once(lineInQuotes)
  );
}

/** Signs that a shell does not read as plain text. */
const SHELL_SIGNS = /[|&;<>()$`\\"'*?[\]#~{}\n]/;
const WINDOWS_PATH = /^[A-Za-z]:\\/;

/** `["redis-cli ping"]`: no program has the name of a whole line. */
function lineAsProgram({ argv }: ExecCommand): ShellProblem | undefined {
  const at = firstProgramAt(argv);
  const [first = '', ...rest] = argv.slice(at);
  const line = first.trim();
  if (!/\s/.test(first) || isBlank(first) || WINDOWS_PATH.test(first)) return undefined;
  const words = line.split(/\s+/);
  const mayBePath = line.includes('/') && words[1]?.startsWith('-') !== true && !isShell(programName(words[0] ?? ''));
  if (rest.length > 0 && mayBePath) return undefined;
  const split = [...words, ...rest];
  const scriptAt = shellInvocationOf(split)?.scriptAt;
  // Who writes for a shell has one. Without it, the command fails as before.
  const needsShell = SHELL_SIGNS.test(line) || (scriptAt === undefined && rest.some(isShellOperator));
  const direct = scriptAt === undefined ? split : withWholeScript(split, scriptAt);
  return {
    at,
    fault: `has no program with the name ${quoted(first)}: the kubelet runs a command without a shell`,
    meant: needsShell ? ['sh', '-c', scriptOf([line, ...rest])] : direct,
  };
}

/** Options behind which another program than a shell reads code or a pattern. */
const CODE_OPTIONS: ReadonlySet<string> = new Set(['-c', '-e', '-E', '--eval']);
function isExempt({ argv, invocation, shell }: ExecCommand, at: number): boolean {
  if (at === shell?.scriptAt || CODE_OPTIONS.has(argv[at - 1] ?? '')) return true;
  const program = invocation?.program ?? '';
  return knownProgram(program)?.readsOperators === true && !(program === 'find' && argv[at] !== ';');
}

/** `["redis-cli", "ping", "|", "grep", "PONG"]`: the program gets the operator as an argument. */
function operatorAsArgument(reading: ExecCommand): ShellProblem | undefined {
  const { argv, shell } = reading;
  const at = argv.findIndex((word, index) => index > 0 && isShellOperator(word) && !isExempt(reading, index));
  if (at < 0) return undefined;
  return {
    at,
    fault: `has ${quoted(argv[at])} as an argument of ${quoted(programName(argv[0] ?? ''))}: the kubelet runs a command without a shell`,
    meant: shell?.scriptAt === undefined ? ['sh', '-c', shellLine(argv)] : withWholeScript(argv, shell.scriptAt),
    // A line that ends with an operator lacks a command.
    isGuess: isShellOperator(argv.at(-1) ?? ''),
  };
}

/** `["fs_cli", "-x status | grep -q UP"]`: the program gets the whole line, and nobody starts `grep`. */
function lineAsArgument({ argv, invocation, shell }: ExecCommand): ShellProblem | undefined {
  const { readsOperators, readsCode } = knownProgram(invocation?.program ?? '') ?? {};
  if (shell !== undefined || invocation === undefined || readsOperators || readsCode) return undefined;
  const at = argv.findIndex(
    (word, index) => index > invocation.at && !CODE_OPTIONS.has(argv[index - 1] ?? '') && pipedTool(word) !== undefined,
  );
  if (at < 0) return undefined;
  return {
    at,
    fault: `has ${quoted(pipedTool(argv[at] ?? ''))} in an argument of ${quoted(invocation.program)}: the kubelet runs a command without a shell`,
    meant: ['sh', '-c', argv.join(' ')],
    isGuess: true,
  };
}

/** The operator in a word with a program of an operating system behind it: `| grep`. */
function pipedTool(word: string): string | undefined {
  const [found, name = ''] = /\s(?:\|\|?|&&)\s{1,9}([\w./-]{1,60})(?=\s)/.exec(word) ?? [];
  return found !== undefined && knownProgram(programName(name))?.isTool ? found.trim() : undefined;
}

/** `["pg_isready", "-U", "$USER"]`: only a shell replaces the variable. */
function variableAsArgument(container: Container, reading: ExecCommand): ShellProblem | undefined {
  const { argv } = reading;
  const at = argv.findIndex((word, index) => variableIn(word) !== undefined && !isExempt(reading, index));
  if (at < 0) return undefined;
  const variables = container.env();
  const replaced = argv.map((word, index) => {
    const name = isExempt(reading, index) ? undefined : variableIn(word);
    const source = name === undefined ? undefined : variables?.get(name);
    return source?.from === 'value' && !source.value.includes('$') && !isCut(source.value) ? `$(${name ?? ''})` : word;
  });
  const isComplete = replaced.every((word, index) => variableIn(word) === undefined || isExempt(reading, index));
  return {
    at,
    fault: `has ${quoted(argv[at])} as text: only a shell replaces it, and the kubelet runs a command without a shell`,
    meant: isComplete ? replaced : ['sh', '-c', shellLine(argv)],
  };
}

/** `["sh", "redis-cli ping"]`: the shell looks for a file with this name. */
function commandAsFile({ argv, shell }: ExecCommand): ShellProblem | undefined {
  if (shell?.fileAt === undefined) return undefined;
  const file = argv[shell.fileAt] ?? '';
  const isPath = /^\S+$/.test(file) && (file.includes('/') || /\.\w+$/.test(file));
  if (isPath || isBlank(file) || file.includes('$(')) return undefined;
  return {
    at: shell.fileAt,
    fault: `has ${quoted(shell.program)} read a file with the name ${quoted(file)}: a shell reads a command only behind -c`,
    meant: [...argv.slice(0, shell.fileAt), '-c', scriptOf(argv.slice(shell.fileAt))],
  };
}

/** Words that a script gets as `$0` by convention: `--`, the name of a shell or of a script. */
function isScriptName(word: string, script: string): boolean {
  if (/^(?:--?|_)$/.test(word) || isShell(programName(word))) return true;
  // Behind a single program, a word is more likely the program's argument.
  return /\s/.test(script.trim()) && /^[\w.-]{0,64}(?:\.sh|probe|check|ness)$/.test(word);
}

/**
 * What reads the words behind a script, which are its parameters: `$0`, `${1:-x}`, `$@`, `$#`, a loop without a list. A
 * script of another file, and one that `eval` makes, may read them too.
 */
const READS_PARAMETERS =
  /\$(?:[\d@*#]|\{[!#]?[\d@*#])|\b(?:shift|getopts|eval|source)\b|(?:^|[\s;&|(])\.\s|\bfor\s{1,9}\w+(?:\s{0,9}[;\n]|\s{1,9}do\b)/;

/** `["sh", "-c", "pg_isready", "-U", "app"]`: the shell runs `pg_isready` alone. */
function wordsBehindScript({ argv, shell }: ExecCommand): ShellProblem | undefined {
  if (shell?.scriptAt === undefined) return undefined;
  const script = argv[shell.scriptAt] ?? '';
  const [first, ...others] = argv.slice(shell.scriptAt + 1);
  if (first === undefined || READS_PARAMETERS.test(script) || isBlank(script)) return undefined;
  if (others.length === 0 && isScriptName(first, script)) return undefined;
  return {
    at: shell.scriptAt + 1,
    fault: `has ${quoted(shell.program)} run only ${quoted(script)}: words behind the script of -c are no part of it`,
    meant: withWholeScript(argv, shell.scriptAt),
    // Words behind a line with operators belong to none of its commands.
    isGuess: SHELL_SIGNS.test(script),
  };
}

/** `["sh", "-c", "'pg_isready -U app'"]`: the quotes make one word of the line. */
function lineInQuotes(reading: ExecCommand): ShellProblem | undefined {
  const { argv, shell, tree } = reading;
  if (shell?.scriptAt === undefined) return undefined;
  // Redirections alone run nothing.
  const items = tree?.items.filter((item) => item.node.type !== 'command' || item.node.words.length > 0) ?? [];
  let node = items.length === 1 ? items[0]?.node : undefined;
  const isFirstOfMore = node?.type === 'and' || node?.type === 'or';
  while (node?.type === 'and' || node?.type === 'or') node = node.left;
  const [word, ...others] = node?.type === 'command' ? node.words : [];
  if (others.length > 0 || !word?.isLiteral || !/^\S+\s+\S/.test(word.text)) return undefined;
  return {
    at: shell.scriptAt,
    fault: `has ${quoted(shell.program)} run a program with the name ${quoted(word.text)}: the quotes make one word of the line`,
    meant: argv.with(shell.scriptAt, word.text),
    isGuess: isFirstOfMore,
  };
}

function withWholeScript(argv: readonly string[], scriptAt: number): string[] {
  return [...argv.slice(0, scriptAt), scriptOf(argv.slice(scriptAt))];
}

/** Joins a script and the words behind it. The script is a line already. */
function scriptOf([script = '', ...rest]: readonly string[]): string {
  return rest.length === 0 ? script : `${script} ${shellLine(rest)}`;
}
