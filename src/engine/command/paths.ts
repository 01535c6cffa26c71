import { assigned, jumpOf, resultsOf, goOn, withOptions, type Context } from './builtins.ts';
import { ControlFlow, DEEPEST, OUTERMOST, type ShellScriptRun } from './control-flow.ts';
import type { States } from './state.ts';
import { FAILED, NOTHING_KNOWN, succeeds, valueOf, withVariable, type State } from './state.ts';
import { resultOfTest, type TestResult } from './test-status.ts';
import { readScript, type Node, type SimpleCommand } from './script.ts';
import type { ExecCommand, ShellInvocation } from './words.ts';
import type { ShellWord } from './tokens.ts';

/** What a program with its words does, as far as the status of a script needs it. */
export interface ProgramRun {
  /** `free` for a program that asks: each call may succeed or fail. */
  readonly status: 'succeeds' | 'fails' | 'free';
  /** What `started` and `always` of the paths name it. None for a program that nobody asks about. */
  readonly labels: readonly string[];
  /** The script that it runs, with the options of its shell. */
  readonly script?: ShellScriptRun;
}

/** Tells what a program does. `node`: where its command stands. */
export type ProgramReader = (argv: readonly string[], isFed: boolean, node: SimpleCommand) => ProgramRun;

/** What may happen on the ways through a script. */
export interface Paths {
  /** `no` is a proof. `yes` needs a way whose decisions are all free. Else `unknown`. */
  readonly canSucceed: 'yes' | 'no' | 'unknown';
  readonly canFail: 'yes' | 'no' | 'unknown';
  /** The labels of programs that run on some way, or that may run. */
  readonly started: ReadonlySet<string>;
  /** Those that run on every way. */
  readonly always: ReadonlySet<string>;
  /** Those that run on every way that succeeds. */
  readonly alwaysBeforeSuccess: ReadonlySet<string>;
  /** True when a part of the script is beyond this reader: nothing is said of what runs. */
  readonly isOpaque: boolean;
}

/** Follows each way through a script (POSIX, Shell Command Language, sections 2.8 to 2.14). */
export function pathsOf(script: ShellScriptRun, read: ProgramReader): Paths {
  return new Walk(read).run(script);
}

/** The same for a command. Undefined without a script. */
export function pathsOfCommand({ argv, shell, tree }: ExecCommand, read: ProgramReader): Paths | undefined {
  const script = scriptIn(argv, shell);
  return script && pathsOf({ ...script, tree }, read);
}

/** The script that a command gives to a shell. */
export function scriptIn(argv: readonly string[], shell: ShellInvocation | undefined): ShellScriptRun | undefined {
  const text = shell?.scriptAt === undefined ? undefined : argv[shell.scriptAt];
  return shell && text !== undefined ? { text, isErrexit: shell.isErrexit, isPipefail: shell.isPipefail } : undefined;
}

/** Commands of a shell that may change what follows in ways that nobody here works out. */
const OPAQUE = new Set(['.', 'source', 'trap', 'alias', 'unalias', 'shopt']);
/** Builtins that end the script when their redirection fails. Names that are no words, such as `:`, are some, too. */
const SPECIAL = new Set(['break', 'continue', 'exec', 'exit', 'export', 'readonly', 'return', 'set', 'shift', 'unset']);
/** Programs that print nothing, or their own words. */
const SILENT = new Set(['echo', 'printf', 'true', 'false', ':', 'sleep']);
const ENDING = new Set(['exit', 'return', 'break', 'continue']);
const DECLARING = new Set(['export', 'readonly', 'local', 'declare', 'typeset']);

class Walk extends ControlFlow {
  /** Variables of functions. Their values are forgotten behind a call. */
  readonly #locals = new Set<string>();
  readonly #read: ProgramReader;
  readonly #labels = new Map<string, bigint>();
  constructor(read: ProgramReader) {
    super();
    this.#read = read;
  }

  run(script: ShellScriptRun): Paths {
    const start: State = { flow: 'next', status: '0', isErrexit: false, isPipefail: false, ...START };
    const ends = [...this.script(script, start, OUTERMOST)];
    const every = (states: readonly State[]): bigint => states.reduce((all, { ran }) => all & ran, this.#allLabels());
    const named = (bits: bigint): Set<string> =>
      new Set([...this.#labels].flatMap(([label, bit]) => ((bits & bit) === 0n ? [] : [label])));
    const can = (isMeant: (state: State) => boolean): 'yes' | 'no' | 'unknown' => {
      const meant = ends.filter(isMeant);
      if (this.isOpaque || ends.length === 0) return 'unknown';
      return meant.length === 0
        ? 'no'
        : meant.some(({ isSure, status }) => isSure && status !== undefined)
          ? 'yes'
          : 'unknown';
    };
    const canFail = can(({ status }) => succeeds(status) !== true);
    return {
      canSucceed: can(({ status }) => succeeds(status) !== false),
      canFail: canFail === 'no' && this.mayHang ? 'unknown' : canFail,
      started: new Set(this.#labels.keys()),
      always: this.isOpaque ? new Set() : named(every(ends)),
      alwaysBeforeSuccess: this.isOpaque
        ? new Set()
        : named(every(ends.filter(({ status }) => succeeds(status) !== false))),
      isOpaque: this.isOpaque,
    };
  }

  #allLabels(): bigint {
    return (1n << BigInt(this.#labels.size)) - 1n;
  }

  protected command(command: SimpleCommand, state: State, context: Context): States {
    const { assignments, words, redirections } = command;
    const name = words[0]?.isLiteral === true ? words[0].text : undefined;
    // A function or `exit` gets its words first.
    const run = (from: State): Iterable<State> => {
      if (words.length === 0) return [assigned(assignments, from, state.status)];
      const inner: State = { ...from, status: state.status };
      return name === undefined
        ? this.#program(words, inner, context, command)
        : this.#named(name, words, inner, context, command);
    };
    const base: State = words.length === 0 ? { ...state, status: '0' } : state;
    const ready = this.substituted([...assignments, ...words], base);
    const isSpecial = name === undefined || !/^[a-z]/.test(name) || SPECIAL.has(name);
    const ends = goOn(ready, (from) => this.redirected(redirections, from, run, isSpecial));
    const isUnset = state.isNounset && [...assignments, ...words].some((word) => mayBeUnset(word, state));
    if (isUnset) ends.add({ ...state, flow: 'exit', status: FAILED, isSure: false });
    return this.ending(ends, context);
  }

  #named(
    name: string,
    words: readonly ShellWord[],
    state: State,
    context: Context,
    node: SimpleCommand,
  ): Iterable<State> {
    const body = this.functions.get(name);
    if (body !== undefined) return this.#call(body, state, context);
    // A trap for a signal is no part of the way to the end.
    if (name === 'trap' && words.slice(2).every(isSignal) && words.length > 2) return [{ ...state, status: '0' }];
    if (OPAQUE.has(name)) return this.unknown(state);
    if (name === 'eval') return this.#evaluated(words.slice(1), state, context);
    const end = ENDING.has(name) ? jumpOf(name, words[1], state, context) : undefined;
    const set = name === 'set' ? withOptions(words.slice(1), state) : undefined;
    if (ENDING.has(name) || name === 'set') return end ?? set ?? this.unknown(state);
    if (name === 'test' || name === '[') {
      const operands = words
        .slice(1, name === '[' ? -1 : undefined)
        .map((word) => valueOf(word, state, this.isOutput(word)));
      return resultsOf(resultOfTest(operands), state);
    }
    if (name === '[[') return resultsOf(ofBrackets(words.slice(1, -1), state), state);
    if (name === 'exec' || name === 'command' || name === 'builtin') {
      const rest = words.slice(1);
      const [first] = rest;
      if (first === undefined) return [{ ...state, status: '0' }];
      if (name === 'command' && isOfShell(rest)) return [{ ...state, status: '0' }];
      if (first.text.startsWith('-')) return resultsOf('free', state);
      if (name === 'exec')
        return [...this.#program(rest, state, context, node)].map((end) => ({ ...end, flow: 'exit' as const }));
      return first.isLiteral
        ? this.#named(first.text, rest, state, context, node)
        : this.#program(rest, state, context, node);
    }
    if (DECLARING.has(name)) {
      if (name !== 'export') for (const { text } of words.slice(1)) this.#locals.add(text.split('=', 1)[0] ?? '');
      const values = words.slice(1).filter(({ text }) => /^\w+=/.test(text));
      return [{ ...assigned(values, state, state.status), status: '0' }];
    }
    if (name === 'unset' || name === 'read') {
      const changed = words.slice(1).reduce((one, { text }) => withVariable(one, text, undefined), state);
      return name === 'read' ? resultsOf('free', changed) : [{ ...changed, status: '0' }];
    }
    return this.#program(words, state, context, node);
  }

  /** `eval` runs its words as a part of the script. */
  #evaluated(words: readonly ShellWord[], state: State, context: Context): Iterable<State> {
    const tree = words.every(({ isLiteral }) => isLiteral)
      ? readScript(words.map(({ text }) => text).join(' '))
      : undefined;
    return tree === undefined ? this.unknown(state) : this.node(tree, state, context);
  }

  #call(body: Node, state: State, context: Context): Iterable<State> {
    if (++this.depth > DEEPEST) {
      this.depth -= 1;
      return this.unknown(state);
    }
    const ends = this.node(body, state, {
      ...context,
      loops: 0,
      isInLoop: context.isInLoop || context.loops > 0,
      isInFunction: true,
    });
    this.depth -= 1;
    return [...ends].map((end) => {
      const variables = new Map([...end.variables].filter(([name]) => !this.#locals.has(name)));
      return { ...end, variables, ...(end.flow === 'return' && { flow: 'next' as const }) };
    });
  }

  #program(words: readonly ShellWord[], state: State, context: Context, node: SimpleCommand): Iterable<State> {
    if (words[0]?.isLiteral !== true) return resultsOf('free', state);
    const { status, labels, script } = this.#read(
      words.map(({ text }) => text),
      context.isFed,
      node,
    );
    if (!SILENT.has(words[0].text)) this.programs += 1;
    const ran = labels.reduce((bits, label) => bits | this.#bitOf(label), state.ran);
    const after = { ...state, ran };
    if (script !== undefined) return this.script(script, after, context);
    return resultsOf(status === 'free' ? 'free' : status === 'succeeds', after);
  }

  #bitOf(label: string): bigint {
    const known = this.#labels.get(label);
    if (known !== undefined) return known;
    const bit = 1n << BigInt(this.#labels.size);
    this.#labels.set(label, bit);
    return bit;
  }
}

const START = { isNounset: false, variables: NOTHING_KNOWN, isSure: true, ran: 0n };

/** The result of `[[ ... ]]` without patterns, numbers in words and operators. */
function ofBrackets(words: readonly ShellWord[], state: State): TestResult {
  const isPlain = words.length <= 3 && words.every(({ text, isQuoted }) => isQuoted || /^[\w./=!-]*$/.test(text));
  const result = isPlain ? resultOfTest(words.map((word) => valueOf(word, state))) : 'free';
  return result === 'unknown' ? 'free' : result;
}

const isSignal = ({ text, isLiteral }: ShellWord): boolean =>
  isLiteral && /^(?:SIG)?(?:HUP|INT|QUIT|TERM|USR[12]|ALRM|[1-9]\d?)$/.test(text);

/** True for `command -v sh`: each image with a shell has it. */
function isOfShell([option, name, ...others]: readonly ShellWord[]): boolean {
  return option?.text === '-v' && name?.isLiteral === true && name.text === 'sh' && others.length === 0;
}

/** True for a word with a variable whose value is unknown. */
function mayBeUnset({ text, isLiteral }: ShellWord, state: State): boolean {
  if (isLiteral) return false;
  return [...text.matchAll(/\$\{?([A-Za-z_]\w*|\d)\}?/g)].some(([, name = '']) => !state.variables.has(name));
}
