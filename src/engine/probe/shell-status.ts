import { CURL_VALUED, invocationOf, optionsOf, wordSet, type ShellInvocation } from './exec-invocation.ts';
import { programWords, type ShellScript, type ShellWord } from './shell-script.ts';

/**
 * Why the status of a script is always 0:
 * - `filter`: the last stage of a pipe is a filter: its status hides the status of the other stages;
 * - `fallback`: the command of last resort never fails: `|| true`;
 * - `constant`: the script ends in a command that never fails: `; exit 0`;
 * - `answer`: curl succeeds when the server answers with an error;
 * - `ping`: the client of Redis answers an error and succeeds;
 * - `itself`: `ps | grep NAME` finds its own process, because the name is among its words.
 */
export interface AlwaysTrue {
  readonly reason: 'filter' | 'fallback' | 'constant' | 'answer' | 'ping' | 'itself';
  readonly program: string;
}

/** The options of a shell that change the status of a script. */
type StatusOptions = Pick<ShellInvocation, 'isErrexit' | 'isPipefail'>;

/** Filters whose status is 0 whatever they read. Without input, jq has nothing to fail about. */
const FILTERS = wordSet('awk gawk mawk sed cut head tail tr tee cat wc sort uniq jq');
const NEVER_FAIL = wordSet('true : echo printf');
const REDIS_CLIENTS = wordSet('redis-cli valkey-cli keydb-cli');
/** Commands that may change everything that follows: options, functions, or the end of the script. */
const UNKNOWN_EFFECTS = wordSet('. source eval trap alias shopt');

/**
 * Tells why a script ends with status 0 whatever the application does. Undefined when the script may fail, and also
 * when nothing is known. The rules are those of POSIX, Shell Command Language, section 2.9. Everything that this reader
 * does not know may fail.
 */
export function alwaysTrue(script: ShellScript | undefined, options: StatusOptions): AlwaysTrue | undefined {
  const { commands = [] } = script ?? {};
  try {
    return new StatusReader(commands.flatMap(({ words, operator }) => [...words, operator])).list(options, '').status;
  } catch (error) {
    if (error instanceof UnknownConstruct) return undefined;
    throw error;
  }
}

/** A construct that the reader does not know, such as a function: nothing is known of the script. */
class UnknownConstruct extends Error {}

/** A word or an operator. */
type Token = ShellWord | string;

/** What is known of the status of a part of a script. */
interface Outcome {
  /** Why the status is 0. Undefined when the part may fail. */
  readonly status?: AlwaysTrue | undefined;
  /** True when a command in it may end the script with another status than 0, or change what follows. */
  readonly mayEnd: boolean;
  /** The words of a part that is one program with its words, else empty. */
  readonly words: readonly ShellWord[];
}

/** Groups in groups, at most. A deeper script is not read: no real probe needs so many. */
const DEEPEST = 20;

const COMPOUND_STARTS = wordSet('if for while until case select');
const COMPOUND_ENDS = wordSet('fi done esac');
/** Keywords behind which a command begins. */
const BEFORE_COMMAND = wordSet('then do else elif if while until ! {');
const OUT_OF_PLACE = wordSet('fi done esac then do else elif function');

/** Reads the commands of a script (POSIX, Shell Command Language, section 2.9), and works out their status. */
class StatusReader {
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  /** @param end the sign that ends the list; it is consumed */
  list(options: StatusOptions, end: ')' | '}' | ''): Outcome {
    let { isErrexit, isPipefail } = options;
    let last: AlwaysTrue | undefined;
    // A client that fails only when nothing listens, and then ends the script. The rest of the script decides, too.
    let gate: AlwaysTrue | undefined;
    let [mayEnd, isOver] = [false, false];
    for (;;) {
      while (this.#isOperator('\n') || this.#isOperator(';')) this.#at += 1;
      if (end === '}' ? this.#isKeyword(end) : this.#isOperator(end)) break;
      const entry = this.#andOr({ isErrexit, isPipefail });
      mayEnd ||= entry.mayEnd;
      const [program, ...words] = entry.words;
      if (isOver) continue;
      if (program?.text === 'set') {
        const texts = words.map(({ text }) => text);
        isPipefail ||= texts.includes('pipefail');
        isErrexit ||= texts.includes('errexit') || texts.some((text) => /^-[a-z]*e/.test(text));
        last = undefined;
        continue;
      }
      // `exec` ends the script with the status of its program.
      const isExec = program?.text === 'exec' && words.length > 0;
      last = isExec ? programStatus(words, false) : entry.status;
      isOver = isExec || program?.text === 'exit';
      if (isOver || (!isErrexit && !entry.mayEnd)) continue;
      if (last === undefined) isOver = true;
      else if (mayFail(last)) gate ??= last;
    }
    this.#at += 1;
    return { status: last && (gate ?? last), mayEnd, words: [] };
  }

  /** `a && b` fails when one fails, `a || b` only when `b` does. `|| exit 1` does not run behind a success. */
  #andOr({ isErrexit, isPipefail }: StatusOptions): Outcome {
    let { status, mayEnd, words } = this.#pipeline({ isErrexit, isPipefail });
    let isEnd = mayEnd;
    for (;;) {
      const operator = ['&&', '||'].find((text) => this.#skipOperator(text));
      if (operator === undefined) break;
      const next = this.#pipeline({ isErrexit: false, isPipefail });
      const isSkipped = operator === '||' && status !== undefined;
      isEnd ||= !isSkipped && next.mayEnd;
      mayEnd ||= next.mayEnd;
      words = [];
      if (operator === '&&') status = status && next.status;
      else if (next.status?.reason === 'constant') status = { ...next.status, reason: 'fallback' };
      else status = next.status ?? status;
    }
    const isBackground = this.#isOperator('&');
    if (isBackground || this.#isOperator(';') || this.#isOperator('\n')) this.#at += 1;
    else if (!this.#isOperator('') && !this.#isOperator(')')) throw new UnknownConstruct();
    return isEnd || isBackground ? { mayEnd, words: isBackground ? [] : words } : { status, mayEnd, words };
  }

  #pipeline(options: StatusOptions): Outcome {
    let isNegated = false;
    for (; this.#isKeyword('!') || this.#isKeyword('time'); this.#at++)
      if (this.#isKeyword('!')) isNegated = !isNegated;
    const stages: Outcome[] = [];
    do stages.push(this.#command(options, stages.length > 0));
    while (this.#skipOperator('|') || this.#skipOperator('|&'));
    const mayEnd = stages.some((stage) => stage.mayEnd);
    if (isNegated) return { mayEnd, words: [] };
    const words = stages.length === 1 ? (stages[0]?.words ?? []) : [];
    if (findsItself(stages)) return { status: { reason: 'itself', program: 'grep' }, mayEnd, words };
    const fails = options.isPipefail && stages.some(({ status }) => status === undefined);
    return { status: fails ? undefined : stages.at(-1)?.status, mayEnd, words };
  }

  #command(options: StatusOptions, isFed: boolean): Outcome {
    if (this.#isOperator('(')) return this.#group(options, ')');
    if (this.#isKeyword('{')) return this.#group(options, '}');
    const token = this.#tokens[this.#at];
    if (token === undefined || typeof token === 'string') throw new UnknownConstruct();
    if (!token.isQuoted && COMPOUND_STARTS.has(token.text)) return this.#compound();
    let end = this.#at;
    while (typeof this.#tokens[end] === 'object') end += 1;
    const words = programWords(this.#tokens.slice(this.#at, end) as readonly ShellWord[]);
    this.#at = end;
    // `name ()` defines a function.
    if (this.#isOperator('(') || (!token.isQuoted && OUT_OF_PLACE.has(token.text))) throw new UnknownConstruct();
    const mayEnd = mayEndWithFailure(words) || UNKNOWN_EFFECTS.has(words[0]?.text ?? '');
    return { status: programStatus(words, isFed), mayEnd, words };
  }

  #group(options: StatusOptions, end: ')' | '}'): Outcome {
    if (this.#depth === DEEPEST) throw new UnknownConstruct();
    this.#depth += 1;
    this.#at += 1;
    const outcome = this.list(options, end);
    this.#depth -= 1;
    return outcome;
  }

  /** Skips all of a compound command. Only the commands that end a script are looked for. */
  #compound(): Outcome {
    let depth = 0;
    let mayEnd = false;
    let beginsCommand = true;
    for (; this.#at < this.#tokens.length; this.#at++) {
      const token = this.#tokens[this.#at] ?? '';
      if (typeof token === 'string') beginsCommand = true;
      if (typeof token === 'string' || !beginsCommand) continue;
      if (COMPOUND_STARTS.has(token.text)) depth += 1;
      if (COMPOUND_ENDS.has(token.text)) depth -= 1;
      // Two words are enough to tell how a command ends the script.
      const words = this.#tokens.slice(this.#at, this.#at + 2).filter((word) => typeof word !== 'string');
      mayEnd ||= mayEndWithFailure(words);
      beginsCommand = BEFORE_COMMAND.has(token.text);
      if (depth > 0) continue;
      this.#at += 1;
      return { mayEnd, words: [] };
    }
    throw new UnknownConstruct();
  }

  /** Moves behind an operator, if it stands here. A line may break behind it. */
  #skipOperator(text: string): boolean {
    if (!this.#isOperator(text)) return false;
    this.#at += 1;
    while (this.#isOperator('\n')) this.#at += 1;
    return true;
  }

  #isOperator(text: string): boolean {
    return this.#tokens[this.#at] === text;
  }

  #isKeyword(text: string): boolean {
    const token = this.#tokens[this.#at];
    return typeof token === 'object' && !token.isQuoted && token.text === text;
  }
}

/** True for a client that still fails when nothing listens. */
const mayFail = ({ reason }: AlwaysTrue): boolean => reason === 'answer' || reason === 'ping';

/** True for the words of `exit`, `return` or `exec` that may end the script with another status than 0. */
function mayEndWithFailure([program, argument]: readonly ShellWord[]): boolean {
  if (program?.text === 'exec') return argument !== undefined;
  return (program?.text === 'exit' || program?.text === 'return') && argument?.text !== '0';
}

/** True for `ps` in front of `grep`, unless a pattern with brackets or `grep -v` leaves the own process out. */
function findsItself(stages: readonly Outcome[]): boolean {
  const [first = [], ...others] = stages.map(({ words }) =>
    words.every(({ isLiteral }) => isLiteral) ? words.map(({ text }) => text) : [],
  );
  if (first[0] !== 'ps' || others.length === 0 || first.slice(1).some((word) => /^-?[CpoO]/.test(word))) return false;
  return others.every(
    ([program, ...words]) =>
      program === 'grep' && words.length > 0 && !words.some((word) => /^-\w*[vxL]|[[^$]/.test(word)),
  );
}

function programStatus(words: readonly ShellWord[], isFed: boolean): AlwaysTrue | undefined {
  const texts = words.map(({ text }) => text);
  const invocation = invocationOf(texts);
  if (invocation === undefined || words[invocation.at]?.isLiteral !== true) return undefined;
  return statusOfProgram(invocation.program, texts.slice(invocation.at + 1), isFed);
}

/**
 * Tells why a program never fails.
 * @param operands the words behind the program
 * @param isFed true when the program reads the output of another program
 */
export function statusOfProgram(program: string, operands: readonly string[], isFed: boolean): AlwaysTrue | undefined {
  if (program === 'exit' || program === 'return')
    return operands[0] === '0' ? { reason: 'constant', program: `${program} 0` } : undefined;
  if (NEVER_FAIL.has(program)) return { reason: 'constant', program };
  if (isFed && FILTERS.has(program))
    return mayFilterFail(program, operands) ? undefined : { reason: 'filter', program };
  if (program === 'curl' && ignoresAnswer(operands)) return { reason: 'answer', program };
  return isUncheckedPing(program, operands) ? { reason: 'ping', program } : undefined;
}

/**
 * True for curl without -f, --fail or --fail-with-body: curl then succeeds for each answer of an HTTP server, also for
 * 500 (curl's manual page). A variable beside the URL may hold the option. Options in a file are unknown.
 */
function ignoresAnswer(operands: readonly string[]): boolean {
  const options = optionsOf(operands, CURL_VALUED);
  const urls = options.filter(({ name }) => name === undefined || name === '--url').map(({ value }) => value);
  if (urls.length === 0 || (urls.length > 1 && urls.some((url) => url.startsWith('$')))) return false;
  if (urls.some((url) => /^(?!https?:)[a-z]+:\/\//i.test(url))) return false;
  return !options.some(({ name = '' }) => /^(?:-[fKVh]|--(?:fail|fail-with-body|config|version|help))$/.test(name));
}

/** True for a filter that is told to fail, and for a filter that reads a file in place of the pipe. */
function mayFilterFail(program: string, operands: readonly string[]): boolean {
  const has = (pattern: RegExp): boolean => operands.some((operand) => pattern.test(operand));
  if (program.endsWith('awk')) return has(/exit|getline|close|system/);
  if (program === 'sed') return has(/[qQ]\s*[1-9]/);
  if (program === 'jq') return has(/^-[a-zA-Z]*e|^--exit-status|error|halt/);
  if (program === 'sort') return has(/^-[a-zA-Z]*[cC]|^--check/);
  return program === 'cat' && has(/^[^-]/);
}

/** A PING whose answer nobody reads: without `-e`, an error ends with status 0 (redis-cli --help). */
function isUncheckedPing(program: string, operands: readonly string[]): boolean {
  if (!REDIS_CLIENTS.has(program) || operands.includes('-e')) return false;
  return operands.at(-1)?.toLowerCase() === 'ping';
}
