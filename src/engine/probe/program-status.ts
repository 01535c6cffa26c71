import { CURL_VALUED, optionsOf, wordSet } from './exec-invocation.ts';

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

/** Filters whose status is 0 whatever they read. Without input, jq has nothing to fail about. */
const FILTERS = wordSet('awk gawk mawk sed cut head tail tr tee cat wc sort uniq jq');
const NEVER_FAIL = wordSet('true : echo printf');
const REDIS_CLIENTS = wordSet('redis-cli valkey-cli keydb-cli');

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
  return REDIS_CLIENTS.has(program) && !operands.includes('-e') && operands.at(-1)?.toLowerCase() === 'ping';
}

/**
 * True for `ps` in front of `grep`, unless a pattern with brackets or `grep -v` leaves the own process out.
 * @param stages the words of each stage of a pipe; none of a stage with a variable
 */
export function findsItself([first = [], ...others]: readonly (readonly string[])[]): boolean {
  if (first[0] !== 'ps' || others.length === 0 || first.slice(1).some((word) => /^-?[CpoO]/.test(word))) return false;
  return others.every(
    ([program, ...words]) =>
      program === 'grep' && words.length > 0 && !words.some((word) => /^-\w*[vxL]|[[^$]/.test(word)),
  );
}
