import { isJsonObject, member, type JsonObject } from '../../base/json/json-value.ts';
import { HANDLER_KINDS, PROBE_KINDS } from '../probe/probe.ts';
import { beginning } from '../../base/text/cut.ts';

export const MOST_TEXT_CHARACTERS = 4096;

export const MOST_LIST_ENTRIES = 1000;

/** The end of a cut text, and the last entry of a cut list. No JSON of Go has this half of a surrogate pair. */
export const CUT_MARK = '\uD800';

/**
 * A container as checks read it. Texts and lists of `command`, `args`, `env`, probes and hooks are cut at
 * MOST_TEXT_CHARACTERS and MOST_LIST_ENTRIES; an entry keeps its index. For reading only: an edit or a patch must not
 * contain a part of a cut value (`holdsCut`).
 */
export function boundedContainer(container: JsonObject): JsonObject {
  let bounded = container;
  for (const list of ['command', 'args', 'env']) bounded = withMember(bounded, list, boundedList);
  for (const kind of PROBE_KINDS) bounded = withMember(bounded, kind, boundedHandlers);
  return withMember(bounded, 'lifecycle', (lifecycle) =>
    isJsonObject(lifecycle)
      ? withMember(withMember(lifecycle, 'postStart', boundedHandlers), 'preStop', boundedHandlers)
      : lifecycle,
  );
}

/** True for a list that a bounded container has cut, or of which it has cut a text. */
export function isLongList(list: unknown): boolean {
  return boundedList(list) !== list;
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

function boundedHandlers(owner: unknown): unknown {
  if (!isJsonObject(owner)) return owner;
  let bounded = owner;
  for (const kind of HANDLER_KINDS) bounded = withMember(bounded, kind, boundedHandler);
  return bounded;
}

function boundedHandler(handler: unknown): unknown {
  if (!isJsonObject(handler)) return handler;
  let bounded = withMember(handler, 'command', boundedList);
  for (const field of HANDLER_TEXTS) bounded = withMember(bounded, field, boundedText);
  return withMember(bounded, 'httpHeaders', boundedList);
}

const HANDLER_TEXTS = ['path', 'host', 'service'] as const;

/** Returns a list of texts, or of objects with the texts `name` and `value`. */
function boundedList(list: unknown): unknown {
  if (!Array.isArray(list)) return list;
  const entries = (list as readonly unknown[]).slice(0, MOST_LIST_ENTRIES);
  const bounded = entries.map(boundedEntry);
  if (entries.length < list.length)
    return [...bounded, typeof entries[0] === 'string' ? CUT_MARK : { name: CUT_MARK, value: CUT_MARK }];
  return bounded.every((entry, index) => entry === entries[index]) ? list : bounded;
}

function boundedEntry(entry: unknown): unknown {
  if (typeof entry === 'string') return boundedText(entry);
  if (!isJsonObject(entry)) return entry;
  return withMember(withMember(entry, 'name', boundedText), 'value', boundedText);
}

function boundedText(text: unknown): unknown {
  if (typeof text !== 'string' || text.length <= MOST_TEXT_CHARACTERS) return text;
  return beginning(text, MOST_TEXT_CHARACTERS) + CUT_MARK;
}

/** Returns the object with one member changed. Returns the same object if the member stays the same. */
function withMember(object: JsonObject, field: string, change: (value: unknown) => unknown): JsonObject {
  const value = member(object, field);
  if (value === undefined) return object;
  const changed = change(value);
  return changed === value ? object : { ...object, [field]: changed };
}
