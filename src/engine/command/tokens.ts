import { CLOSERS, endOfQuoting, substitutionsIn } from './quoting.ts';

/** A word of a shell script. */
export interface ShellWord {
  /** The word without its quotes. Parts that the shell replaces, such as `$PORT`, stay as they are written. */
  readonly text: string;
  /** True when the shell replaces no part of the word. */
  readonly isLiteral: boolean;
  /** True when a part is quoted. A quoted word is no keyword. */
  readonly isQuoted: boolean;
  /** The commands in `$(...)`, `<(...)` and backticks, each as a script. Absent without one. */
  readonly substitutions?: readonly string[];
}

/** A redirection of input or output: `2> FILE`. */
export interface ShellRedirection {
  /** The operator without the number in front: `>>`. */
  readonly sign: string;
  /** Undefined when the script ends before the target. */
  readonly target: ShellWord | undefined;
  /** The text of a here-document. Undefined for other redirections. */
  readonly document?: ShellDocument;
}

/** A here-document. Its text stands behind the next line break. */
export interface ShellDocument {
  /** The commands in its text. None when its end is quoted: the shell replaces nothing then. */
  readonly substitutions: readonly string[];
}

/** The words and redirections up to an operator. A command may have neither, such as the one in front of `(`. */
export interface ShellCommand {
  readonly words: readonly ShellWord[];
  readonly redirections: readonly ShellRedirection[];
  /** The operator behind the command; a line break is one, too. Empty at the end of the script. */
  readonly operator: string;
}

/** What redirects input or output, longest first; the next word belongs to it. `<(` and `>(` begin words. */
const REDIRECTION = /&>>|<<<|<<-|&>|<<|<&|<>|>>|>&|>\||[<>](?!\()/y;
/** Operators between commands, longest first. */
const OPERATOR = /;;&|;;|;&|&&|\|\||\|&|[;&|()\n]/y;
const BLANKS = /[ \t\r]+|\\\n|#[^\n]*/y;
const LINE = /[^\n]*\n?/y;
const WORD_ENDS = new Set(' \t\r\n;&|()<>');
/** Signs of a word that always mean themselves. */
const PLAIN = /[^\\'"`$<>&|;()\s]+/y;
/** What stands behind a backslash or in single quotes. */
const RAW = /\\[^]?|'[^']*'/y;
/** A double quote, or what the shell replaces: `$NAME`, `$?`, `${...}`, `$(...)`, a command in backticks, `<(...)`. */
const OPENING = /"|\$[A-Za-z0-9_@*#?$!({-]|`|[<>]\(/y;
/** A sign of a text in double quotes that the shell replaces. */
const EXPANDED = /(?:^|[^\\])(?:\\\\)*(?:`|\$[\w@*#?$!({-])/;
const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/;

/**
 * Cuts a shell script at its operators, in one pass, without its comments (POSIX, Shell Command Language, section 2.3).
 * Undefined for a script with an open quote or bracket.
 */
export function readShellScript(script: string): readonly ShellCommand[] | undefined {
  return new Scan(script).run();
}

/** True for `NAME=value`. */
export function isAssignment({ text }: Pick<ShellWord, 'text'>): boolean {
  return ASSIGNMENT.test(text);
}

class Scan {
  readonly #commands: ShellCommand[] = [];
  readonly #text: string;
  #words: ShellWord[] = [];
  #redirections: ShellRedirection[] = [];
  /** Here-documents whose text begins behind the next line break. */
  #awaited: { readonly sign: string; readonly end: ShellWord; readonly found: string[] }[] = [];
  #at = 0;
  /** Each try reads to the end of the text, so there are few. */
  #triesLeft = 16;

  constructor(text: string) {
    this.#text = text;
  }

  run(): readonly ShellCommand[] | undefined {
    while (this.#at < this.#text.length) {
      if (this.#take(BLANKS) !== '' || this.#readSigns()) continue;
      const word = this.#word();
      if (word === undefined) return undefined;
      this.#words.push(word);
    }
    this.#endCommand('');
    return this.#commands;
  }

  #endCommand(operator: string): void {
    this.#commands.push({ words: this.#words, redirections: this.#redirections, operator });
    this.#words = [];
    this.#redirections = [];
  }

  /** Moves behind what a sticky pattern matches here, and returns it. Empty when nothing matches. */
  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.#text) ?? [''];
    this.#at += found.length;
    return found;
  }

  /** Reads an operator or a redirection, if one stands here. */
  #readSigns(): boolean {
    const start = this.#at;
    if (!WORD_ENDS.has(this.#text.charAt(start))) return false;
    const sign = this.#take(REDIRECTION);
    if (sign !== '') return this.#readRedirection(sign, start);
    if (this.#readArithmetic()) return true;
    const operator = this.#take(OPERATOR);
    if (operator === '') return false;
    this.#endCommand(operator);
    if (operator === '\n') this.#readDocuments();
    return true;
  }

  /** Reads `((...))` of bash as one word. */
  #readArithmetic(): boolean {
    if (this.#triesLeft === 0 || !this.#text.startsWith('((', this.#at)) return false;
    this.#triesLeft -= 1;
    const end = endOfQuoting(this.#text, this.#at + 2, ')') ?? Infinity;
    if (this.#text[end] !== ')') return false;
    this.#words.push({ text: this.#text.slice(this.#at, end + 1), isLiteral: false, isQuoted: false });
    this.#at = end + 1;
    return true;
  }

  #readRedirection(sign: string, start: number): boolean {
    const isBehindWord = start > 0 && !WORD_ENDS.has(this.#text.charAt(start - 1));
    if (isBehindWord && /^\d+$/.test(this.#words.at(-1)?.text ?? '')) this.#words.pop();
    this.#take(/[ \t\r]*/y);
    const hasTarget = this.#at < this.#text.length && this.#text[this.#at] !== '\n';
    const target = hasTarget ? this.#word() : undefined;
    if (hasTarget && target === undefined) return false;
    const found: string[] = [];
    const isDocument = target !== undefined && /^<<-?$/.test(sign);
    if (isDocument) this.#awaited.push({ sign, end: target, found });
    this.#redirections.push({ sign, target, ...(isDocument && { document: { substitutions: found } }) });
    return true;
  }

  #readDocuments(): void {
    for (const { sign, end, found } of this.#awaited) {
      let text = '';
      while (this.#at < this.#text.length) {
        const line = this.#take(LINE);
        if (line.replace(sign === '<<-' ? /^\t+|\n$/g : /\n$/, '') === end.text) break;
        text += line;
      }
      if (end.isQuoted) continue;
      for (const one of substitutionsIn(text)) found.push(one);
    }
    this.#awaited = [];
  }

  /** Reads a word. Undefined for an open quote or bracket, and for a sign that begins no word. */
  #word(): ShellWord | undefined {
    const start = this.#at;
    const substitutions: string[] = [];
    let [text, isLiteral, isQuoted] = ['', true, false];
    for (;;) {
      text += this.#take(PLAIN);
      const sign = this.#text.charAt(this.#at);
      if (sign === '') break;
      const raw = sign === '\\' || sign === "'" ? this.#take(RAW) : '';
      const opening = raw === '' ? this.#take(OPENING) : '';
      const closer = opening === '' ? undefined : CLOSERS.get(opening.replace(/^[<>]/, '$'));
      if (raw !== '') text += sign === '\\' ? raw.slice(1).replace('\n', '') : raw.slice(1, -1);
      else if (closer !== undefined) {
        const from = this.#at;
        this.#at = endOfQuoting(this.#text, from, closer) ?? Infinity;
        if (this.#at === Infinity) return undefined;
        const inner = this.#text.slice(from, this.#at - 1);
        const whole = opening + inner + closer;
        // The commands of <(...) and >(...) are read like those of $(...).
        const commands = closer === ')' ? `$${whole.slice(1)}` : whole;
        for (const one of substitutionsIn(sign === '"' ? inner : commands)) substitutions.push(one);
        text += sign === '"' ? inner.replace(/\\(?:\n|([$`"\\]))/g, '$1') : whole;
        isLiteral &&= sign === '"' && !EXPANDED.test(inner);
      } else if (opening !== '') {
        text += opening;
        isLiteral = false;
      } else if (sign === "'") return undefined;
      else if (WORD_ENDS.has(sign)) break;
      else {
        text += sign;
        this.#at += 1;
      }
      isQuoted ||= raw !== '' || sign === '"';
    }
    if (this.#at === start) return undefined;
    return { text, isLiteral, isQuoted, ...(substitutions.length > 0 && { substitutions }) };
  }
}
