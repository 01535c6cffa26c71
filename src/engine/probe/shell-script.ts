import { CLOSERS, endOfQuoting, substitutionsIn } from './shell-quoting.ts';

/** A word of a shell script. */
export interface ShellWord {
  /** The word without its quotes. Parts that the shell replaces, such as `$PORT`, stay as they are written. */
  readonly text: string;
  /** True when the shell replaces no part of the word. */
  readonly isLiteral: boolean;
  /** True when a part is quoted. A quoted word is no keyword. */
  readonly isQuoted: boolean;
}

/** A redirection of input or output: `2> FILE`. */
export interface ShellRedirection {
  /** The operator without the number in front: `>>`. */
  readonly sign: string;
  /** Undefined when the script ends before the target. */
  readonly target: ShellWord | undefined;
}

/** The words and redirections up to an operator. A command may have neither, such as the one in front of `(`. */
export interface ShellCommand {
  readonly words: readonly ShellWord[];
  readonly redirections: readonly ShellRedirection[];
  /** The operator behind the command; a line break is one, too. Empty at the end of the script. */
  readonly operator: string;
}

/** A shell script, cut at its operators. Comments are left out. */
export type ShellScript = Readonly<Pick<Scan, 'commands' | 'substitutions'>>;

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
 * Reads a shell script in one pass (POSIX, Shell Command Language, section 2.3). Undefined for a script with an open
 * quote or bracket.
 */
export function readShellScript(script: string): ShellScript | undefined {
  return new Scan(script).run();
}

/** True for `NAME=value`. */
export function isAssignment({ text }: Pick<ShellWord, 'text'>): boolean {
  return ASSIGNMENT.test(text);
}

/** Returns a program with its words, behind the assignments in front of it. */
export function programWords(words: readonly ShellWord[]): readonly ShellWord[] {
  const at = words.findIndex((word) => !isAssignment(word));
  return at < 0 ? [] : words.slice(at);
}

class Scan {
  readonly commands: ShellCommand[] = [];
  /** The commands in `$(...)`, `<(...)` and backticks, each as a script. */
  readonly substitutions: string[] = [];
  readonly #text: string;
  #words: ShellWord[] = [];
  #redirections: ShellRedirection[] = [];
  /** Here-documents whose text begins behind the next line break. */
  #awaited: { readonly sign: string; readonly end: string }[] = [];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  run(): ShellScript | undefined {
    while (this.#at < this.#text.length) {
      if (this.#take(BLANKS) !== '' || this.#readSigns()) continue;
      const word = this.#word();
      if (word === undefined) return undefined;
      this.#words.push(word);
    }
    this.#endCommand('');
    return this;
  }

  #endCommand(operator: string): void {
    this.commands.push({ words: this.#words, redirections: this.#redirections, operator });
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
    const operator = this.#take(OPERATOR);
    if (operator === '') return false;
    this.#endCommand(operator);
    if (operator === '\n') this.#readDocuments();
    return true;
  }

  #readRedirection(sign: string, start: number): boolean {
    const isBehindWord = start > 0 && !WORD_ENDS.has(this.#text.charAt(start - 1));
    if (isBehindWord && /^\d+$/.test(this.#words.at(-1)?.text ?? '')) this.#words.pop();
    this.#take(/[ \t\r]*/y);
    const hasTarget = this.#at < this.#text.length && this.#text[this.#at] !== '\n';
    const target = hasTarget ? this.#word() : undefined;
    if (hasTarget && target === undefined) return false;
    this.#redirections.push({ sign, target });
    if (target !== undefined && /^<<-?$/.test(sign)) this.#awaited.push({ sign, end: target.text });
    return true;
  }

  #readDocuments(): void {
    for (const { sign, end } of this.#awaited) {
      let text = '';
      while (this.#at < this.#text.length) {
        const line = this.#take(LINE);
        if (line.replace(sign === '<<-' ? /^\t+|\n$/g : /\n$/, '') === end) break;
        text += line;
      }
      this.substitutions.push(...substitutionsIn(text));
    }
    this.#awaited = [];
  }

  /** Reads a word. Undefined for an open quote or bracket, and for a sign that begins no word. */
  #word(): ShellWord | undefined {
    const start = this.#at;
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
        this.substitutions.push(...substitutionsIn(sign === '"' ? inner : commands));
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
    return this.#at === start ? undefined : { text, isLiteral, isQuoted };
  }
}
