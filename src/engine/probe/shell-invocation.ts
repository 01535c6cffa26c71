import { invocationOf } from './exec-invocation.ts';

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

const SHELLS: ReadonlySet<string> = new Set(['sh', 'bash', 'ash', 'dash', 'ksh', 'zsh']);
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
 *
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
