import { shellQuoted } from '../../base/text/shell-word.ts';

/** Brackets and quotes that may stand in each other, each with the sign that ends it. */
export const CLOSERS: ReadonlyMap<string, string> = new Map([
  ['`', '`'],
  ['"', '"'],
  ['(', ')'],
  ['$(', ')'],
  ['${', '}'],
]);

/**
 * Returns the position behind a quoted text, a `$(...)`, a `${...}` or a command in backticks that begins at `start`.
 * Undefined when the end is missing. Nesting costs no stack: a hostile text may have tens of thousands of levels.
 * @param at the position behind the opening sign
 */
export function endOfQuoting(text: string, at: number, closer: string): number | undefined {
  const open = [closer];
  let position = at;
  while (position < text.length) {
    const inner = open.at(-1);
    const sign = text[position];
    if (sign === '\\') position += 2;
    else if (sign === inner) {
      open.pop();
      position += 1;
      if (open.length === 0) return position;
    } else if (sign === "'" && inner !== '"' && inner !== '`' && open.at(-2) !== '"') {
      const end = text.indexOf("'", position + 1);
      if (end < 0) return undefined;
      position = end + 1;
    } else if (sign === '#' && inner === ')' && /[\s;|&(]/.test(text[position - 1] ?? '')) {
      // A comment may have an apostrophe.
      const end = text.indexOf('\n', position);
      if (end < 0) return undefined;
      position = end;
    } else {
      const opening = sign === '$' ? text.slice(position, position + 2) : (sign ?? '');
      // A plain bracket counts in a command only, and nothing opens between backticks.
      const isPlain = inner === '`' || (opening === '(' && inner !== ')');
      const opened = isPlain ? undefined : CLOSERS.get(opening);
      if (opened !== undefined) open.push(opened);
      position += opened === undefined ? 1 : opening.length;
    }
  }
  return undefined;
}

/**
 * Returns the commands that a text has in `$(...)` and in backticks, each as a script. Commands inside of other
 * commands stay in them. Arithmetic (`$((...))`) is returned like a command. The last command may lack its end.
 */
export function substitutionsIn(text: string): string[] {
  const found: string[] = [];
  let at = 0;
  while (at < text.length) {
    const sign = text[at];
    const length = sign === '`' ? 1 : sign === '$' && text[at + 1] === '(' ? 2 : 0;
    if (length === 0) {
      at += sign === '\\' ? 2 : 1;
      continue;
    }
    const end = endOfQuoting(text, at + length, length === 1 ? '`' : ')') ?? text.length + 1;
    const command = text.slice(at + length, end - 1);
    found.push(length === 1 ? command.replace(/\\([`\\])/g, '$1') : command);
    at = end;
  }
  return found;
}

/** Elements that a shell reads as operators or redirections. */
const OPERATOR = /^(?:\|\|?|&&?|;|\d?>>?(?:&\d)?|<|\d?>\/dev\/null)$/;
const NEEDS_NO_QUOTES = /^[\w./:=@%+,?*-]+$/;
const VARIABLE = /^\$(?:[A-Za-z_]\w*|\{[A-Za-z_]\w*\})$/;

/** True for an element that only a shell understands: `|`, `&&`, `2>&1`. */
export function isShellOperator(word: string): boolean {
  return OPERATOR.test(word);
}

/** Returns the name in an element that is exactly `$NAME` or `${NAME}`. */
export function variableIn(word: string): string | undefined {
  return VARIABLE.test(word) ? word.replace(/[${}]/g, '') : undefined;
}

/**
 * Joins the elements of a command to a line for a shell. Operators and variables stay as they are. So does an element
 * with blanks where a command begins, because the element is a line already: `["redis-cli ping", "|", "grep PONG"]`.
 */
export function shellLine(words: readonly string[]): string {
  return words.map((word, index) => (isLine(words, index) ? word : quotedForShell(word))).join(' ');
}

function isLine(words: readonly string[], index: number): boolean {
  const before = words[index - 1];
  return /\s/.test(words[index] ?? '') && (before === undefined || /^(?:[|&]{1,2}|;)$/.test(before));
}

function quotedForShell(word: string): string {
  if (NEEDS_NO_QUOTES.test(word) || isShellOperator(word)) return word;
  if (VARIABLE.test(word)) return `"${word}"`;
  return shellQuoted(word);
}
