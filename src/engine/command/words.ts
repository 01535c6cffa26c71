import { answerOnce, type Answers } from '../../base/once.ts';
import { execArgv, namesNoProgram } from '../probe/handler-values.ts';
import { readScript, type List } from './script.ts';
import type { JsonObject } from '../../base/json/json-value.ts';

/** The words of a text, as a set. */
export const wordSet = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** The program that does the work of a command, behind programs such as `env` that start another program. */
export interface Invocation {
  /** Index of the program in the command. */
  readonly at: number;
  /** The program without its folders: `sh` for `/bin/sh`. */
  readonly program: string;
}

/** Programs that start the program behind their own words. */
const STARTERS = wordSet(
  'env timeout nice ionice nohup setsid stdbuf time busybox tini dumb-init gosu su-exec sudo exec command builtin',
);
/** True for a program that starts the program behind its own words: `env`, `tini`. */
export const isStarter = (program: string): boolean => STARTERS.has(program);
/** Their options whose value is the next word, and those with a word before the program, such as the seconds. */
const VALUED = wordSet(
  'env-u env-C timeout-s timeout-k timeout-t timeout--signal timeout--kill-after nice-n ionice-c ionice-n stdbuf-i stdbuf-o stdbuf-e tini-e sudo-u sudo-g exec-a',
);
const WITH_OPERAND = wordSet('timeout gosu su-exec');

/** Programs in front of the program that does the work, at most. */
const MOST_STARTERS = 4;

/** Returns the last segment of a program's path, also for a Windows path. */
export function programName(word: string): string {
  return word.slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1);
}

/** Undefined when the words end before the program. The check exec-command reports an empty first word. */
export function invocationOf(argv: readonly string[]): Invocation | undefined {
  return programsOf(argv)?.at(-1);
}

/** The same program, behind each program that starts the next one: `timeout`, then `curl`. */
export function programsOf(argv: readonly string[]): readonly Invocation[] | undefined {
  const programs: Invocation[] = [];
  let at = firstProgramAt(argv);
  while (programs.length <= MOST_STARTERS) {
    const word = argv[at];
    if (word === undefined) return undefined;
    const program = programName(word);
    programs.push({ at, program });
    // `command -v` only looks for a program.
    if (!STARTERS.has(program) || (program === 'command' && /^-\w*[vV]/.test(argv[at + 1] ?? ''))) return programs;
    at = behind(program, argv, at + 1);
  }
  return undefined;
}

/** Returns the index of the first word that names a program. */
export function firstProgramAt(argv: readonly string[]): number {
  const at = argv.findIndex((word) => !namesNoProgram(word));
  return at < 0 ? argv.length : at;
}

function behind(program: string, argv: readonly string[], start: number): number {
  let at = start;
  let operands = WITH_OPERAND.has(program) ? 1 : 0;
  for (; at < argv.length; at++) {
    const word = argv[at] ?? '';
    if (word === '--') return at + 1 + operands;
    // Older releases of BusyBox take the seconds with -t.
    if (program === 'timeout' && word === '-t') operands -= 1;
    if (VALUED.has(program + word)) at += 1;
    else if (!word.startsWith('-') && !(program === 'env' && /^\w+=/.test(word))) break;
  }
  return at + operands;
}

/** A word or an option of a command, with the value of the option. */
export interface CommandOption {
  /** `-X` or `--request`. Undefined for a word that is no option. */
  readonly name: string | undefined;
  /** The value behind the letter, behind `=`, or in the next word. For another word, the word. */
  readonly value: string;
}

/**
 * Reads the options of a command. A long option gets the next word as its value, too, and the word stays: nobody knows
 * here whether the option takes a value.
 * @param valued the letters whose options take a value
 * @param long the long options that are known to take a value
 */
export function optionsOf(words: readonly string[], valued: string, long?: RegExp): CommandOption[] {
  const options: CommandOption[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    const next = words[at + 1] ?? '';
    if (!word.startsWith('-') || word === '-') options.push({ name: undefined, value: word });
    else if (word.startsWith('--')) {
      const sign = word.indexOf('=');
      if (sign < 0) {
        options.push({ name: word, value: next });
        if (long?.test(word) === true) at += 1;
      } else options.push({ name: word.slice(0, sign), value: word.slice(sign + 1) });
    } else
      for (let letter = 1; letter < word.length; letter++) {
        const takesValue = valued.includes(word.charAt(letter));
        const rest = word.slice(letter + 1);
        options.push({ name: `-${word.charAt(letter)}`, value: takesValue && rest === '' ? next : rest });
        if (!takesValue) continue;
        if (rest === '') at += 1;
        break;
      }
  }
  return options;
}

/** A shell that a command starts. */
export interface ShellInvocation extends Invocation {
  /** Index of the text behind `-c`. Undefined without `-c`. */
  readonly scriptAt: number | undefined;
  /** Index of the first word behind the options, without `-c`: the file that the shell reads. */
  readonly fileAt: number | undefined;
  /** True with the option `-e`: the script ends at the first command that fails. */
  readonly isErrexit: boolean;
  /** True with the option `-o pipefail`: a pipe fails when one of its stages fails. */
  readonly isPipefail: boolean;
}

const SHELLS = wordSet('sh bash ash dash ksh zsh');

/** True for the name of a POSIX shell, without its folders. */
export function isShell(program: string): boolean {
  return SHELLS.has(program);
}

/** Reads a command that starts a shell. Undefined for another command. */
export function shellInvocationOf(
  argv: readonly string[],
  invocation = invocationOf(argv),
): ShellInvocation | undefined {
  if (invocation === undefined || !isShell(invocation.program)) return undefined;
  // Short options by their letter, and those behind -o by their name.
  const options = new Set<string>();
  let at = invocation.at + 1;
  for (; at < argv.length; at++) {
    const word = argv[at] ?? '';
    if (!/^[-+]./.test(word) || word === '--') break;
    if (word === '--rcfile' || word === '--init-file') at += 1;
    if (!/^[-+][A-Za-z]+$/.test(word)) continue;
    for (const letter of word.slice(1)) {
      const option = /o/i.test(letter) ? (argv[(at += 1)] ?? '') : letter;
      if (word.startsWith('-')) options.add(option);
      else options.delete(option);
    }
  }
  if (argv[at] === '--' || argv[at] === '-') at += 1;
  const next = at < argv.length ? at : undefined;
  return {
    ...invocation,
    scriptAt: options.has('c') ? next : undefined,
    // With -s, the shell reads its commands from the standard input.
    fileAt: options.has('c') || options.has('s') ? undefined : next,
    isErrexit: options.has('e') || options.has('errexit'),
    isPipefail: options.has('pipefail'),
  };
}

/** The command of an exec probe, as the checks about commands read it. What is costly is read at the first question. */
export class ExecCommand {
  readonly argv: readonly string[];
  /** False when the command, or a part of it, is too long to be read. */
  readonly isWhole: boolean;
  /** The program that does the work. */
  readonly invocation: Invocation | undefined;
  /** The shell, if the program is one. */
  readonly shell: ShellInvocation | undefined;
  readonly #answers: Answers = new Map();

  constructor(argv: readonly string[], isWhole = true) {
    this.argv = argv;
    this.isWhole = isWhole;
    this.invocation = invocationOf(argv);
    this.shell = shellInvocationOf(argv, this.invocation);
  }

  /** The text behind `-c`. Undefined for a command without one. */
  get script(): string | undefined {
    return this.shell?.scriptAt === undefined ? undefined : this.argv[this.shell.scriptAt];
  }

  /** The tree of the script, read once. Undefined without a script, and for one that cannot be read. */
  get tree(): List | undefined {
    return this.once(readTree);
  }

  /** Answers a question about the command once. */
  once<Answer>(work: (command: ExecCommand) => Answer): Answer {
    return answerOnce(this.#answers, this, work);
  }
}

/** The command of a handler that has none. */
export const NO_COMMAND = new ExecCommand([]);
/** A command that is too long to be read. */
export const UNREAD_COMMAND = new ExecCommand([], false);

const readTree = ({ script }: ExecCommand): List | undefined => (script === undefined ? undefined : readScript(script));

/** Reads the command of an exec handler. A command that the API server rejects has no words. */
export function execCommandOf(handler: JsonObject): ExecCommand {
  return new ExecCommand(execArgv(handler) ?? []);
}
