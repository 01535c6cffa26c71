import { matches, mayFailToOpen, goOn, type Context } from './builtins.ts';
import { forLoop, whileLoop, type LoopWalk } from './loops.ts';
import { readScript, type Branch, type List, type Node, type SimpleCommand } from './script.ts';
import { FAILED, NOTHING_KNOWN, OUTPUT, States, succeeds, valueOf, type State, type Value } from './state.ts';
import type { ShellRedirection, ShellWord } from './tokens.ts';

/** A script that a shell runs. */
export interface ShellScriptRun {
  readonly text: string;
  readonly isErrexit: boolean;
  readonly isPipefail: boolean;
  /** The tree of the text, if somebody has read it. */
  readonly tree?: List | undefined;
}

/** Functions in functions and scripts in scripts. */
export const DEEPEST = 20;
/** Nodes that are followed, in all turns of loops. More is unknown. */
const MOST_STEPS = 4000;
/** Nodes in nodes that are followed. */
const MOST_LEVELS = 250;

export const OUTERMOST: Context = { isTested: false, isFed: false, loops: 0, isInLoop: false, isInFunction: false };

/** Follows lists, pipes, branches and functions. What a single command does is told by who extends it. */
export abstract class ControlFlow implements LoopWalk {
  depth = 0;
  #level = 0;
  #steps = 0;
  mayHang = false;
  protected functions = new Map<string, Node>();
  /** True when something decides that this walk does not know. */
  protected isOpaque = false;
  /** Programs that ran, other than those that print their own words. */
  protected programs = 0;
  /** Definitions outside of branches and loops. */
  readonly #definable = new Set<Node>();
  readonly #scripts = new Map<string, List | undefined>();
  /** The substitutions that print what a program says. */
  readonly #printing = new Set<string>();

  get isTired(): boolean {
    return this.#steps > MOST_STEPS;
  }

  protected abstract command(command: SimpleCommand, state: State, context: Context): States;

  /** Follows a script in a process of its own. */
  protected script(
    { text, isErrexit, isPipefail, tree: known }: ShellScriptRun,
    from: State,
    context: Context,
    isNew = true,
  ): States {
    if (!this.#scripts.has(text)) this.#scripts.set(text, known ?? readScript(text));
    const tree = this.#scripts.get(text);
    if (tree === undefined) return this.unknown(from);
    // A new shell knows no function and no variable of this one.
    const functions = this.functions;
    this.functions = new Map(isNew ? [] : functions);
    for (const { node } of tree.items) if (node.type === 'function') this.#definable.add(node);
    const start = { ...from, isErrexit, isPipefail, ...(isNew && { status: '0', variables: NOTHING_KNOWN }) };
    const ends = this.subshell(tree, start, { ...context, isTested: false }, from);
    this.functions = functions;
    return ends;
  }

  /** Both results, and nothing is known of what happened. */
  unknown(state: State): States {
    this.isOpaque = true;
    return new States([{ ...state, status: undefined, isSure: false }]);
  }

  /** Follows a node in a process of its own: what it sets and ends is its own. */
  protected subshell(node: Node, state: State, context: Context, before = state): States {
    const ends = new States();
    if (++this.depth > DEEPEST) ends.addAll(this.unknown(before));
    else
      for (const { status, isSure, ran } of this.node(node, state, {
        ...context,
        loops: 0,
        isInLoop: context.isInLoop || context.loops > 0,
        isInFunction: false,
      }))
        ends.add({ ...before, status, isSure, ran });
    this.depth -= 1;
    return ends;
  }

  /** Follows a node. Beyond a number of levels, nothing is known: a hostile script must not exhaust the stack. */
  node(node: Node, state: State, context: Context): States {
    this.#steps += 1;
    if (this.isTired || this.#level >= MOST_LEVELS) return this.unknown(state);
    this.#level += 1;
    const ends = this.#follow(node, state, context);
    this.#level -= 1;
    return ends;
  }

  #follow(node: Node, state: State, context: Context): States {
    switch (node.type) {
      case 'command':
        return this.command(node, state, context);
      case 'list':
        return this.#list(node, state, context);
      case 'and':
      case 'or':
        return goOn(this.node(node.left, state, { ...context, isTested: true }), (left) =>
          this.decide(left, (isOk) =>
            isOk === (node.type === 'and') ? this.node(node.right, left, context) : undefined,
          ),
        );
      case 'not':
        return goOn(this.node(node.node, state, { ...context, isTested: true }), (end) => [
          { ...end, status: negated(end.status) },
        ]);
      case 'pipe':
        return this.ending(this.#pipe(node.stages, state, context), context);
      case 'if':
        return goOn(this.node(node.condition, state, { ...context, isTested: true }), (end) =>
          this.decide(end, (isOk) => {
            if (isOk) return this.node(node.yes, end, context);
            return node.no === undefined ? [{ ...end, status: '0' }] : this.node(node.no, end, context);
          }),
        );
      case 'while':
      case 'until':
        return whileLoop(this, node, state, context);
      case 'for':
        return forLoop(this, node, state, context);
      case 'case':
        return this.#case(node.subject, node.branches, state, context);
      case 'group':
        return this.redirected(node.redirections, state, (from) => this.node(node.body, from, context));
      case 'subshell':
        return this.redirected(node.redirections, state, (from) =>
          this.ending(this.subshell(node.body, from, context), context),
        );
      case 'function':
        return this.#define(node, state);
    }
  }

  /** Goes on by the status. A status that is not known may be both. Without an answer, the state stays. */
  decide(state: State, go: (isOk: boolean) => Iterable<State> | undefined): Iterable<State> {
    const isOk = succeeds(state.status);
    if (isOk !== undefined) return go(isOk) ?? [state];
    return [...(go(true) ?? [state]), ...(go(false) ?? [state])].map((end) => ({ ...end, isSure: false }));
  }

  #list({ items }: List, state: State, context: Context): States {
    const ends = new States();
    let current = new States([state]);
    for (const { node, isBackground } of items) {
      const next = new States();
      for (const one of current)
        for (const end of isBackground ? this.#background(node, one, context) : this.node(node, one, context))
          (end.flow === 'next' ? next : ends).add(end);
      current = next;
    }
    ends.addAll(current);
    return ends;
  }

  /** What runs beside the script decides nothing. */
  #background(node: Node, state: State, context: Context): State[] {
    const ends = this.subshell(node, state, { ...context, isTested: false }, state);
    return [...ends].map((end) => ({ ...end, status: '0', ran: state.ran }));
  }

  /** With `set -e`, a command that fails ends the script here. */
  protected ending(ends: States, { isTested }: Context): States {
    if (isTested || ![...ends].some(({ isErrexit, flow }) => isErrexit && flow === 'next')) return ends;
    return goOn(ends, (end) => {
      const isOk = succeeds(end.status);
      if (!end.isErrexit || isOk === true) return [end];
      const exit: State = { ...end, flow: 'exit' };
      return isOk === false ? [exit] : [exit, { ...end, isSure: false }];
    });
  }

  #pipe(stages: readonly Node[], state: State, context: Context): States {
    let ends = new States([state]);
    for (const [at, stage] of stages.entries()) {
      const isLast = at === stages.length - 1;
      ends = goOn(ends, (before) =>
        [...this.subshell(stage, before, { ...context, isFed: context.isFed || at > 0 }, before)].map((end) => {
          // With pipefail, a stage that failed is not forgotten.
          const isKept = state.isPipefail && at > 0 && succeeds(before.status) !== true;
          const status = isKept && succeeds(end.status) !== false ? before.status : end.status;
          return isLast || state.isPipefail ? { ...end, status } : { ...end, status: state.status };
        }),
      );
    }
    return ends;
  }

  /** Runs a command behind its redirections: a file that is read may be missing. */
  protected redirected(
    redirections: readonly ShellRedirection[],
    state: State,
    run: (state: State) => Iterable<State>,
    isSpecial = false,
  ): States {
    if (redirections.length === 0) return new States(run(state));
    const words = redirections.flatMap(({ target }) => target ?? []);
    const documents = redirections.flatMap(({ document }) => document?.substitutions ?? []);
    const opened = this.substituted(words, state, documents);
    const ends = goOn(opened, (from) => run({ ...from, status: state.status }));
    if (!redirections.some(mayFailToOpen)) return ends;
    for (const from of opened) {
      ends.add({ ...from, status: FAILED });
      // Behind some builtins, a missing file ends the script (POSIX, 2.8.1).
      if (isSpecial) ends.add({ ...from, status: FAILED, flow: 'exit', isSure: false });
    }
    return ends;
  }

  /** Runs the commands in `$(...)`. The status is that of the last one. */
  substituted(words: readonly ShellWord[], state: State, more: readonly string[] = []): States {
    let ends = new States([state]);
    for (const word of words)
      for (const text of word.substitutions ?? []) {
        // With ${NAME:-$(...)} the command may not run.
        const mayBeSkipped = word.text.includes('${');
        ends = goOn(ends, (from) => {
          const after = [...this.#substitution(text, from)];
          return mayBeSkipped ? [...after, from].map((end) => ({ ...end, isSure: false })) : after;
        });
      }
    for (const text of more) ends = goOn(ends, (from) => this.#substitution(text, from));
    return ends;
  }

  /** For `case` and `for`. Behind their words, `$?` is that of a substitution in bash, and the one before in dash. */
  expanded(words: readonly ShellWord[], state: State): States {
    return goOn(this.substituted(words, state), (end) => [
      end.status === state.status ? end : { ...end, status: undefined },
    ]);
  }

  /** True for a word with the output of a program whose answer is not known. */
  protected isOutput({ substitutions = [] }: ShellWord): boolean {
    return substitutions.some((text) => this.#printing.has(text));
  }

  #substitution(text: string, from: State): Iterable<State> {
    // In $((...)) no word is a program.
    if (/^\(.*\)$/s.test(text)) return [from];
    const before = this.programs;
    const run = (isErrexit: boolean): States => {
      const ends = this.script({ text, isErrexit, isPipefail: from.isPipefail }, from, OUTERMOST, false);
      if (this.programs > before) this.#printing.add(text);
      return ends;
    };
    if (!from.isErrexit) return run(false);
    // bash turns `-e` off there, other shells do not.
    const [strict, lax] = [run(true), run(false)];
    const isEqual = strict.size === lax.size && [...strict].every((end) => lax.has(end));
    return isEqual ? strict : [...strict, ...lax].map((end) => ({ ...end, isSure: false }));
  }

  #define(node: Extract<Node, { type: 'function' }>, state: State): States {
    const { name, body } = node;
    // A function that is defined twice, or in a branch, is not followed.
    const isOther = this.functions.has(name) && this.functions.get(name) !== body;
    if (isOther || !this.#definable.has(node)) return this.unknown(state);
    this.functions.set(name, body);
    return new States([{ ...state, status: '0' }]);
  }

  #case(subject: ShellWord, branches: readonly Branch[], state: State, context: Context): States {
    return goOn(this.expanded([subject], state), (from) => {
      const value = valueOf(subject, from, this.isOutput(subject));
      const ends = new States();
      const enter = (at: number, isSure: boolean): void => {
        const branch = branches[at];
        if (branch === undefined) return;
        const start = { ...from, isSure: from.isSure && isSure };
        const empty = branch.body.type === 'list' && branch.body.items.length === 0;
        for (const end of empty ? [{ ...start, status: '0' }] : this.node(branch.body, start, context)) {
          if (end.flow === 'next' && branch.end !== ';;') this.isOpaque = true;
          ends.add(end);
        }
      };
      let isSure = true;
      for (const [at, { patterns }] of branches.entries()) {
        const results = patterns.map((pattern) => matches(pattern, value));
        if (results.includes(true)) {
          enter(at, isSure);
          return ends;
        }
        if (!results.includes(undefined)) continue;
        // A program may print each of the patterns, or none.
        const isFree = value === OUTPUT && patterns.every(({ isLiteral }) => isLiteral);
        enter(at, isSure && isFree);
        isSure &&= isFree;
      }
      ends.add({ ...from, status: '0', isSure: from.isSure && isSure });
      return ends;
    });
  }
}

function negated(status: Value): Value {
  const isOk = succeeds(status);
  return isOk === undefined ? undefined : isOk ? '1' : '0';
}
