import { FAILED, OUTPUT, States, valueOf, withVariable, type Flow, type State, type Value } from './state.ts';
import type { TestResult } from './test-status.ts';
import type { ShellRedirection, ShellWord } from './tokens.ts';

/** Where a command stands. */
export interface Context {
  /** In a condition, `set -e` does not end the script. */
  readonly isTested: boolean;
  /** Reads the output of another command. */
  readonly isFed: boolean;
  /** Loops around the command, in the same function. */
  readonly loops: number;
  /** In a subshell or a function with a loop around it. */
  readonly isInLoop: boolean;
  readonly isInFunction: boolean;
}

/** The states behind a command with this result. */
export function resultsOf(result: TestResult, state: State): readonly State[] {
  if (typeof result === 'boolean') return [{ ...state, status: result ? '0' : '1' }];
  const isSure = state.isSure && result === 'free';
  return [
    { ...state, status: '0', isSure },
    { ...state, status: FAILED, isSure },
  ];
}

/** Sets variables: `NAME=value`. */
export function assigned(words: readonly ShellWord[], from: State, status: Value): State {
  return words.reduce((state, { text, isLiteral }) => {
    const sign = text.indexOf('=');
    const name = text.slice(0, sign);
    const value = valueOf({ text: text.slice(sign + 1), isLiteral }, { ...state, status });
    return name.endsWith('+') ? withVariable(state, name.slice(0, -1), undefined) : withVariable(state, name, value);
  }, from);
}

/** Where the script goes on behind `exit`, `return`, `break` and `continue`. Undefined for an unknown operand. */
export function jumpOf(
  name: string,
  operand: ShellWord | undefined,
  state: State,
  { loops, isInFunction, isInLoop }: Context,
): readonly State[] | undefined {
  const value = operand === undefined ? undefined : valueOf(operand, state);
  if (name === 'exit' || name === 'return') {
    // Outside of a function, `return` ends the script.
    const flow = name === 'return' && isInFunction ? 'return' : 'exit';
    return [{ ...state, flow, ...(operand !== undefined && { status: exitStatus(value) }) }];
  }
  // Shells disagree on the loops around a subshell or a function.
  if (loops === 0) return isInLoop ? undefined : [{ ...state, status: '0' }];
  if (operand !== undefined && !(typeof value === 'string' && /^[1-9]\d?$/.test(value))) return undefined;
  const levels = Math.min(operand === undefined ? 1 : Number(value), loops);
  return [{ ...state, flow: `${name === 'break' ? 'break' : 'continue'} ${levels}`, status: '0' }];
}

function exitStatus(value: Value): Value {
  if (typeof value !== 'string') return value;
  return /^\d{1,9}$/.test(value) ? String(Number(value) % 256) : FAILED;
}

/** Where the script goes on outside of one loop. `break 0` leaves the loop. */
export function outOfLoop(end: State): State {
  const [name, levels = '0'] = end.flow.split(' ');
  const left = Number(levels) - 1;
  if (name === 'break') return { ...end, flow: `break ${left}` };
  if (name !== 'continue') return end;
  const flow: Flow = left === 0 ? 'next' : `continue ${left}`;
  return { ...end, flow };
}

/** The options of `set`. Undefined for `set -n`, which runs nothing more, and for words that are no literals. */
export function withOptions(words: readonly ShellWord[], state: State): readonly State[] | undefined {
  let { isErrexit, isPipefail, isNounset } = state;
  for (let at = 0; at < words.length; at++) {
    const { text = '', isLiteral = true } = words[at] ?? {};
    if (text === '--' || !/^[-+]/.test(text)) break;
    if (!isLiteral || /[nt]/.test(text)) return undefined;
    const isOn = text.startsWith('-');
    if (text.includes('e')) isErrexit = isOn;
    if (text.includes('u')) isNounset = isOn;
    if (!text.includes('o')) continue;
    const option = words[(at += 1)]?.text;
    if (option === 'errexit') isErrexit = isOn;
    if (option === 'pipefail') isPipefail = isOn;
    if (option === 'nounset') isNounset = isOn;
  }
  return [{ ...state, isErrexit, isPipefail, isNounset, status: '0' }];
}

/** Signs of a pattern that this reader does not know, or that would cost time. */
const HARD_PATTERN = /[[\\]|\*[^]*\*[^]*\*/;

/** True when a pattern of `case` matches a value, false when it does not. Undefined when nobody knows. */
export function matches({ text, isLiteral, isQuoted }: ShellWord, value: Value): boolean | undefined {
  if (text === '*' && !isQuoted) return true;
  if (!isLiteral || value === undefined || value === OUTPUT) return undefined;
  const hasSigns = /[*?[\\]/.test(text);
  if (value === FAILED) return text === '0' ? false : undefined;
  if (!hasSigns || (isQuoted && !/[*?]/.test(text))) return text === value;
  if (isQuoted || HARD_PATTERN.test(text)) return undefined;
  const pattern = text
    .replace(/[.+^${}()|\]\\]/g, String.raw`\$&`)
    .replaceAll('*', '[^]*')
    .replaceAll('?', '[^]');
  return new RegExp(`^${pattern}$`).test(value);
}

/** Files that always open: the null device, and the open files of the process itself. */
const ALWAYS_OPENS =
  /^(?:\/dev\/(?:null|stdin|stdout|stderr|fd\/[0-2])|\/proc\/(?:self|\$\$|1)\/fd\/[0-2]|\d+|-|[<>]\(.*)$/s;

/** True for a redirection whose file may not open: it is missing, its folder is read-only, or it is a connection. */
export function mayFailToOpen({ sign, target }: ShellRedirection): boolean {
  return !/^<<-?$|^<<<$/.test(sign) && !ALWAYS_OPENS.test(target?.text ?? '');
}

/** Goes on behind each end that is not an end of the script, a function or a loop. */
export function goOn(ends: Iterable<State>, go: (end: State) => Iterable<State>, isForAll = false): States {
  const all = new States();
  for (const end of ends) {
    if (end.flow === 'next' || isForAll) all.addAll(go(end));
    else all.add(end);
  }
  return all;
}
