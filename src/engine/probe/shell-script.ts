import { shellTokens } from './shell-tokens.ts';
import type { ShellToken, ShellWord } from './shell-tokens.ts';

/** A program with its words. Assignments in front are left out. */
export interface SimpleCommand {
  readonly kind: 'simple';
  readonly words: readonly ShellWord[];
}

/** Commands in parentheses or braces. */
export interface CommandGroup {
  readonly kind: 'group';
  readonly list: ShellList;
}

/** `if`, `for`, `while`, `until`, `case` or `select` with all that belongs to it. */
export interface CompoundCommand {
  readonly kind: 'compound';
  /** True when a command inside may end the script with another status than 0. */
  readonly mayExit: boolean;
}

export type ShellCommand = SimpleCommand | CommandGroup | CompoundCommand;

/** Commands whose output goes to the next command: `a | b`. */
export interface Pipeline {
  readonly isNegated: boolean;
  readonly stages: readonly ShellCommand[];
}

/** Pipelines that depend on each other: `a && b || c`. `&` behind it makes it run in the background. */
export interface AndOrList {
  readonly first: Pipeline;
  readonly rest: readonly { readonly operator: '&&' | '||'; readonly pipeline: Pipeline }[];
  readonly isBackground: boolean;
}

/** The commands of a script, in order. */
export type ShellList = readonly AndOrList[];

/** Groups in groups, at most. A deeper script is not read: no real probe needs so many. */
const DEEPEST = 20;

const COMPOUND_STARTS: ReadonlySet<string> = new Set(['if', 'for', 'while', 'until', 'case', 'select']);
const COMPOUND_ENDS: ReadonlySet<string> = new Set(['fi', 'done', 'esac']);
/** Keywords behind which a command begins. */
const BEFORE_COMMAND: ReadonlySet<string> = new Set(['then', 'do', 'else', 'elif', 'if', 'while', 'until', '!', '{']);
const OUT_OF_PLACE: ReadonlySet<string> = new Set([...COMPOUND_ENDS, 'then', 'do', 'else', 'elif', 'function']);
const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/;

/**
 * Reads a shell script (POSIX, Shell Command Language, section 2.9). Undefined when the script has a construct that
 * this reader does not know, such as a function. Nothing is then known of the script.
 */
export function readShellScript(script: string): ShellList | undefined {
  const tokens = shellTokens(script);
  return tokens && new Reader(tokens).script();
}

/** True for the words of `exit`, `return` or `exec` that may end the script with another status than 0. */
export function mayEndWithFailure(words: readonly ShellWord[]): boolean {
  const [program, argument] = words;
  if (program === undefined) return false;
  if (program.text === 'exec') return words.length > 1;
  return (program.text === 'exit' || program.text === 'return') && argument?.text !== '0';
}

class Reader {
  readonly #tokens: readonly ShellToken[];
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly ShellToken[]) {
    this.#tokens = tokens;
  }

  script(): ShellList | undefined {
    const list = this.#list(undefined);
    return this.#at === this.#tokens.length ? list : undefined;
  }

  /** @param end the sign that ends the list; it is not consumed */
  #list(end: ')' | '}' | undefined): ShellList | undefined {
    const list: AndOrList[] = [];
    for (;;) {
      while (this.#isOperator('\n') || this.#isOperator(';')) this.#at += 1;
      const token = this.#tokens[this.#at];
      if (token === undefined || this.#isEnd(token, end)) return list;
      const entry = this.#andOr();
      if (entry === undefined) return undefined;
      const isBackground = this.#isOperator('&');
      list.push({ ...entry, isBackground });
      const isSeparated = isBackground || this.#isOperator(';') || this.#isOperator('\n');
      if (isSeparated) this.#at += 1;
      else if (this.#at < this.#tokens.length && !this.#isOperator(')')) return undefined;
    }
  }

  #isEnd(token: ShellToken, end: ')' | '}' | undefined): boolean {
    return end !== undefined && token.text === end && (token.kind === 'operator') === (end === ')');
  }

  #andOr(): Omit<AndOrList, 'isBackground'> | undefined {
    const first = this.#pipeline();
    if (first === undefined) return undefined;
    const rest: AndOrList['rest'][number][] = [];
    for (;;) {
      const operator = this.#isOperator('&&') ? '&&' : this.#isOperator('||') ? '||' : undefined;
      if (operator === undefined) return { first, rest };
      this.#skipOperator();
      const pipeline = this.#pipeline();
      if (pipeline === undefined) return undefined;
      rest.push({ operator, pipeline });
    }
  }

  #pipeline(): Pipeline | undefined {
    let isNegated = false;
    while (this.#isKeyword('!') || this.#isKeyword('time')) {
      if (this.#isKeyword('!')) isNegated = !isNegated;
      this.#at += 1;
    }
    const stages: ShellCommand[] = [];
    for (;;) {
      const command = this.#command();
      if (command === undefined) return undefined;
      stages.push(command);
      if (!this.#isOperator('|') && !this.#isOperator('|&')) return { isNegated, stages };
      this.#skipOperator();
    }
  }

  #command(): ShellCommand | undefined {
    const token = this.#tokens[this.#at];
    if (token === undefined) return undefined;
    if (this.#isOperator('(')) return this.#group(')');
    if (token.kind === 'operator') return undefined;
    if (this.#isKeyword('{')) return this.#group('}');
    if (!token.isQuoted && COMPOUND_STARTS.has(token.text)) return this.#compound();
    return !token.isQuoted && OUT_OF_PLACE.has(token.text) ? undefined : this.#simple();
  }

  #group(end: ')' | '}'): CommandGroup | undefined {
    if (this.#depth === DEEPEST) return undefined;
    this.#depth += 1;
    this.#at += 1;
    const list = this.#list(end);
    const token = this.#tokens[this.#at];
    if (list === undefined || token === undefined || !this.#isEnd(token, end)) return undefined;
    this.#at += 1;
    this.#depth -= 1;
    return { kind: 'group', list };
  }

  #simple(): SimpleCommand | undefined {
    const words: ShellWord[] = [];
    for (; this.#at < this.#tokens.length; this.#at++) {
      const token = this.#tokens[this.#at];
      if (token?.kind !== 'word') break;
      const isAssignment = words.length === 0 && ASSIGNMENT.test(token.text);
      if (!isAssignment) words.push(token);
    }
    // `name ()` defines a function.
    return this.#isOperator('(') ? undefined : { kind: 'simple', words };
  }

  /** Skips all of a compound command. Only the commands that end a script are looked for. */
  #compound(): CompoundCommand | undefined {
    let depth = 0;
    let mayExit = false;
    let beginsCommand = true;
    for (; this.#at < this.#tokens.length; this.#at++) {
      const token = this.#tokens[this.#at];
      if (token?.kind !== 'word') {
        beginsCommand = true;
        continue;
      }
      if (!beginsCommand) continue;
      if (COMPOUND_STARTS.has(token.text)) depth += 1;
      if (COMPOUND_ENDS.has(token.text)) depth -= 1;
      mayExit ||= mayEndWithFailure(this.#wordsFrom(this.#at));
      beginsCommand = BEFORE_COMMAND.has(token.text);
      if (depth > 0) continue;
      this.#at += 1;
      return { kind: 'compound', mayExit };
    }
    return undefined;
  }

  /** Two words are enough to tell how a command ends the script. */
  #wordsFrom(at: number): ShellWord[] {
    return this.#tokens.slice(at, at + 2).filter((token) => token.kind === 'word');
  }

  /** A line may break behind an operator. */
  #skipOperator(): void {
    this.#at += 1;
    while (this.#isOperator('\n')) this.#at += 1;
  }

  #isOperator(text: string): boolean {
    const token = this.#tokens[this.#at];
    return token?.kind === 'operator' && token.text === text;
  }

  #isKeyword(text: string): boolean {
    const token = this.#tokens[this.#at];
    return token?.kind === 'word' && !token.isQuoted && token.text === text;
  }
}
