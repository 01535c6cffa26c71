import { isJsonObject, member, type JsonObject } from '../../base/json/json-value.ts';
import { beginning } from '../../base/text/cut.ts';

export const MOST_TEXT_CHARACTERS = 4096;

export const MOST_LIST_ENTRIES = 1000;

/** The end of a cut text, and the last entry of a cut list. No JSON of Go has this half of a surrogate pair. */
export const CUT_MARK = '\uD800';

/** A header's name is the deepest text: hook, handler, headers, header, name. */
const DEEPEST = 5;

/**
 * A container as checks read it. Texts and lists of its members, such as `command`, `env` and handlers, are cut at
 * MOST_TEXT_CHARACTERS and MOST_LIST_ENTRIES; an entry keeps its index. For reading only: an edit or a patch must not
 * contain a part of a cut value (`holdsCut`). The same object when nothing is too long.
 */
export function boundedMembersOf(object: JsonObject, depth = DEEPEST): JsonObject {
  let cut: Record<string, unknown> | undefined;
  for (const field of Object.keys(object)) {
    const value = member(object, field);
    const short = Array.isArray(value) ? boundedList(value, depth) : bounded(value, TEXTS.has(field), depth);
    if (short !== value) (cut ??= { ...object })[field] = short;
  }
  return cut ?? object;
}

/** True for a text of a bounded container whose end is missing, and for the last entry of a cut list. */
export function isCut(text: string): boolean {
  return text.endsWith(CUT_MARK);
}

/** True when a value of a bounded container lacks a part, at any depth. */
export function holdsCut(value: unknown): boolean {
  if (typeof value === 'string') return isCut(value);
  if (Array.isArray(value)) return value.some(holdsCut);
  return isJsonObject(value) && Object.values(value).some(holdsCut);
}

/** Members that are cut when they are long texts. The entries of lists are, too. */
const TEXTS: ReadonlySet<string> = new Set(['path', 'host', 'service', 'name', 'value']);

function bounded(value: unknown, isText: boolean, depth: number): unknown {
  if (typeof value === 'string')
    return isText && value.length > MOST_TEXT_CHARACTERS ? beginning(value, MOST_TEXT_CHARACTERS) + CUT_MARK : value;
  if (depth === 0 || Array.isArray(value) || !isJsonObject(value)) return value;
  return boundedMembersOf(value, depth - 1);
}

/** The last entry of a cut list is of the kind of the first: a text, or an object with the texts `name` and `value`. */
function boundedList(list: readonly unknown[], depth: number): readonly unknown[] {
  const entries = list.length > MOST_LIST_ENTRIES ? list.slice(0, MOST_LIST_ENTRIES) : list;
  const cut = entries.map((entry) => bounded(entry, true, depth - 1));
  if (entries !== list) return [...cut, typeof list[0] === 'string' ? CUT_MARK : { name: CUT_MARK, value: CUT_MARK }];
  return cut.every((entry, index) => entry === list[index]) ? list : cut;
}
