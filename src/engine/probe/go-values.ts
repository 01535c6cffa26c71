import { isJsonObject, isPresent, member, type JsonObject } from '../../base/json/json-value.ts';

/*
 * A JSON object's members as Go sees them after decoding: absent and null are the type's zero value. A member of the
 * wrong type is the zero value too; a Pod that passed the decode stage has none, and reading one must not throw.
 */

/** Largest value of an int32 field, which all integers of a probe but its grace period are. */
export const INT32_MAX = 2_147_483_647;

export function goString(object: JsonObject, field: string): string {
  const value = member(object, field);
  return typeof value === 'string' ? value : '';
}

export function goInteger(object: JsonObject, field: string): number {
  const value = member(object, field);
  // JSON can say -0, which an integer cannot.
  return typeof value === 'number' ? value + 0 : 0;
}

/** White space only, as Go's strings.TrimSpace and CEL's trim() see it: a byte order mark is a character. */
export function isBlank(text: string): boolean {
  return /^\p{White_Space}*$/u.test(text);
}

/** A slice of objects; a null element is an empty object. */
export function goObjects(object: JsonObject, field: string): readonly JsonObject[] {
  const value = member(object, field);
  return Array.isArray(value) ? value.map((element: unknown) => (isJsonObject(element) ? element : {})) : [];
}

/** The length of a slice. */
export function goLength(object: JsonObject, field: string): number {
  const value = member(object, field);
  return Array.isArray(value) ? value.length : 0;
}

/** True for a pointer or slice that is not nil: the field is present and not null. */
export function isSet(object: JsonObject, field: string): boolean {
  return isPresent(member(object, field));
}

/** A pointer to a struct; undefined when it is nil. */
export function goPointer(object: JsonObject, field: string): JsonObject | undefined {
  const value = member(object, field);
  return isJsonObject(value) ? value : isPresent(value) ? {} : undefined;
}

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

/** A string as Go's `%q` writes it (strconv.Quote). A lone surrogate is U+FFFD, as in Go's JSON. */
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

/** A string as Go writes it into JSON: JSON.stringify, with HTML characters escaped (encoding/json, appendString). */
export function goJsonQuote(text: string): string {
  return JSON.stringify(text.toWellFormed()).replace(/[<>&\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
