import { substitutionsIn } from './quoting.ts';
import { readScript, type List, type Node, type SimpleCommand } from './script.ts';
import { shellInvocationOf, type ExecCommand } from './words.ts';
import type { ShellRedirection, ShellWord } from './tokens.ts';

/** A command that a script writes, wherever it stands: in a branch, a function, `$(...)` or a script of its own. */
export interface WrittenCommand {
  /** The program with its words. None for assignments alone, and for the redirections of a group. */
  readonly words: readonly string[];
  readonly redirections: readonly ShellRedirection[];
  /** True when it reads the output of another command. */
  readonly isFed: boolean;
  readonly isBackground: boolean;
}

/** All commands of a command line, and the names of its functions. */
export interface WrittenCommands {
  readonly commands: readonly WrittenCommand[];
  readonly functions: ReadonlySet<string>;
  /** True when a part of it cannot be read. */
  readonly isUnread: boolean;
}

/** Scripts in scripts, at most. More is not read. */
const DEEPEST = 8;

/** Reads every command that an exec command writes. Whether one of them runs is told by the paths of the script. */
export const commandsOf = (command: ExecCommand): WrittenCommands => command.once(collect);

function collect({ argv, script, tree }: ExecCommand): WrittenCommands {
  const collector = new Collector();
  if (script !== undefined) collector.script(script, 1, tree);
  else collector.commands.push({ words: argv, redirections: [], isFed: false, isBackground: false });
  return collector;
}

/**
 * The commands of a text that is one script.
 *
 * @param known its tree, if somebody has read it
 */
export function commandsOfScript(text: string, known?: List): WrittenCommands {
  const collector = new Collector();
  collector.script(text, 0, known);
  return collector;
}

interface Place {
  readonly depth: number;
  readonly isFed: boolean;
  readonly isBackground: boolean;
}

class Collector implements WrittenCommands {
  readonly commands: WrittenCommand[] = [];
  readonly functions = new Set<string>();
  isUnread = false;

  /** @param known the tree of the text, if somebody has read it */
  script(text: string, depth: number, known?: List): void {
    const tree = depth < DEEPEST ? (known ?? readScript(text)) : undefined;
    if (tree === undefined) this.isUnread = true;
    else this.#node(tree, { depth, isFed: false, isBackground: false });
  }

  /** Adds a command, or the commands of the script that it runs. */
  #add(command: WrittenCommand, depth: number): void {
    const { words, redirections } = command;
    const shell = shellInvocationOf(words);
    const isEval = words[0] === 'eval' && words.length > 1 && !/[$`]/.test(words.join(' '));
    const script = isEval ? words.slice(1).join(' ') : words[shell?.scriptAt ?? words.length];
    if (script === undefined) this.commands.push(command);
    else {
      if (redirections.length > 0) this.commands.push({ ...command, words: [] });
      this.script(script, depth + 1);
    }
  }

  #node(node: Node, place: Place): void {
    switch (node.type) {
      case 'command':
        return this.#command(node, place);
      case 'list':
        for (const item of node.items)
          this.#node(item.node, { ...place, isBackground: place.isBackground || item.isBackground });
        return;
      case 'and':
      case 'or':
        return this.#all([node.left, node.right], place);
      case 'not':
        return this.#node(node.node, place);
      case 'pipe':
        for (const [at, stage] of node.stages.entries()) this.#node(stage, { ...place, isFed: place.isFed || at > 0 });
        return;
      case 'if':
        return this.#all([node.condition, node.yes, ...(node.no === undefined ? [] : [node.no])], place);
      case 'while':
      case 'until':
        return this.#all([node.condition, node.body], place);
      case 'for':
        this.#expanded(node.words ?? [], place);
        return this.#node(node.body, place);
      case 'case':
        this.#expanded([node.subject], place);
        return this.#all(
          node.branches.map(({ body }) => body),
          place,
        );
      case 'group':
      case 'subshell':
        this.#redirected(node.redirections, place);
        return this.#node(node.body, place);
      case 'function':
        this.functions.add(node.name);
        return this.#node(node.body, place);
    }
  }

  #all(nodes: readonly Node[], place: Place): void {
    for (const node of nodes) this.#node(node, place);
  }

  #command({ assignments, words, redirections }: SimpleCommand, { depth, ...place }: Place): void {
    const texts = words.map(({ text }) => text);
    if (words.length > 0 || redirections.length > 0) this.#add({ words: texts, redirections, ...place }, depth);
    this.#expanded([...assignments, ...words, ...targetsOf(redirections)], { depth, ...place });
    this.#documents(redirections, depth);
  }

  #redirected(redirections: readonly ShellRedirection[], { depth, ...place }: Place): void {
    if (redirections.length > 0) this.commands.push({ words: [], redirections, ...place });
    this.#expanded(targetsOf(redirections), { depth, ...place });
    this.#documents(redirections, depth);
  }

  #expanded(words: readonly ShellWord[], { depth }: Place): void {
    for (const { substitutions = [] } of words) for (const text of substitutions) this.#substitution(text, depth);
  }

  #documents(redirections: readonly ShellRedirection[], depth: number): void {
    for (const { document } of redirections)
      for (const text of document?.substitutions ?? []) this.#substitution(text, depth);
  }

  /** In `$((...))` no word is a program. */
  #substitution(text: string, depth: number): void {
    if (!/^\(.*\)$/s.test(text)) return this.script(text, depth + 1);
    for (const inner of substitutionsIn(text)) this.script(inner, depth + 1);
  }
}

function targetsOf(redirections: readonly ShellRedirection[]): readonly ShellWord[] {
  return redirections.flatMap(({ target }) => target ?? []);
}
