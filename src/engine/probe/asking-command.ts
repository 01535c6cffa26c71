import { ASKING, isCheck, keepsNothing } from './asking-programs.ts';
import {
  firstProgramAt,
  invocationOf,
  isShell,
  programName,
  shellInvocationOf,
  wordSet,
  type ExecCommand,
} from './exec-invocation.ts';
import { isAssignment, readShellScript, type ShellCommand, type ShellRedirection } from './shell-script.ts';

/** Scripts in scripts, and words of a command, at most. More is not parsed. */
const DEEPEST = 8;
const MOST_WORDS = 200;

/** Words of a shell in front of a command. */
const KEYWORDS = wordSet('then do else elif if while until ! { } time fi done esac');
/** Commands of a shell that start the program behind them. */
const STARTERS = wordSet('exec command builtin');
const WRITING = /^(?:&?>>?|>\||<>|>&)$/;
/** A line that asks a server through `nc` or `/dev/tcp`. */
const QUESTION =
  /^(?:ruok|mntr|srvr|isro|stats?|version|ping|info|role|noop|quit|(?:get|head) \S+(?: http\/[\d.]+)?|[a-z-]+: ?\S*|)$/i;

/**
 * Returns what in an exec command may have side effects: a redirection into a file, or a program that is not known to
 * only ask. Undefined for a command that only asks. Another command is not copied to a startup probe: `rm -rf` in a
 * liveness script behind a delay of 600 s deletes data when it runs at second 0 (issue 30, D5).
 *
 * The result is logged, so it holds the name of a program or the target of a redirection, and no other word.
 */
export function sideEffectIn(argv: readonly string[]): string | undefined {
  const first = argv[firstProgramAt(argv)] ?? '';
  // A line as the program: the author means a script.
  if (/\s/.test(first.trim())) return ofScript(argv.join(' '), 0);
  return argv.find((word) => /^\d?&?>[>|]?$/.test(word)) ?? ofWords(argv, 0);
}

/** The same for a command that checks read. Undefined for one without words. */
export const sideEffectOf = ({ argv, isWhole }: ExecCommand): string | undefined =>
  argv.length > 0 ? sideEffectIn(argv) : isWhole ? undefined : 'it is too long to be read';

function ofScript(script: string, depth: number): string | undefined {
  const read = depth < DEEPEST ? readShellScript(script) : undefined;
  if (read === undefined) return 'a script that cannot be read';
  const isSending = read.commands.some(sendsInput);
  for (const command of read.commands) {
    const found = ofCommand(command, depth, isSending);
    if (found !== undefined) return found;
  }
  for (const command of read.substitutions) {
    // In $((...)) no word is a program.
    const found = ofScript(/^\(.*\)$/s.test(command) ? `: "${command}"` : command, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function ofCommand(command: ShellCommand, depth: number, isSending: boolean): string | undefined {
  const start = command.words.findIndex(({ isQuoted, text }) => isQuoted || !KEYWORDS.has(text));
  const texts = start < 0 ? [] : command.words.slice(start).map(({ text }) => text);
  const [program = '', ...words] = texts;
  // Between [[ and ]], the signs < and > compare.
  const written = program === '[[' ? undefined : command.redirections.find(writesFile);
  if (written !== undefined) return `${written.sign} ${written.target?.text ?? ''}`.trim();
  if (sendsInput(command) && command.redirections.some(({ sign }) => /^<(?:<.*)?$/.test(sign))) return `${program} <`;
  if (isSending && /^(?:echo|printf)$/.test(program)) {
    const lines = words
      .filter((word) => !word.startsWith('-'))
      .join(' ')
      .split(/\\[rn]|[\r\n]/);
    if (!lines.every((line) => QUESTION.test(line.trim()))) return program;
  }
  const at = texts.findIndex((text) => !isAssignment({ text }));
  return at < 0 ? undefined : ofWords(texts.slice(at), depth);
}

function writesFile({ sign, target }: ShellRedirection): boolean {
  const text = target?.text ?? '';
  if (!WRITING.test(sign) || keepsNothing(text) || text.startsWith('>(')) return false;
  return sign !== '>&' || !/^(?:\d+|-|\$.*)$/.test(text);
}

/** True for a command that sends to a server what the script prints. `nc -z` sends nothing. */
function sendsInput({ words, redirections }: ShellCommand): boolean {
  const texts = words.map(({ text }) => text);
  const isClient = texts.some((text) => /^(?:\S*\/)?(?:nc|ncat|netcat)$/.test(text));
  if (isClient && !texts.some((text) => /^-\w*z/.test(text))) return true;
  return redirections.some(
    ({ sign, target }) => WRITING.test(sign) && /^\/dev\/(?:tcp|udp)\//.test(target?.text ?? ''),
  );
}

function ofWords(all: readonly string[], depth: number): string | undefined {
  let start = 0;
  while (STARTERS.has(all[start] ?? '') && !/^-[vV]/.test(all[start + 1] ?? '')) start += 1;
  const words = all.slice(start);
  if (words.length > MOST_WORDS) return `more than ${MOST_WORDS} words`;
  const invocation = invocationOf(words);
  if (invocation === undefined) return undefined;
  const { program, at } = invocation;
  // The word behind env -S is a command.
  if (words.slice(0, at).some((word) => /^-\w*S|^--split/.test(word))) return 'env -S';
  const shell = isShell(program) ? shellInvocationOf(words) : undefined;
  if (shell?.scriptAt !== undefined) return ofScript(words[shell.scriptAt] ?? '', depth + 1);
  const rule = ASKING.get(program);
  const file = words[shell?.fileAt ?? at] ?? '';
  if (rule?.(words.slice(at + 1)) ?? isCheck(file)) return undefined;
  const name = programName(file);
  if (!/^[\w.+-]{1,40}$/.test(name)) return shell === undefined ? 'an unknown program' : program;
  return rule === undefined ? name : `${name} with these arguments`;
}
