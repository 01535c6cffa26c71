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
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
