/** Largest value of an int32 field, which all integers of a probe but its grace period are. */
export const INT32_MAX = 2_147_483_647;

/** White space only, as Go's strings.TrimSpace and CEL's trim() see it: a byte order mark is a character. */
export function isBlank(text: string): boolean {
  return /^\p{White_Space}*$/u.test(text);
}

/** Characters that have an escape of one letter, each with the letter. */
const SHORT_ESCAPES = new Map(
  ['""', '\\\\', '\x07a', '\bb', '\ff', '\nn', '\rr', '\tt', '\vv'].map(([sign, letter]) => [sign, `\\${letter}`]),
);

/** Texts that need no escapes: visible ASCII without quotes and backslashes. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** A string as Go's `%q` writes it (strconv.Quote). A lone surrogate is U+FFFD, as in Go's JSON. */
export function goQuote(text: string): string {
  return `"${PLAIN.test(text) ? text : Array.from(text.toWellFormed(), goCharacter).join('')}"`;
}

/** A character as Go's `%q` writes it. */
export function goCharacter(character: string): string {
  const escape = SHORT_ESCAPES.get(character);
  if (escape !== undefined) return escape;
  // strconv.IsPrint: letters, marks, numbers, punctuation, symbols, and of the spaces only the ASCII one.
  if (/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(character)) return character;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20 || code === 0x7f) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\U${code.toString(16).padStart(8, '0')}`;
}

/** A string as Go writes it into JSON: JSON.stringify, with HTML characters escaped (encoding/json, appendString). */
export function goJsonQuote(text: string): string {
  return JSON.stringify(text.toWellFormed()).replace(/[<>&\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
