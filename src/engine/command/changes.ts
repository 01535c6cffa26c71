import { CURL, NETCAT } from './clients.ts';
import { commandsOf, commandsOfScript, type WrittenCommand } from './commands.ts';
import { knownProgram, type Program } from './programs.ts';
import { isAction, isCheck, keepsNothing } from './questions.ts';
import {
  firstProgramAt,
  invocationOf,
  isShell,
  optionsOf,
  programName,
  shellInvocationOf,
  type ExecCommand,
} from './words.ts';
import type { ShellRedirection } from './tokens.ts';

/** More words of one command are not judged. */
const MOST_WORDS = 200;

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
export const sideEffectOf = (command: ExecCommand): string | undefined => command.once(findSideEffect);

function findSideEffect(command: ExecCommand): string | undefined {
  const { argv, isWhole } = command;
  if (argv.length === 0) return isWhole ? undefined : 'it is too long to be read';
  // A line as the program: the author means a script.
  const isLine = /\s/.test((argv[firstProgramAt(argv)] ?? '').trim());
  const operator = isLine ? undefined : argv.find((word) => /^\d?&?>[>|]?$/.test(word));
  if (operator !== undefined) return operator;
  const { commands, functions, isUnread } = isLine ? commandsOfScript(argv.join(' ')) : commandsOf(command);
  if (isUnread) return 'a script that cannot be read';
  const isSending = commands.some(sendsInput);
  for (const one of commands) {
    const found = ofCommand(one, isSending) ?? ofWords(one.words, functions);
    if (found !== undefined) return found;
  }
  return undefined;
}

function ofCommand({ words: [program = '', ...words], redirections }: WrittenCommand, isSending: boolean) {
  // Between [[ and ]], the signs < and > compare.
  const written = program === '[[' ? undefined : redirections.find(writesFile);
  if (written !== undefined) return `${written.sign} ${written.target?.text ?? ''}`.trim();
  const isSender = sendsInput({ words: [program, ...words], redirections });
  if (isSender && redirections.some(({ sign }) => /^<(?:<.*)?$/.test(sign))) return `${program} <`;
  if (!isSending || !/^(?:echo|printf)$/.test(program)) return undefined;
  const lines = words
    .filter((word) => !word.startsWith('-'))
    .join(' ')
    .split(/\\[rn]|[\r\n]/);
  return lines.every((line) => QUESTION.test(line.trim())) ? undefined : program;
}

function writesFile({ sign, target }: ShellRedirection): boolean {
  const text = target?.text ?? '';
  if (!WRITING.test(sign) || keepsNothing(text) || text.startsWith('>(')) return false;
  return sign !== '>&' || !/^(?:\d+|-|\$.*)$/.test(text);
}

/** True for a command that sends to a server what the script prints. `nc -z` sends nothing. */
function sendsInput({ words, redirections }: Pick<WrittenCommand, 'words' | 'redirections'>): boolean {
  const isClient = words.some((text) => /^(?:\S*\/)?(?:nc|ncat|netcat)$/.test(text));
  if (isClient && !words.some((text) => /^-\w*z/.test(text))) return true;
  return redirections.some(
    ({ sign, target }) => WRITING.test(sign) && /^\/dev\/(?:tcp|udp)\//.test(target?.text ?? ''),
  );
}

/** @param functions names that the script defines: their commands are judged where they stand */
function ofWords(words: readonly string[], functions: ReadonlySet<string>): string | undefined {
  if (words.length > MOST_WORDS) return `more than ${MOST_WORDS} words`;
  const invocation = invocationOf(words);
  if (invocation === undefined || functions.has(words[0] ?? '')) return undefined;
  const { program, at } = invocation;
  // The word behind env -S is a command.
  if (words.slice(0, at).some((word) => /^-\w*S|^--split/.test(word))) return 'env -S';
  const shell = isShell(program) ? shellInvocationOf(words) : undefined;
  const asks = knownProgram(program)?.asks;
  const file = words[shell?.fileAt ?? at] ?? '';
  const operands = words.slice((shell?.fileAt ?? at) + 1);
  if (asks?.(words.slice(at + 1)) ?? (isCheck(file) && !operands.some(isAction))) return undefined;
  const name = programName(file);
  if (!/^[\w.+-]{1,40}$/.test(name)) return shell === undefined ? 'an unknown program' : program;
  return asks === undefined ? name : `${name} with these arguments`;
}

/** A file that a command takes away although it asks for it, or a request that changes something. */
export interface Consumption {
  readonly effect: 'removes' | 'writes' | 'sends';
  /** The file, or the program that sends. */
  readonly what: string;
}

/** What a command uses up each time it runs: the application must bring it again. Undefined for most commands. */
export const consumptionOf = (command: ExecCommand): Consumption | undefined => command.once(findConsumption);

function findConsumption(command: ExecCommand): Consumption | undefined {
  const { commands } = commandsOf(command);
  const runs = commands.map(({ words, redirections }) => {
    const invocation = invocationOf(words);
    const { program = '', at = words.length } = invocation ?? {};
    const operands = words.slice(at + 1).filter((word) => !word.startsWith('-'));
    return { program, known: knownProgram(program), operands, redirections, all: words.slice(at + 1) };
  });
  const asked = new Set(
    runs.flatMap(({ known, operands, redirections }) => [
      ...(known?.looks === true ? operands : []),
      ...redirections.flatMap(({ sign, target }) => (sign === '<' && target !== undefined ? [target.text] : [])),
    ]),
  );
  for (const { program, known, operands, redirections, all } of runs) {
    if (sends(all, known)) return { effect: 'sends', what: program };
    const changes = known?.changes;
    const written = redirections.find((one) => writesFile(one) && !/>>/.test(one.sign))?.target?.text;
    // The status of `rm FILE` alone tells whether the file was there.
    const isAlone = changes === 'removes' && runs.length === 1;
    const file = operands.find((word) => isAlone || asked.has(word));
    if (changes !== undefined && file !== undefined) return { effect: changes, what: file };
    if (written !== undefined && asked.has(written)) return { effect: 'writes', what: written };
  }
  return undefined;
}

const CURL_BODY = /^(?:-[dFT]|--(?:data|data-\w+|form|form-string|upload-file|json))$/;
const WGET_BODY = /^--(?:post|body)-(?:data|file)$/;

/** True for a client of HTTP that sends a body, or another method than GET. */
function sends(words: readonly string[], known: Program | undefined): boolean {
  const { client } = known ?? {};
  if (client === undefined || client === NETCAT) return false;
  const names = optionsOf(words, client.letters).map(({ name = '', value }) => [name, value] as const);
  const method = names.find(([name]) => /^(?:-X|--request|--method)$/.test(name))?.[1];
  if (method !== undefined) return /^(?:POST|PUT|PATCH|DELETE)$/i.test(method);
  // With -G, the body becomes the query.
  if (client === CURL && names.some(([name]) => /^(?:-G|--get)$/.test(name))) return false;
  return names.some(([name]) => (client === CURL ? CURL_BODY : WGET_BODY).test(name));
}
