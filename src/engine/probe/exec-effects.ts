import { keepsNothing, RULES } from './acting-programs.ts';
import {
  actingWordIn,
  actionInCode,
  actionOfFile,
  actionOfWords,
  alwaysActs,
  onlyAsks,
  textActs,
  wordSet,
} from './acting-words.ts';
import {
  firstProgramAt,
  invocationOf,
  isShell,
  programName,
  shellInvocationOf,
  type ExecCommand,
} from './exec-invocation.ts';
import {
  isAssignment,
  readShellScript,
  type ShellCommand,
  type ShellRedirection,
  type ShellWord,
} from './shell-script.ts';

/** Scripts in scripts, and words of a command, at most. More is not parsed. */
const DEEPEST = 8;
const MOST_WORDS = 200;

/** Words of a shell in front of a command. */
const KEYWORDS = wordSet('then do else elif if while until ! { } time fi done esac');
/** Commands of a shell that start the program behind them. */
const STARTERS = wordSet('exec command builtin');
const WRITING = /^(?:&?>>?|>\||<>|>&)$/;
const CONNECTION = /^\/dev\/(?:tcp|udp)\//;

/**
 * Returns what in an exec command has side effects: the program with its option or word (`rm`, `curl -X POST`), or the
 * redirection (`> /tmp/alive`). Undefined when the command only asks. Such a command is not copied to a startup probe:
 * `rm -rf` in a liveness script behind a delay of 600 s deletes data when it runs at second 0 (issue 30, D5).
 *
 * What nobody can read acts, because not copying a command costs nothing: `$X`, the input of an SQL client, an unknown
 * subcommand. A script file acts when its name says so (`cleanup.sh`); all other files and programs are taken to ask.
 * The result is logged, so it holds no value of an option, no URL, no data and no code.
 */
export function commandActs(command: readonly string[]): string | undefined {
  const first = command[firstProgramAt(command)] ?? '';
  // A line as the program: the author means a script.
  if (/\s/.test(first.trim())) return scriptActs(command.join(' '), 0);
  const at = command.findIndex((word) => /^\d?&?>[>|]?$/.test(word));
  if (at >= 0 && !keepsNothing(command[at + 1] ?? '')) return `${command[at] ?? ''} ${command[at + 1] ?? ''}`;
  return wordsAct(
    command.map((text) => ({ text, isLiteral: !text.includes('$(') })),
    { depth: 0, isFed: false },
  );
}

/** The same for a command that checks read. Undefined for one without words. */
export const effectOf = ({ argv, isWhole }: ExecCommand): string | undefined =>
  argv.length > 0 ? commandActs(argv) : isWhole ? undefined : 'it is too long to be read';

type Word = Pick<ShellWord, 'text' | 'isLiteral'>;

interface Situation {
  /** How many scripts the command is in. */
  readonly depth: number;
  /** True when the command reads a file or the output of another command. */
  readonly isFed: boolean;
  /** True when the command reads a here-document, whose text is judged for itself. */
  readonly hasDocument?: boolean;
}

function scriptActs(script: string, depth: number): string | undefined {
  const read = depth < DEEPEST ? readShellScript(script) : undefined;
  if (read === undefined) return textActs(script);
  let isFed = false;
  for (const command of read.commands) {
    const found = simpleActs(command, { depth, isFed });
    if (found !== undefined) return found;
    isFed = isPiped(command) || (isFed && command.operator === '(');
  }
  const ofDocument = read.documents.map((text) => actingWordIn(text) ?? actionInCode(text)).find(Boolean);
  if (ofDocument !== undefined) return ofDocument;
  for (const command of read.substitutions) {
    // In $((...)) no word is a program.
    const found = scriptActs(/^\(.*\)$/s.test(command) ? `: "${command}"` : command, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isPiped({ operator }: ShellCommand): boolean {
  return operator === '|' || operator === '|&';
}

function simpleActs(command: ShellCommand, situation: Situation): string | undefined {
  const { redirections } = command;
  const start = command.words.findIndex(({ isQuoted, text }) => isQuoted || !KEYWORDS.has(text));
  const words = start < 0 ? [] : command.words.slice(start);
  const program = words[0]?.text ?? '';
  // Between [[ and ]], the signs < and > compare.
  const written = program === '[[' ? undefined : redirections.find(writes);
  if (written !== undefined) return `${written.sign} ${written.target?.text ?? ''}`.trim();
  const texts = words.map(({ text }) => text);
  const isSent = isPiped(command) || redirections.some(({ target, sign }) => isSentBy(sign, target?.text ?? ''));
  if (isSent && (program === 'echo' || program === 'printf')) {
    const sent = actingWordIn(texts.slice(1).join(' '));
    if (sent !== undefined) return `${program} ${sent}`;
  }
  const fed = redirections.find(({ sign, target }) => /^<(?:<<)?$/.test(sign) && target?.text !== '/dev/null');
  const action = fed?.sign === '<<<' ? actingWordIn(fed.target?.text ?? '') : undefined;
  const isFed = situation.isFed || fed !== undefined;
  const hasDocument = redirections.some(({ sign }) => /^<<-?$/.test(sign));
  return action ?? wordsAct(words, { ...situation, isFed, hasDocument });
}

function writes({ sign, target }: ShellRedirection): boolean {
  if (!WRITING.test(sign)) return false;
  const text = target?.text ?? '';
  if (sign === '>&' && /^(?:\d+|-|\$.*)$/.test(text)) return false;
  return !keepsNothing(text) && !CONNECTION.test(text) && !text.startsWith('>(');
}

/** Descriptors above 2 are connections that the script opened. */
function isSentBy(sign: string, target: string): boolean {
  return WRITING.test(sign) && (CONNECTION.test(target) || (sign === '>&' && !/^[12-]$/.test(target)));
}

function wordsAct(all: readonly Word[], situation: Situation): string | undefined {
  let start = 0;
  for (const word of all) {
    if (!isAssignment(word)) break;
    const [, name = ''] = /=\s*([^\s]*)/.exec(word.text) ?? [];
    if (alwaysActs(programName(name))) return programName(name);
    start += 1;
  }
  while (STARTERS.has(all[start]?.text ?? '') && !/^-[vV]/.test(all[start + 1]?.text ?? '')) start += 1;
  const words = all.slice(start);
  const texts = words.map(({ text }) => text);
  const invocation = words.length > MOST_WORDS ? undefined : invocationOf(texts);
  // The word behind env -S is a command.
  const split = words.slice(0, (invocation?.at ?? 0) + 1).findIndex(isCommand);
  if (split >= 0) {
    const script = texts.slice(split).join(' ');
    return scriptActs(script.replace(/^(?:-\w?S|--split-string=)/, ''), situation.depth + 1);
  }
  if (invocation === undefined) return textActs(texts.join(' '));
  const { program, at } = invocation;
  // Nobody knows what `$X` runs. The end of `$HOME/bin/ready.sh` is known.
  if (words[at]?.isLiteral !== true && /[$`(){}]|^$/.test(program)) return 'a program that a variable names';
  if (isShell(program)) return shellActs(texts, program, situation);
  if (alwaysActs(program)) return program;
  const operands = words.slice(at + 1);
  return readerOfScripts(program, operands, situation.depth) ?? programActs(program, operands, situation);
}

/** True for a word with blanks in front of or in place of a program, other than the value of a variable. */
function isCommand({ text, isLiteral }: Word): boolean {
  return /\s/.test(text) && !isAssignment({ text }) && (isLiteral || !/^[$`]/.test(text));
}

function shellActs(argv: readonly string[], program: string, situation: Situation): string | undefined {
  const { depth } = situation;
  const isFed = situation.isFed || situation.hasDocument === true;
  const shell = shellInvocationOf(argv);
  if (shell?.scriptAt !== undefined) return scriptActs(argv[shell.scriptAt] ?? '', depth + 1);
  if (shell?.fileAt === undefined) return isFed ? `${program} with a script from a pipe` : textActs(argv.join(' '));
  const file = argv[shell.fileAt] ?? '';
  return /\s/.test(file) ? scriptActs(file, depth + 1) : actionOfFile(file) && file;
}

/** Commands whose words are a script, or name one. */
function readerOfScripts(program: string, operands: readonly Word[], depth: number): string | undefined {
  const texts = operands.map(({ text }) => text);
  if (program === 'eval') return scriptActs(texts.join(' '), depth + 1);
  if (program === 'trap') return scriptActs(texts[0] ?? '', depth + 1);
  if (program === '.' || program === 'source') return actionOfFile(texts[0] ?? '') && texts[0];
  // Programs such as su and flock take a script behind -c, as a shell does.
  const at = RULES.has(program) || onlyAsks(program) ? -1 : texts.indexOf('-c');
  return at < 0 ? undefined : scriptActs(texts[at + 1] ?? '', depth + 1);
}

function programActs(program: string, operands: readonly Word[], situation: Situation): string | undefined {
  const texts = operands.map(({ text }) => text);
  const found = RULES.get(program)?.(texts, situation.isFed);
  if (found !== undefined) return `${program} ${found}`.trim();
  if ((RULES.has(program) && !STARTS_OTHERS.has(program)) || onlyAsks(program)) return undefined;
  if (actionOfFile(program) !== undefined) return program;
  const inner = texts.findIndex(namesProgram);
  if (inner >= 0) return wordsAct(operands.slice(inner), situation);
  const action = actionOfWords(texts);
  return action && `${program} ${action}`;
}

/** Programs with a rule that also start other programs: `find -exec`. */
const STARTS_OTHERS = wordSet('find docker podman crictl nerdctl kubectl oc');

/** True for a word that names a known program: `rm` behind `xargs`, `/bin/sh` behind `chroot`. */
function namesProgram(word: string): boolean {
  const name = programName(word);
  if (name !== word && !word.endsWith(`/bin/${name}`)) return false;
  return alwaysActs(name) || RULES.has(name) || isShell(name);
}
