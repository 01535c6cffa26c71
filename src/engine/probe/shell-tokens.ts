import { endOfQuoting, substitutionsIn } from './shell-quoting.ts';

/** A word of a shell script. */
export interface ShellWord {
  readonly kind: 'word';
  /** The word without its quotes. Parts that the shell replaces, such as `$PORT`, stay as they are written. */
  readonly text: string;
  /** True when the shell replaces no part of the word. */
  readonly isLiteral: boolean;
  /** True when a part is quoted. A quoted word is no keyword. */
  readonly isQuoted: boolean;
}

/** An operator between commands. A line break is an operator, too. */
export interface ShellOperator {
  readonly kind: 'operator';
  readonly text: string;
}

export type ShellToken = ShellWord | ShellOperator;

/** A redirection of input or output: `2> FILE`. */
export interface ShellRedirection {
  readonly kind: 'redirection';
  /** The operator without the number in front: `>>`. */
  readonly sign: string;
  /** Undefined when the script ends before the target. */
  readonly target: ShellWord | undefined;
}

/** A shell script with all that only some readers need. */
export interface ScannedScript {
  readonly tokens: readonly (ShellToken | ShellRedirection)[];
  /** The commands in `$(...)`, `<(...)` and backticks, each as a script. */
  readonly substitutions: readonly string[];
  /** The texts of here-documents. */
  readonly documents: readonly string[];
}

/** Operators between commands, longest first. */
const OPERATORS = [';;&', ';;', ';&', '&&', '||', '|&', ';', '&', '|', '(', ')', '\n'];
/** Operators that redirect input or output, longest first. The next word belongs to the operator. */
const REDIRECTIONS = ['&>>', '<<<', '<<-', '&>', '<<', '<&', '<>', '>>', '>&', '>|', '<', '>'];
const BLANK = /[ \t\r]/;
const WORD_ENDS = new Set(' \t\r\n;&|()<>');
/** The characters behind a `$` that the shell replaces, other than brackets. */
const EXPANDED = /[A-Za-z0-9_@*#?$!-]/;

/**
 * Splits a shell script into words and operators, in one pass (POSIX, Shell Command Language, section 2.3). Comments,
 * redirections with their targets, and the texts of here-documents are left out. Undefined for a script with an open
 * quote or bracket.
 */
export function shellTokens(script: string): readonly ShellToken[] | undefined {
  return scanShellScript(script)?.tokens.filter((token) => token.kind !== 'redirection');
}

/** Splits a shell script as {@link shellTokens} does, and keeps redirections, substitutions and here-documents. */
export function scanShellScript(script: string): ScannedScript | undefined {
  return new Tokenizer(script).scan();
}

class Tokenizer {
  readonly #text: string;
  readonly #tokens: (ShellToken | ShellRedirection)[] = [];
  readonly #substitutions: string[] = [];
  readonly #texts: string[] = [];
  /** Here-documents whose text begins behind the next line break. */
  #documents: { readonly end: string; readonly isIndented: boolean }[] = [];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  scan(): ScannedScript | undefined {
    while (this.#at < this.#text.length) {
      const sign = this.#text.charAt(this.#at);
      if (BLANK.test(sign)) this.#at += 1;
      else if (sign === '\\' && this.#text[this.#at + 1] === '\n') this.#at += 2;
      else if (sign === '#') this.#at = this.#endOfLine();
      else if (!this.#readSigns() && !this.#readWord()) return undefined;
    }
    return { tokens: this.#tokens, substitutions: this.#substitutions, documents: this.#texts };
  }

  /** Reads an operator or a redirection, if one stands here. */
  #readSigns(): boolean {
    if (!WORD_ENDS.has(this.#text.charAt(this.#at))) return false;
    const isSubstitution = /^[<>]\($/.test(this.#text.slice(this.#at, this.#at + 2));
    if (isSubstitution) return false;
    const redirection = this.#startsWithOneOf(REDIRECTIONS);
    if (redirection !== undefined) return this.#readRedirection(redirection);
    const operator = this.#startsWithOneOf(OPERATORS);
    if (operator === undefined) return false;
    this.#at += operator.length;
    this.#tokens.push({ kind: 'operator', text: operator });
    if (operator === '\n') this.#skipDocuments();
    return true;
  }

  #startsWithOneOf(signs: readonly string[]): string | undefined {
    return signs.find((candidate) => this.#text.startsWith(candidate, this.#at));
  }

  #readRedirection(sign: string): boolean {
    const last = this.#tokens.at(-1);
    const isBehindWord = this.#at > 0 && !WORD_ENDS.has(this.#text.charAt(this.#at - 1));
    if (isBehindWord && last?.kind === 'word' && /^\d+$/.test(last.text)) this.#tokens.pop();
    this.#at += sign.length;
    while (BLANK.test(this.#text.charAt(this.#at))) this.#at += 1;
    const hasTarget = this.#at < this.#text.length && this.#text[this.#at] !== '\n';
    if (hasTarget && !this.#readWord()) return false;
    const read = hasTarget ? this.#tokens.pop() : undefined;
    const target = read?.kind === 'word' ? read : undefined;
    this.#tokens.push({ kind: 'redirection', sign, target });
    if (target !== undefined && (sign === '<<' || sign === '<<-'))
      this.#documents.push({ end: target.text, isIndented: sign === '<<-' });
    return true;
  }

  #skipDocuments(): void {
    for (const { end, isIndented } of this.#documents) {
      const start = this.#at;
      let textEnd = start;
      while (this.#at < this.#text.length) {
        const lineEnd = this.#endOfLine();
        const line = this.#text.slice(this.#at, lineEnd);
        this.#at = Math.min(lineEnd + 1, this.#text.length);
        if ((isIndented ? line.replace(/^\t+/, '') : line) === end) break;
        textEnd = this.#at;
      }
      const text = this.#text.slice(start, textEnd);
      this.#texts.push(text);
      this.#substitutions.push(...substitutionsIn(text));
    }
    this.#documents = [];
  }

  #endOfLine(): number {
    const end = this.#text.indexOf('\n', this.#at);
    return end < 0 ? this.#text.length : end;
  }

  /** Reads a word. Returns false for an open quote or bracket, and for a sign that begins no word. */
  #readWord(): boolean {
    const start = this.#at;
    let text = '';
    let isLiteral = true;
    let isQuoted = false;
    let from = start;
    while (this.#at < this.#text.length) {
      const sign = this.#text.charAt(this.#at);
      if (sign === '\\') {
        text += this.#text.slice(from, this.#at);
        from = this.#at + (this.#text[this.#at + 1] === '\n' ? 2 : 1);
        isQuoted = true;
        this.#at = Math.min(this.#at + 2, this.#text.length);
      } else if (sign === "'" || sign === '"') {
        const piece = this.#quotedPiece(sign);
        if (piece === undefined) return false;
        text += this.#text.slice(from, piece.start) + piece.text;
        isLiteral = isLiteral && piece.isLiteral;
        isQuoted = true;
        from = this.#at;
      } else if (this.#beginsExpansion()) {
        isLiteral = false;
        if (!this.#skipExpansion()) return false;
      } else if (WORD_ENDS.has(sign)) break;
      else this.#at += 1;
    }
    if (this.#at === start) return false;
    this.#tokens.push({ kind: 'word', text: text + this.#text.slice(from, this.#at), isLiteral, isQuoted });
    return true;
  }

  /** Reads a text in quotes, and moves behind the closing quote. */
  #quotedPiece(quote: string): { start: number; text: string; isLiteral: boolean } | undefined {
    const start = this.#at;
    if (quote === "'") {
      const end = this.#text.indexOf(quote, start + 1);
      if (end < 0) return undefined;
      this.#at = end + 1;
      return { start, text: this.#text.slice(start + 1, end), isLiteral: true };
    }
    const end = endOfQuoting(this.#text, start + 1, '"');
    if (end === undefined) return undefined;
    this.#at = end;
    const inner = this.#text.slice(start + 1, end - 1);
    this.#substitutions.push(...substitutionsIn(inner));
    const isLiteral = !/(?:^|[^\\])(?:\\\\)*(?:`|\$[\w@*#?$!({-])/.test(inner);
    return {
      start,
      text: inner.replace(/\\([$`"\\\n])/g, (_, sign: string) => (sign === '\n' ? '' : sign)),
      isLiteral,
    };
  }

  #beginsExpansion(): boolean {
    const sign = this.#text.charAt(this.#at);
    const next = this.#text.charAt(this.#at + 1);
    if (sign === '$') return next === '(' || next === '{' || EXPANDED.test(next);
    return sign === '`' || ((sign === '<' || sign === '>') && next === '(');
  }

  /** Moves behind `$NAME`, `${...}`, `$(...)`, `<(...)` or a command in backticks. False when the end is missing. */
  #skipExpansion(): boolean {
    const opening = this.#text.charAt(this.#at) === '`' ? '`' : this.#text.charAt(this.#at + 1);
    if (opening !== '`' && opening !== '(' && opening !== '{') {
      this.#at += 2;
      return true;
    }
    const closer = opening === '(' ? ')' : opening === '{' ? '}' : '`';
    const end = endOfQuoting(this.#text, this.#at + (opening === '`' ? 1 : 2), closer);
    if (end === undefined) return false;
    const inner = this.#text.slice(this.#at, end);
    // The commands of <(...) and >(...) are read like those of $(...).
    this.#substitutions.push(...substitutionsIn(opening === '(' ? `$${inner.slice(1)}` : inner));
    this.#at = end;
    return true;
  }
}
