/** What is known of a status or a word: its text, a status other than 0, what a program printed, or nothing. */
export type Value = string | typeof FAILED | typeof OUTPUT | undefined;

/** A status other than 0. */
export const FAILED = Symbol('failed');
/** What a program printed: any text is possible. A variable never has it, because its uses belong together. */
export const OUTPUT = Symbol('output');

/** Where a script goes on: with the next command, or at the end of the script, of a function or of a loop. */
export type Flow = 'next' | 'exit' | 'return' | `break ${number}` | `continue ${number}`;

/** A point of a script that may be reached, with what is known there. */
export interface State {
  readonly flow: Flow;
  readonly status: Value;
  /** With `set -e`, a command that fails ends the script. */
  readonly isErrexit: boolean;
  readonly isPipefail: boolean;
  /** With `set -u`, a variable without a value ends the script. */
  readonly isNounset: boolean;
  /** Only variables with a known value. */
  readonly variables: ReadonlyMap<string, Value>;
  /** True when each decision on the way was a free answer of a program, so that the way can surely be taken. */
  readonly isSure: boolean;
  /** The commands that ran on every way to this point: a bit for each. */
  readonly ran: bigint;
}

/** More states at one point are joined: the values of variables are forgotten. */
const MOST_STATES = 48;

/** Points of a script; those that differ only in what ran are one. */
export class States {
  #states = new Map<string, State>();

  constructor(states: Iterable<State> = []) {
    this.addAll(states);
  }

  [Symbol.iterator](): Iterator<State> {
    return this.#states.values();
  }

  get size(): number {
    return this.#states.size;
  }

  addAll(states: Iterable<State>): void {
    for (const state of states) this.add(state);
  }

  /** Returns false for a point that is known already, with no more commands that ran. */
  add(state: State): boolean {
    const isNew = this.#join(state);
    if (this.#states.size <= MOST_STATES) return isNew;
    const all = [...this.#states.values()];
    this.#states = new Map();
    for (const one of all) this.#join({ ...one, variables: NOTHING_KNOWN });
    return isNew;
  }

  #join(state: State): boolean {
    const key = keyOf(state);
    const known = this.#states.get(key);
    if (known === undefined) this.#states.set(key, state);
    else {
      const ran = known.ran & state.ran;
      if (ran === known.ran) return false;
      this.#states.set(key, { ...known, ran });
    }
    return true;
  }

  has(state: State): boolean {
    return this.#states.has(keyOf(state));
  }
}

export const NOTHING_KNOWN: ReadonlyMap<string, Value> = new Map();

const textOf = (value: Value): string => (typeof value === 'string' ? `=${value}` : value === FAILED ? '!' : '?');

function keyOf({ flow, status, isErrexit, isPipefail, isNounset, variables, isSure }: State): string {
  const head = `${flow} ${textOf(status)} ${[isErrexit, isPipefail, isNounset, isSure].map(Number).join('')}`;
  if (variables.size === 0) return head;
  const values = [...variables].map(([name, value]) => `${name}${textOf(value)}`).sort();
  return [head, ...values].join('\0');
}

/** True for a status of 0, false for another one. Undefined for an unknown status. */
export function succeeds(status: Value): boolean | undefined {
  return status === undefined ? undefined : status === '0';
}

/** More variables are unknown. */
const MOST_VARIABLES = 12;

export function withVariable(state: State, name: string, value: Value): State {
  const variables = new Map(state.variables);
  if (value === undefined || value === OUTPUT) variables.delete(name);
  else if (variables.has(name) || variables.size < MOST_VARIABLES) variables.set(name, value);
  return { ...state, variables };
}

/** Longest value of a variable that is kept. */
const LONGEST_VALUE = 100;

/** A sum such as `$((n + 1))`. */
const SUM = /^\$\(\(\s*\$?(?:([A-Za-z_]\w*)|(\d{1,9}))\s*([+-])\s*(\d{1,9})\s*\)\)$/;

/**
 * The text that a word becomes. Undefined when a part of it is unknown.
 * @param isOutput true when the commands in the word print what a program says
 */
export function valueOf(
  word: { readonly text: string; readonly isLiteral: boolean },
  state: State,
  isOutput = false,
): Value {
  const { text } = word;
  if (text.length > LONGEST_VALUE) return undefined;
  if (word.isLiteral) return text;
  if (text === '$?' || text === '${?}') return state.status;
  if (isOutput && /^(?:\$\([^(]|`)/.test(text)) return OUTPUT;
  const name = /^\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})$/.exec(text);
  if (name !== null) return state.variables.get(name[1] ?? name[2] ?? '');
  const sum = SUM.exec(text);
  if (sum === null) return undefined;
  const first = sum[1] === undefined ? sum[2] : state.variables.get(sum[1]);
  if (typeof first !== 'string' || !/^-?\d{1,9}$/.test(first)) return undefined;
  return String(Number(first) + Number(`${sum[3] ?? ''}${sum[4] ?? ''}`));
}
