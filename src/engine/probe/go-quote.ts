const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
]);

/** Texts that need no escapes: visible ASCII without quotes and backslashes. */
const PLAIN = /^[ !#-[\]-~]*$/;

/**
 * A string in quotes as Go's `%q` writes it: characters that cannot be seen are escaped (strconv.Quote). A lone
 * surrogate is U+FFFD, as Go's JSON decoder reads it.
 */
export function goQuote(text: string): string {
  return `"${PLAIN.test(text) ? text : Array.from(text.toWellFormed(), goCharacter).join('')}"`;
}

function goCharacter(character: string): string {
  const escape = SHORT_ESCAPES.get(character);
  if (escape !== undefined) return escape;
  // strconv.IsPrint: letters, marks, numbers, punctuation, symbols, and of the spaces only the ASCII one.
  if (/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(character)) return character;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20 || code === 0x7f) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\U${code.toString(16).padStart(8, '0')}`;
}

/**
 * A string as Go writes it into JSON (encoding/json, appendString, with HTML characters escaped): JSON.stringify, plus
 * the five characters that could do harm in a page or a script.
 */
export function goJsonQuote(text: string): string {
  return JSON.stringify(text.toWellFormed()).replace(/[<>&\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
