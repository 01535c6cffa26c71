import { invocationOf, wordSet, type ShellInvocation } from './exec-invocation.ts';
import { findsItself, statusOfProgram, type AlwaysTrue } from './program-status.ts';
import { programWords, type ShellCommand, type ShellScript, type ShellWord } from './shell-script.ts';

/** The options of a shell that change the status of a script. */
type StatusOptions = Pick<ShellInvocation, 'isErrexit' | 'isPipefail'>;

/** A word, or a sign: an operator or a keyword of the shell. */
interface Token {
  readonly sign: string;
  readonly word?: ShellWord;
  /** Groups and compound commands around the token. */
  readonly depth: number;
}

/** Groups in groups, at most. A deeper script is not read: no real probe needs so many. */
export const DEEPEST_GROUP = 20;
const OPENING = wordSet('( { if for while until');
const CLOSING = wordSet(') } fi done');
const KEYWORDS = wordSet('{ } if for while until fi done then do else elif !');
const JOINING = wordSet('&& || | |&');
/** Commands that may change everything that follows, and constructs whose status nobody here works out. */
const UNKNOWN = wordSet('. source eval trap alias shopt case select function');

/**
 * Tells why a script ends with status 0 whatever the application does. Undefined when the script may fail, and also
 * when nothing is known, such as with a function. The last command decides (POSIX, Shell Command Language, 2.9).
 */
export function alwaysTrue(script: ShellScript | undefined, options: StatusOptions): AlwaysTrue | undefined {
  const tokens = tokensOf(script?.commands ?? []);
  return tokens && listStatus(tokens, options);
}

/** Undefined for a script with an unknown construct, or with brackets that do not match. */
function tokensOf(commands: readonly ShellCommand[]): Token[] | undefined {
  const tokens: Token[] = [];
  let depth = 0;
  const add = (sign: string, word?: ShellWord): void => {
    if (CLOSING.has(sign)) depth -= 1;
    tokens.push({ sign, depth, ...(word !== undefined && { word }) });
    if (OPENING.has(sign)) depth += 1;
  };
  for (const { words, operator } of commands) {
    const isKeyword = ({ text, isQuoted }: ShellWord): boolean => !isQuoted && KEYWORDS.has(text);
    const start = words.findIndex((word) => !isKeyword(word));
    for (const [at, word] of words.entries())
      if (start < 0 || at < start) add(word.text);
      else add('', word);
    // `name (` defines a function.
    if (UNKNOWN.has(words[start]?.text ?? '') || (operator === '(' && start >= 0)) return undefined;
    const isJoined = operator === '\n' && JOINING.has(tokens.at(-1)?.sign ?? '');
    if (/^(?:&|;.+)$/.test(operator)) return undefined;
    if (operator !== '' && !isJoined) add(operator);
    if (depth < 0 || depth > DEEPEST_GROUP) return undefined;
  }
  return depth === 0 ? tokens : undefined;
}

/** Cuts at the signs outside of groups. Each part but the first has the sign in front of it. */
function split(tokens: readonly Token[], ...signs: string[]): { readonly sign: string; readonly part: Token[] }[] {
  const parts = [{ sign: '', part: [] as Token[] }];
  const depth = tokens[0]?.depth;
  for (const token of tokens)
    if (token.depth === depth && signs.includes(token.sign)) parts.push({ sign: token.sign, part: [] });
    else parts.at(-1)?.part.push(token);
  return parts.filter(({ part }) => part.length > 0);
}

function listStatus(tokens: readonly Token[], options: StatusOptions): AlwaysTrue | undefined {
  let { isErrexit, isPipefail } = options;
  let last: AlwaysTrue | undefined;
  // A client that fails only when nothing listens, and then ends the script. The rest of the script decides, too.
  let gate: AlwaysTrue | undefined;
  for (const { part } of split(tokens, ';', '\n')) {
    const words = wordsOf(part);
    const [program, ...others] = words.map(({ text }) => text);
    if (program === 'set') {
      isPipefail ||= others.includes('pipefail');
      isErrexit ||= others.includes('errexit') || others.some((text) => /^-[a-z]*e/.test(text));
      last = undefined;
      continue;
    }
    // `exec` ends the script with the status of its program.
    const isExec = program === 'exec' && others.length > 0;
    last = isExec ? programStatus(words.slice(1), false) : andOrStatus(part, { isErrexit, isPipefail });
    if (isExec || program === 'exit') break;
    if (!isErrexit && !mayEnd(part)) continue;
    if (last === undefined) return undefined;
    if (last.reason === 'answer' || last.reason === 'ping') gate ??= last;
  }
  return last && (gate ?? last);
}

/** `a && b` fails when one fails, `a || b` only when `b` does. `|| exit 1` does not run behind a success. */
function andOrStatus(tokens: readonly Token[], options: StatusOptions): AlwaysTrue | undefined {
  let status: AlwaysTrue | undefined;
  for (const { sign, part } of split(tokens, '&&', '||')) {
    if (mayEnd(part) && !(sign === '||' && status !== undefined)) return undefined;
    const next = pipeStatus(part, options);
    if (sign === '&&') status &&= next;
    else status = sign === '||' && next?.reason === 'constant' ? { ...next, reason: 'fallback' } : (next ?? status);
  }
  return status;
}

function pipeStatus(tokens: readonly Token[], options: StatusOptions): AlwaysTrue | undefined {
  if (tokens[0]?.sign === '!') return undefined;
  const stages = split(tokens, '|', '|&').map(({ part }) => part);
  const isLiteral = (words: readonly ShellWord[]): boolean => words.every((word) => word.isLiteral);
  const words = stages.map(wordsOf).map((stage) => (isLiteral(stage) ? stage.map(({ text }) => text) : []));
  if (findsItself(words)) return { reason: 'itself', program: 'grep' };
  const statuses = stages.map((stage, at) => {
    const sign = stage[0]?.sign ?? '';
    if (sign === '(' || sign === '{') return listStatus(stage.slice(1, -1), options);
    return programStatus(wordsOf(stage), at > 0);
  });
  return options.isPipefail && statuses.includes(undefined) ? undefined : statuses.at(-1);
}

/** The words of a part that is one program with its words, else none. */
function wordsOf(tokens: readonly Token[]): readonly ShellWord[] {
  const words = tokens.flatMap(({ word }) => word ?? []);
  return words.length === tokens.length ? programWords(words) : [];
}

/** True if `exit`, `return` or `exec` may end the script here with another status than 0. */
function mayEnd(tokens: readonly Token[]): boolean {
  return tokens.some(({ word }, at) => {
    if (tokens[at - 1]?.word !== undefined) return false;
    const argument = tokens[at + 1]?.word?.text;
    if (word?.text === 'exec') return argument !== undefined;
    return (word?.text === 'exit' || word?.text === 'return') && argument !== '0';
  });
}

function programStatus(words: readonly ShellWord[], isFed: boolean): AlwaysTrue | undefined {
  const texts = words.map(({ text }) => text);
  const invocation = invocationOf(texts);
  if (invocation === undefined || words[invocation.at]?.isLiteral !== true) return undefined;
  return statusOfProgram(invocation.program, texts.slice(invocation.at + 1), isFed);
}
