import { isAssignment, readShellScript, type ShellCommand, type ShellRedirection, type ShellWord } from './tokens.ts';

/** One program or builtin with its words. */
export interface SimpleCommand {
  readonly type: 'command';
  readonly assignments: readonly ShellWord[];
  /** The program and its words. None for assignments or redirections alone. */
  readonly words: readonly ShellWord[];
  readonly redirections: readonly ShellRedirection[];
}

/** Commands in their order. */
export interface List {
  readonly type: 'list';
  readonly items: readonly { readonly node: Node; readonly isBackground: boolean }[];
}

/** A part of a script (POSIX, Shell Command Language, section 2.9). */
export type Node =
  | SimpleCommand
  | List
  | { readonly type: 'and' | 'or'; readonly left: Node; readonly right: Node }
  | { readonly type: 'not'; readonly node: Node }
  | { readonly type: 'pipe'; readonly stages: readonly Node[] }
  | { readonly type: 'if'; readonly condition: Node; readonly yes: Node; readonly no: Node | undefined }
  | { readonly type: 'while' | 'until'; readonly condition: Node; readonly body: Node }
  /** Without words for `for NAME`, which reads the parameters. */
  | {
      readonly type: 'for';
      readonly name: string;
      readonly words: readonly ShellWord[] | undefined;
      readonly body: Node;
    }
  | { readonly type: 'case'; readonly subject: ShellWord; readonly branches: readonly Branch[] }
  | { readonly type: 'group' | 'subshell'; readonly body: Node; readonly redirections: readonly ShellRedirection[] }
  | { readonly type: 'function'; readonly name: string; readonly body: Node };

/** A branch of `case`. */
export interface Branch {
  readonly patterns: readonly ShellWord[];
  readonly body: Node;
  /** `;;`, `;&` or `;;&`. */
  readonly end: string;
}

/** Groups in groups, at most. A deeper script is unknown: no real probe needs so many. */
const DEEPEST = 20;
const CLOSING = new Set('then else elif fi do done esac }'.split(' '));
/** Words of bash that this reader does not know. */
const UNKNOWN = new Set(['select', 'coproc']);

/** Returns the tree of a script. Undefined for a text that is no script, and for one that this reader does not know. */
export function readScript(text: string): List | undefined {
  const commands = readShellScript(text);
  return commands && new Parser(commands).run();
}

/** The only part of a script. Undefined for several, and for one that runs beside the script. */
export function onlyPart(tree: List | undefined): Node | undefined {
  const [item, ...others] = tree?.items ?? [];
  return others.length > 0 || item?.isBackground === true ? undefined : item?.node;
}

class Parser {
  readonly #commands: readonly ShellCommand[];
  #command = 0;
  #word = 0;
  #depth = 0;
  #isBad = false;

  constructor(commands: readonly ShellCommand[]) {
    this.#commands = commands;
  }

  run(): List | undefined {
    const list = this.#list();
    return this.#isBad || this.#command < this.#commands.length ? undefined : list;
  }

  /** Gives up: what is left is skipped, so that each loop ends. */
  #fail(): List {
    this.#isBad = true;
    this.#command = this.#commands.length;
    return { type: 'list', items: [] };
  }

  /** The next word of the current command. */
  #next(): ShellWord | undefined {
    return this.#commands[this.#command]?.words[this.#word];
  }

  /** The keyword that stands here. */
  #keyword(): string {
    const word = this.#next();
    return word === undefined || word.isQuoted ? '' : word.text;
  }

  #takesKeyword(...keywords: readonly string[]): boolean {
    const isTaken = keywords.includes(this.#keyword());
    if (isTaken) this.#word += 1;
    return isTaken;
  }

  #expects(...keywords: readonly string[]): void {
    if (!this.#takesKeyword(...keywords)) this.#fail();
  }

  /** The operator, if no word is left in front of it. */
  #operator(): string | undefined {
    return this.#next() === undefined ? this.#commands[this.#command]?.operator : undefined;
  }

  #takesOperator(...operators: readonly string[]): boolean {
    const isTaken = operators.includes(this.#operator() ?? '?');
    if (isTaken) this.#endCommand();
    return isTaken;
  }

  #endCommand(): void {
    this.#command += 1;
    this.#word = 0;
  }

  #skipLines(): void {
    while (this.#operator() === '\n' && this.#redirections().length === 0) this.#endCommand();
  }

  #redirections(): readonly ShellRedirection[] {
    return this.#commands[this.#command]?.redirections ?? [];
  }

  /** The commands up to a word or an operator that closes them. */
  #list(): List {
    const items: { node: Node; isBackground: boolean }[] = [];
    for (;;) {
      this.#skipLines();
      const operator = this.#operator();
      const isEmpty = operator === '' && this.#word === 0 && this.#redirections().length === 0;
      if (isEmpty) this.#endCommand();
      if (this.#command >= this.#commands.length || CLOSING.has(this.#keyword())) break;
      if (operator !== undefined && /^(?:\)|;.+)$/.test(operator) && this.#redirections().length === 0) break;
      const node = this.#andOr();
      const isBackground = this.#takesOperator('&');
      items.push({ node, isBackground });
      if (!isBackground && !this.#takesOperator(';', '\n', '')) break;
    }
    return { type: 'list', items };
  }

  #body(): List {
    const list = this.#list();
    return list.items.length === 0 ? this.#fail() : list;
  }

  #andOr(): Node {
    let left = this.#pipe();
    for (;;) {
      const type = this.#takesOperator('&&') ? 'and' : this.#takesOperator('||') ? 'or' : undefined;
      if (type === undefined) return left;
      this.#skipLines();
      left = { type, left, right: this.#pipe() };
    }
  }

  #pipe(): Node {
    this.#takesKeyword('time');
    let isNegated = false;
    while (this.#takesKeyword('!')) isNegated = !isNegated;
    const pipe = this.#stages();
    return isNegated ? { type: 'not', node: pipe } : pipe;
  }

  #stages(): Node {
    const first = this.#part();
    const stages = [first];
    while (this.#takesOperator('|', '|&')) {
      this.#skipLines();
      stages.push(this.#part());
    }
    return stages.length === 1 ? first : { type: 'pipe', stages };
  }

  #part(): Node {
    if (this.#depth >= DEEPEST) return this.#fail();
    this.#depth += 1;
    const node = this.#compound() ?? this.#simple();
    this.#depth -= 1;
    return node;
  }

  /** Undefined for a simple command. */
  #compound(): Node | undefined {
    if (this.#operator() === '(' && this.#redirections().length === 0) {
      this.#endCommand();
      const body = this.#body();
      if (!this.#takesOperator(')')) this.#fail();
      return { type: 'subshell', body, redirections: this.#trailing() };
    }
    const keyword = this.#keyword();
    if (UNKNOWN.has(keyword)) return this.#fail();
    if (!/^(?:if|while|until|for|case|\{|function)$/.test(keyword)) return undefined;
    this.#word += 1;
    if (keyword === 'function') return this.#functionOf(this.#name());
    const node = this.#keywordNode(keyword);
    const redirections = this.#trailing();
    return redirections.length === 0 || node.type === 'group'
      ? { ...node, ...(node.type === 'group' && { redirections }) }
      : { type: 'group', body: node, redirections };
  }

  #keywordNode(keyword: string): Node {
    if (keyword === 'if') return this.#if();
    if (keyword === 'for') return this.#for();
    if (keyword === 'case') return this.#case();
    if (keyword === '{') {
      const body = this.#body();
      this.#expects('}');
      return { type: 'group', body, redirections: [] };
    }
    const condition = this.#body();
    return { type: keyword === 'while' ? 'while' : 'until', condition, body: this.#do() };
  }

  /** The redirections behind a compound command. No word may stand there. */
  #trailing(): readonly ShellRedirection[] {
    if (this.#next() !== undefined) this.#fail();
    return this.#redirections();
  }

  #do(): Node {
    this.#expects('do');
    const body = this.#body();
    this.#expects('done');
    return body;
  }

  /** Behind `if` or `elif`. */
  #if(): Node {
    const condition = this.#body();
    this.#expects('then');
    const yes = this.#body();
    if (this.#takesKeyword('elif')) return this.#nested(() => ({ type: 'if', condition, yes, no: this.#if() }));
    const no = this.#takesKeyword('else') ? this.#body() : undefined;
    this.#expects('fi');
    return { type: 'if', condition, yes, no };
  }

  #nested(read: () => Node): Node {
    if (this.#depth >= DEEPEST) return this.#fail();
    this.#depth += 1;
    const node = read();
    this.#depth -= 1;
    return node;
  }

  #name(): string {
    const word = this.#next();
    this.#word += 1;
    return word?.isLiteral ? word.text : this.#fail().type;
  }

  #for(): Node {
    const name = this.#name();
    this.#skipLines();
    let words: ShellWord[] | undefined;
    // The count of a loop with `((` of bash is unknown.
    if (name.startsWith('((')) words = undefined;
    else if (this.#takesKeyword('in')) {
      words = [...(this.#commands[this.#command]?.words.slice(this.#word) ?? [])];
      this.#word += words.length;
      if (!this.#takesOperator(';', '\n')) this.#fail();
    } else this.#takesOperator(';', '\n');
    this.#skipLines();
    return { type: 'for', name, words, body: this.#do() };
  }

  #case(): Node {
    const subject = this.#next();
    this.#word += 1;
    this.#skipLines();
    this.#expects('in');
    const branches: Branch[] = [];
    for (;;) {
      this.#skipLines();
      if (subject === undefined || this.#command >= this.#commands.length) return this.#fail();
      if (this.#takesKeyword('esac')) return { type: 'case', subject, branches };
      this.#takesOperator('(');
      const patterns: ShellWord[] = [];
      do {
        const pattern = this.#next();
        if (pattern === undefined) return this.#fail();
        patterns.push(pattern);
        this.#word += 1;
      } while (this.#takesOperator('|'));
      if (!this.#takesOperator(')')) return this.#fail();
      const body = this.#list();
      const end = [';;', ';&', ';;&'].find((sign) => this.#takesOperator(sign)) ?? ';;';
      branches.push({ patterns, body, end });
    }
  }

  #functionOf(name: string): Node {
    if (this.#takesOperator('(') && !this.#takesOperator(')')) this.#fail();
    this.#skipLines();
    const body = this.#compound();
    return body === undefined ? this.#fail() : { type: 'function', name, body };
  }

  #simple(): Node {
    const command = this.#commands[this.#command];
    if (command === undefined) return this.#fail();
    const rest = command.words.slice(this.#word);
    this.#word = command.words.length;
    const { redirections, operator } = command;
    const [first] = rest;
    if (operator === '(') {
      if (rest.length !== 1 || !first?.isLiteral || first.isQuoted || isAssignment(first) || redirections.length > 0)
        return this.#fail();
      return this.#functionOf(first.text);
    }
    if (rest.length === 0 && redirections.length === 0) return this.#fail();
    if (first !== undefined && !first.isQuoted && (first.text === '!' || CLOSING.has(first.text))) return this.#fail();
    if (first?.text === '[[' && !first.isQuoted) return this.#condition(rest);
    const start = rest.findIndex((word) => !isAssignment(word));
    const at = start < 0 ? rest.length : start;
    return { type: 'command', assignments: rest.slice(0, at), words: rest.slice(at), redirections };
  }

  /** Behind `[[`: operators belong to it up to `]]`, and `<` compares. */
  #condition(first: readonly ShellWord[]): Node {
    const words = [...first];
    while (words.at(-1)?.text !== ']]') {
      const command = this.#commands[this.#command];
      if (command === undefined || command.operator === '') return this.#fail();
      words.push({ text: command.operator, isLiteral: true, isQuoted: false });
      this.#endCommand();
      words.push(...(this.#commands[this.#command]?.words ?? []));
      this.#word = this.#commands[this.#command]?.words.length ?? 0;
    }
    return { type: 'command', assignments: [], words, redirections: [] };
  }
}
