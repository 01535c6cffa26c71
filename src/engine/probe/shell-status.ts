import { wordSet } from './acting-words.ts';
import { mayEndWithFailure, type AndOrList, type Pipeline, type ShellCommand, type ShellList } from './shell-script.ts';
import { CURL_VALUED, optionsOf, invocationOf } from './exec-invocation.ts';
import type { ShellWord } from './shell-tokens.ts';

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
export interface StatusOptions {
  readonly isErrexit: boolean;
  readonly isPipefail: boolean;
}

/** Filters whose status is 0 whatever they read. */
const FILTERS: ReadonlySet<string> = new Set([
  ...['awk', 'gawk', 'mawk', 'sed', 'cut', 'head', 'tail', 'tr', 'tee', 'cat', 'wc', 'sort', 'uniq'],
  // Without input, jq has nothing to fail about.
  'jq',
]);
const NEVER_FAIL: ReadonlySet<string> = new Set(['true', ':', 'echo', 'printf']);
const REDIS_CLIENTS: ReadonlySet<string> = new Set(['redis-cli', 'valkey-cli', 'keydb-cli']);
/** Commands that may change everything that follows: options, functions, or the end of the script. */
const UNKNOWN_EFFECTS: ReadonlySet<string> = wordSet('. source eval trap alias shopt');

/**
 * Tells why a script ends with status 0 whatever the application does. Undefined when the script may fail, and also
 * when nothing is known. The rules are those of POSIX, Shell Command Language, section 2.9. Everything that this reader
 * does not know may fail.
 */
export function alwaysTrue(list: ShellList, options: StatusOptions): AlwaysTrue | undefined {
  let { isErrexit, isPipefail } = options;
  let last: AlwaysTrue | undefined;
  // A client that fails only when nothing listens, and then ends the script. The rest of the script decides, too.
  let gate: AlwaysTrue | undefined;
  for (const entry of list) {
    const words = onlyCommand(entry);
    const program = words?.[0]?.text;
    if (words !== undefined && program === 'set') {
      const texts = words.map(({ text }) => text);
      isPipefail ||= texts.includes('pipefail');
      isErrexit ||= texts.includes('errexit') || texts.some((text) => /^-[a-z]*e/.test(text));
      last = undefined;
      continue;
    }
    // `exec` ends the script with the status of its program.
    const isExec = words !== undefined && program === 'exec' && words.length > 1;
    last = isExec ? programStatus(words.slice(1), false) : statusOf(entry, isPipefail, { isErrexit, isPipefail });
    if (isExec || program === 'exit') break;
    if (!isErrexit && !mayEnd(entry)) continue;
    if (last === undefined) return undefined;
    if (mayFail(last)) gate ??= last;
  }
  return last && (gate ?? last);
}

/** True for a client that still fails when nothing listens. */
const mayFail = ({ reason }: AlwaysTrue): boolean => reason === 'answer' || reason === 'ping';

function onlyCommand({ first, rest, isBackground }: AndOrList): readonly ShellWord[] | undefined {
  const [command] = first.stages;
  const isPlain = rest.length === 0 && first.stages.length === 1 && !first.isNegated && !isBackground;
  return isPlain && command?.kind === 'simple' ? command.words : undefined;
}

/** True when a command of the entry may end the script with another status than 0, or change what follows. */
function mayEnd({ first, rest }: AndOrList): boolean {
  return [first, ...rest.map(({ pipeline }) => pipeline)].some(({ stages }) => stages.some(commandMayEnd));
}

function commandMayEnd(command: ShellCommand): boolean {
  if (command.kind === 'compound') return command.mayExit;
  if (command.kind === 'group') return command.list.some(mayEnd);
  return mayEndWithFailure(command.words) || UNKNOWN_EFFECTS.has(command.words[0]?.text ?? '');
}

/** `a && b` fails when one fails, `a || b` only when `b` does. `|| exit 1` does not run behind a success. */
function statusOf(entry: AndOrList, isPipefail: boolean, options: StatusOptions): AlwaysTrue | undefined {
  if (entry.isBackground) return undefined;
  let status = pipelineStatus(entry.first, options);
  let isEnd = entry.first.stages.some(commandMayEnd);
  for (const { operator, pipeline } of entry.rest) {
    const next = pipelineStatus(pipeline, { isErrexit: false, isPipefail });
    const isSkipped = operator === '||' && status !== undefined;
    isEnd ||= !isSkipped && pipeline.stages.some(commandMayEnd);
    if (operator === '&&') status = status && next;
    else if (next !== undefined) status = next.reason === 'constant' ? { ...next, reason: 'fallback' } : next;
  }
  return isEnd ? undefined : status;
}

function pipelineStatus({ isNegated, stages }: Pipeline, options: StatusOptions): AlwaysTrue | undefined {
  if (isNegated) return undefined;
  const statuses = stages.map((stage, index) => commandStatus(stage, index > 0, options));
  if (findsItself(stages)) return { reason: 'itself', program: 'grep' };
  if (options.isPipefail && statuses.includes(undefined)) return undefined;
  return statuses.at(-1);
}

/** True for `ps` in front of `grep`, unless a pattern with brackets or `grep -v` leaves the own process out. */
function findsItself(stages: readonly ShellCommand[]): boolean {
  const [first = [], ...others] = stages.map((stage) =>
    stage.kind === 'simple' && stage.words.every(({ isLiteral }) => isLiteral)
      ? stage.words.map(({ text }) => text)
      : [],
  );
  if (first[0] !== 'ps' || others.length === 0 || first.slice(1).some((word) => /^-?[CpoO]/.test(word))) return false;
  return others.every(
    ([program, ...words]) =>
      program === 'grep' && words.length > 0 && !words.some((word) => /^-\w*[vxL]|[[^$]/.test(word)),
  );
}

function commandStatus(command: ShellCommand, isFed: boolean, options: StatusOptions): AlwaysTrue | undefined {
  if (command.kind === 'compound') return undefined;
  if (command.kind === 'group') return alwaysTrue(command.list, options);
  return programStatus(command.words, isFed);
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
