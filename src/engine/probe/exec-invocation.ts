import { wordSet } from './acting-words.ts';
import { namesNoProgram } from './handler-values.ts';

/** The program that does the work of a command, behind programs such as `env` that start another program. */
export interface Invocation {
  /** Index of the program in the command. */
  readonly at: number;
  /** The program without its folders: `sh` for `/bin/sh`. */
  readonly program: string;
}

/** A program that starts the program behind its own words. */
interface Starter {
  /** Options whose value is the next word. */
  readonly valued: readonly string[];
  /** Words before the program that are no options: the seconds of `timeout`. */
  readonly operands: number;
}

const STARTERS: ReadonlyMap<string, Starter> = new Map([
  ['env', { valued: ['-u', '-C'], operands: 0 }],
  ['timeout', { valued: ['-s', '-k'], operands: 1 }],
  ['nice', { valued: ['-n'], operands: 0 }],
  ['ionice', { valued: ['-c', '-n'], operands: 0 }],
  ['nohup', { valued: [], operands: 0 }],
  ['setsid', { valued: [], operands: 0 }],
  ['stdbuf', { valued: ['-i', '-o', '-e'], operands: 0 }],
  ['time', { valued: [], operands: 0 }],
  ['busybox', { valued: [], operands: 0 }],
  ['tini', { valued: ['-e'], operands: 0 }],
  ['dumb-init', { valued: [], operands: 0 }],
  ['gosu', { valued: [], operands: 1 }],
  ['su-exec', { valued: [], operands: 1 }],
  ['sudo', { valued: ['-u', '-g'], operands: 0 }],
]);

/** Programs in front of the program that does the work, at most. */
const MOST_STARTERS = 4;

/** Returns the last segment of a program's path, also for a Windows path. */
export function programName(word: string): string {
  return word.slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1);
}

/** Undefined when the words end before the program. The check exec-command reports an empty first word. */
export function invocationOf(argv: readonly string[]): Invocation | undefined {
  let at = firstProgramAt(argv);
  for (let count = 0; count <= MOST_STARTERS; count++) {
    const word = argv[at];
    if (word === undefined) return undefined;
    const program = programName(word);
    const starter = STARTERS.get(program);
    if (starter === undefined) return { at, program };
    at = behind(starter, program, argv, at + 1);
  }
  return undefined;
}

/** Returns the index of the first word that names a program. */
export function firstProgramAt(argv: readonly string[]): number {
  const at = argv.findIndex((word) => !namesNoProgram(word));
  return at < 0 ? argv.length : at;
}

function behind({ valued, operands }: Starter, program: string, argv: readonly string[], start: number): number {
  let at = start;
  let left = operands;
  for (; at < argv.length; at++) {
    const word = argv[at] ?? '';
    if (word === '--') return at + 1 + left;
    // Older releases of BusyBox take the seconds with -t.
    if (program === 'timeout' && word === '-t') left -= 1;
    if (valued.includes(word) || (program === 'timeout' && word === '-t')) at += 1;
    else if (word.startsWith('-') || (program === 'env' && /^\w+=/.test(word))) continue;
    else break;
  }
  return at + left;
}

/** A word or an option of a command, with the value of the option. */
export interface CommandOption {
  /** `-X` or `--request`. Undefined for a word that is no option. */
  readonly name: string | undefined;
  /** The value behind the letter, behind `=`, or in the next word. For another word, the word. */
  readonly value: string;
}

/** The letters of curl whose options take a value (curl's manual page). */
export const CURL_VALUED = 'AbCcDdEeFHhKmoPQrTtUuwXxYyz';

/**
 * Reads the options of a command. A long option gets the next word as its value, too, because nobody knows here whether
 * the option takes a value.
 * @param valued the letters whose options take a value
 */
export function optionsOf(words: readonly string[], valued: string): CommandOption[] {
  const options: CommandOption[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    const next = words[at + 1] ?? '';
    if (!word.startsWith('-') || word === '-') options.push({ name: undefined, value: word });
    else if (word.startsWith('--')) {
      const sign = word.indexOf('=');
      if (sign < 0) options.push({ name: word, value: next });
      else options.push({ name: word.slice(0, sign), value: word.slice(sign + 1) });
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
export interface ShellInvocation {
  /** The name of the shell: `sh`, `bash`. */
  readonly shell: string;
  /** Index of the shell in the command. */
  readonly at: number;
  /** Index of the text behind `-c`. Undefined without `-c`. */
  readonly scriptAt: number | undefined;
  /** Index of the first word behind the options, without `-c`: the file that the shell reads. */
  readonly fileAt: number | undefined;
  /** True with the option `-e`: the script ends at the first command that fails. */
  readonly isErrexit: boolean;
  /** True with the option `-o pipefail`: a pipe fails when one of its stages fails. */
  readonly isPipefail: boolean;
}

const SHELLS: ReadonlySet<string> = wordSet('sh bash ash dash ksh zsh');
/** Long options of bash whose value is the next word. */
const VALUED: ReadonlySet<string> = new Set(['--rcfile', '--init-file']);

interface FoundOptions {
  hasScript: boolean;
  /** With `-s`, the shell reads its commands from the standard input. */
  readsInput: boolean;
  isErrexit: boolean;
  isPipefail: boolean;
}

/** True for the name of a POSIX shell, without its folders. */
export function isShell(program: string): boolean {
  return SHELLS.has(program);
}

/** Reads a command that starts a shell. Undefined for another command. */
export function shellInvocationOf(argv: readonly string[]): ShellInvocation | undefined {
  const invocation = invocationOf(argv);
  if (invocation === undefined || !isShell(invocation.program)) return undefined;
  const found: FoundOptions = { hasScript: false, readsInput: false, isErrexit: false, isPipefail: false };
  let at = invocation.at + 1;
  for (; at < argv.length; at++) {
    const word = argv[at] ?? '';
    if (word === '--' || word === '-') {
      at += 1;
      break;
    }
    if (VALUED.has(word)) at += 1;
    else if (/^[-+][A-Za-z]+$/.test(word)) at = readOptions(found, argv, at);
    else if (!word.startsWith('--') && !/^[-+]/.test(word)) break;
  }
  const next = at < argv.length ? at : undefined;
  return {
    shell: invocation.program,
    at: invocation.at,
    scriptAt: found.hasScript ? next : undefined,
    fileAt: found.hasScript || found.readsInput ? undefined : next,
    isErrexit: found.isErrexit,
    isPipefail: found.isPipefail,
  };
}

/**
 * Reads a word of short options, such as `-ec` or `-euo`. Each `o` takes the next word as the name of an option.
 * @returns index of the last word that belongs to the options
 */
function readOptions(found: FoundOptions, argv: readonly string[], start: number): number {
  const word = argv[start] ?? '';
  const isOn = word.startsWith('-');
  let at = start;
  for (const letter of word.slice(1)) {
    if (letter === 'c' && isOn) found.hasScript = true;
    if (letter === 's' && isOn) found.readsInput = true;
    if (letter === 'e') found.isErrexit = isOn;
    if (letter !== 'o' && letter !== 'O') continue;
    at += 1;
    if (argv[at] === 'pipefail') found.isPipefail = isOn;
    if (argv[at] === 'errexit') found.isErrexit = isOn;
  }
  return at;
}
