import { renderFlow, renderFlowKey, yamlFromJson, endsInBlockScalar, renderBlock, yamlQuoted } from './rendering.ts';
import type { FlowStyle } from './rendering.ts';
import {
  beforeLineBreak,
  contentEnd,
  contentStart,
  hasContent,
  lastSignificantEnd,
  lineBreakBefore,
  lineEndAfter,
  lineIndent,
  startsLine,
  tokenEnd,
  lineStartBefore,
  insertLines,
} from './text-edits.ts';
import type { Addition, PairTokens, TextEdit } from './text-edits.ts';
import { visible } from '../../base/text/visible.ts';
import type { Layout } from './layout.ts';
import type { CST } from 'yaml';

type Collection = CST.BlockMap | CST.BlockSequence | CST.FlowCollection;

/** Returns the edits that append to a collection with content. A flow mapping must have braces of its own. */
export function additions(
  text: string,
  collection: Collection,
  added: readonly Addition[],
  layout: Layout,
): readonly TextEdit[] {
  if (added.length === 0) return [];
  if (collection.type === 'flow-collection') return flowAdditions(text, collection, added, layout);
  const { indent } = collection;
  const lines = added
    .flatMap(({ key, value }) => renderBlock(key, value, layout))
    .map((line) => (line === '' ? line : ' '.repeat(indent) + line));
  const isMap = collection.type === 'block-map';
  if (isMap && isOpenEnded(text, collection)) return [linesBeforeLast(text, collection, lines, layout)];
  // A comment at a sequence's own indentation may be about the key below.
  const at = endOfCollection(text, collection, isMap ? Math.max(indent, 1) : indent + 1);
  // A block scalar at the end of the text needs a line break.
  const isCutOff = at === text.length && !text.endsWith('\n') && endsInBlockScalar(added.at(-1)?.value);
  return [insertLines(text, at, isCutOff ? [...lines, ''] : lines, layout.eol, indent)];
}

/** New items are on lines of their own if the last items have such lines. */
function flowAdditions(
  text: string,
  collection: CST.FlowCollection,
  added: readonly Addition[],
  layout: Layout,
): TextEdit[] {
  const style = styleOf(collection, layout);
  const items = collection.items.filter(hasContent);
  const last = items.at(-1) ?? { start: [] };
  const end = contentEnd(last) ?? 0;
  const ownLine = items
    .map((item) => contentStart(item))
    .findLast((start) => start !== undefined && startsLine(text, start));
  const indent = ownLine === undefined ? undefined : lineIndent(text, ownLine);
  const rendered = added.map(
    ({ key, value }) => (key === undefined ? '' : renderFlowKey(key, style)) + renderItem(value, indent, style, layout),
  );
  if (indent === undefined) {
    // In `{a:, b: 1}`, some parsers would read `a:,` as the key without this space.
    const gap = last.value === undefined && text[end - 1] === ':' ? ' ' : '';
    const separator = style.compact ? ',' : ', ';
    return [{ start: end, end, text: gap + separator + rendered.join(separator), depth: 0 }];
  }
  // New lines below the last item, and a missing comma after it. A comment on its line is kept.
  const closing = collection.end[0]?.offset ?? end;
  const starts = collection.items.flatMap(({ start }) => start);
  const comma = starts.find(({ type, offset }) => type === 'comma' && offset >= end);
  const lineBreak = (lineBreakBefore(text, end) ?? layout.eol) + indent;
  const lineEnd = beforeLineBreak(text, lineEndAfter(text, comma?.offset ?? end));
  const isClosedBefore = lineEnd >= closing;
  const at = isClosedBefore ? (comma === undefined ? end : comma.offset + 1) : lineEnd;
  const lines = lineBreak + rendered.join(`,${lineBreak}`) + (comma === undefined || isClosedBefore ? '' : ',');
  const edit: TextEdit = { start: at, end: at, text: lines, depth: 0 };
  return comma === undefined ? [{ start: end, end, text: ',', depth: 0 }, edit] : [edit];
}

/**
 * Returns the edit that replaces the value of an item, also where the value is not written: `{key: }`, `{key}`.
 * Undefined for an element of a list that is not written.
 */
function flowReplacement(
  text: string,
  parent: CST.FlowCollection,
  item: PairTokens,
  value: unknown,
  layout: Layout,
): TextEdit[] | undefined {
  const style = styleOf(parent, layout);
  const itemStart = contentStart(item) ?? 0;
  const indent = startsLine(text, itemStart) ? lineIndent(text, itemStart) : undefined;
  const rendered = quotedLike(item.value, value) ?? renderItem(value, indent, style, layout);
  const end = contentEnd(item) ?? 0;
  if (item.value !== undefined) return [{ start: item.value.offset, end, text: rendered, depth: 0 }];
  if (parent.start.source !== '{') return undefined;
  const hasColon = lastSignificantEnd(item.sep ?? []) !== undefined;
  const start = hasColon || !item.key ? end : tokenEnd(item.key);
  return [{ start, end: start, text: `${hasColon ? '' : ':'} ${rendered}`, depth: 0 }];
}

/** Quotes keys in the same way as other keys of the mapping. Lists and empty mappings follow the document's style. */
function styleOf(collection: CST.FlowCollection, layout: Layout): FlowStyle {
  const sibling = collection.start.source === '{' ? collection.items.findLast(({ key }) => key) : undefined;
  const quoted = sibling === undefined ? layout.json : sibling.key?.type === 'double-quoted-scalar';
  return { quoted, compact: quoted && layout.compact };
}

/** Formats the value of an item. On a line of its own, it spans several lines if the document's JSON does. */
function renderItem(value: unknown, indent: string | undefined, style: FlowStyle, layout: Layout): string {
  if (indent === undefined || !layout.json || layout.jsonStep === undefined || !style.quoted)
    return renderFlow(value, style);
  return yamlFromJson(JSON.stringify(value, null, layout.jsonStep)).replaceAll('\n', layout.eol + indent);
}

export interface Slot {
  readonly parent: Collection;
  readonly tokens: PairTokens;
}

/** Returns the edits that replace a value. Undefined when the notation of the item is not supported. */
export function replacement(text: string, slot: Slot, value: unknown, layout: Layout): TextEdit[] | undefined {
  const { parent, tokens } = slot;
  const old = tokens.value;
  if (parent.type === 'flow-collection') return flowReplacement(text, parent, tokens, value, layout);
  const key = parent.type === 'block-map' ? 'k' : undefined;
  const head = lastSignificantEnd(key === undefined ? tokens.start : (tokens.sep ?? []));
  if (head === undefined) return undefined;
  const quoted = quotedLike(old, value);
  const [whole = '', ...rest] = quoted === undefined ? renderBlock(key, value, layout) : [`- ${quoted}`];
  const first = whole.replace(/^(?:k:|-)/, '');
  const lines = rest.map((line) => (line === '' ? line : ' '.repeat(parent.indent) + line));
  // A block scalar at the end of the text needs a line break.
  const isLast = lineEndAfter(text, contentEnd(tokens) ?? head) === text.length && !text.endsWith('\n');
  if (isLast && lines.length > 0 && endsInBlockScalar(value)) lines.push('');
  const [start, end] = old === undefined ? [head, head] : [old.offset, tokenEnd(old)];
  const eol = lineBreakBefore(text, lineEndAfter(text, head)) ?? layout.eol;
  const depth = parent.indent + 1;
  const isOnHeadLine = !text.slice(head, start).includes('\n');
  if (isOnHeadLine && !text.slice(start, end).includes('\n')) {
    // The spaces before the value and the comment behind the value stay.
    const keepsSpace = start > head && first.startsWith(' ');
    const edit = { start: keepsSpace ? start : head, end, text: keepsSpace ? first.slice(1) : first, depth };
    if (lines.length === 0) return [edit];
    const below = beforeLineBreak(text, lineEndAfter(text, end));
    return [edit, { start: below, end: below, text: lines.map((line) => eol + line).join(''), depth }];
  }
  // The value starts on a line below: its lines are replaced, and comments beside the key stay.
  if (!isOnHeadLine) {
    const below = lineEndAfter(text, end);
    const isEnded = text[below - 1] === '\n';
    const kept = lines.join(eol) + (lines.length > 0 && isEnded ? eol : '');
    return [
      { start: head, end: head, text: first, depth },
      { start: lineStartBefore(text, start), end: below, text: kept, depth },
    ];
  }
  const last = lines.length > 0 || text[end - 1] === '\n' ? beforeLineBreak(text, lineEndAfter(text, end)) : end;
  return [{ start: head, end: last, text: [first, ...lines].join(eol), depth }];
}

/** Returns a string in the quotes of the old value. Undefined when the old value has no quotes. */
function quotedLike(old: CST.Token | undefined, value: unknown): string | undefined {
  if (typeof value !== 'string' || old === undefined) return undefined;
  if (old.type === 'double-quoted-scalar') return yamlQuoted(value);
  if (old.type !== 'single-quoted-scalar') return undefined;
  const isPlain = /^[^\t\n]*$/.test(value) && visible(value) === value;
  return isPlain ? `'${value.replaceAll("'", "''")}'` : yamlQuoted(value);
}

/** Returns the edit that gives a pair another key. Undefined for a key that is not one simple scalar. */
export function renamedKey({ key }: PairTokens, name: string, layout: Layout): TextEdit | undefined {
  if (!key || !('source' in key) || key.type === 'alias' || key.type === 'block-scalar') return undefined;
  const [line = ''] = renderBlock(name, 0, layout);
  const plain = /^[A-Za-z][\w-]*$/.test(name) ? line.slice(0, -': 0'.length) : yamlQuoted(name);
  return { start: key.offset, end: tokenEnd(key), text: quotedLike(key, name) ?? plain, depth: 0 };
}

/**
 * Inserts lines before the last pair, for a mapping after which no text may follow. The lines follow the previous pair,
 * so comments above the last pair stay with the last pair. Without a previous pair, the last pair may start on the line
 * of a sequence's dash.
 */
function linesBeforeLast(text: string, map: CST.BlockMap, lines: readonly string[], layout: Layout): TextEdit {
  const [before, last] = [map.items.at(-2), map.items.at(-1)];
  const end = before && contentEnd(before);
  if (end !== undefined) return insertLines(text, lineEndAfter(text, end), lines, layout.eol, map.indent);
  const start = (last && contentStart(last)) ?? map.offset;
  const eol = lineBreakBefore(text, text.length) ?? layout.eol;
  const added = [lines.join(eol).trimStart(), ' '.repeat(map.indent)].join(eol);
  return { start, end: start, text: added, depth: map.indent };
}

/**
 * Returns the end of a collection: after its last line, and after the comments below with at least this indentation,
 * because such comments belong to the collection. Comments with less indentation may describe the following text.
 * Comments without indentation may too, if the collection itself has no indentation.
 */
function endOfCollection(text: string, collection: CST.Token, indent: number): number {
  const end = lineEndAfter(text, tokenEnd(collection));
  let result = end;
  for (let start = end; start < text.length; start = lineEndAfter(text, start + 1)) {
    const line = text.slice(start, lineEndAfter(text, start + 1));
    if (/^[ \t]*\r?\n?$/.test(line)) continue;
    const comment = /^( *)#/.exec(line);
    if ((comment?.[1]?.length ?? 0) < indent) break;
    result = start + line.length;
  }
  return result;
}

/**
 * True for a collection whose last line is a block scalar without a final line break. Parsers disagree on the value of
 * such a scalar: kubectl adds the missing line break, libyaml does not. The value is the same for both only if the
 * scalar stays at the end of the text.
 */
export function isOpenEnded(text: string, collection: CST.Token): boolean {
  if (text.endsWith('\n')) return false;
  let last: CST.Token | undefined = collection;
  while (last?.type === 'block-map' || last?.type === 'block-seq') last = last.items.at(-1)?.value;
  if (last?.type !== 'block-scalar' || tokenEnd(last) !== text.length) return false;
  // `|-` always strips the final line break.
  return !last.props.some((prop) => prop.type === 'block-scalar-header' && prop.source.includes('-'));
}

/**
 * Returns the edits that remove items from a collection. At least one item must remain. In block style, a comment
 * on the last line of an item is removed too, because the comment is about the item.
 *
 * @param items all items with content, in order
 */
export function removals(
  text: string,
  collection: Collection,
  items: readonly PairTokens[],
  removed: ReadonlySet<PairTokens>,
): TextEdit[] {
  if (removed.size === 0) return [];
  if (collection.type === 'flow-collection') return flowRemovals(text, items, removed);
  const edits: TextEdit[] = [];
  const start = contentStart(items[0] ?? { start: [] }) ?? 0;
  const firstKept = startsLine(text, start) ? 0 : items.findIndex((item) => !removed.has(item));
  if (firstKept > 0) {
    // The collection starts on the line of a dash. The next item moves up to the dash.
    const end = skipSpace(text, lineEndAfter(text, contentEnd(items[firstKept - 1] ?? { start: [] }) ?? start));
    edits.push({ start, end, text: '', depth: 0 });
  }
  for (const item of items.slice(firstKept)) {
    const [from, end] = [contentStart(item), contentEnd(item)];
    if (!removed.has(item) || from === undefined || end === undefined) continue;
    edits.push({ start: lineStartBefore(text, from), end: lineEndAfter(text, end), text: '', depth: 0 });
  }
  return edits;
}

function flowRemovals(text: string, items: readonly PairTokens[], removed: ReadonlySet<PairTokens>): TextEdit[] {
  const lastKept = items.findLastIndex((item) => !removed.has(item));
  return items.flatMap((item, index) => {
    const [start, end] = [contentStart(item), contentEnd(item)];
    if (!removed.has(item) || start === undefined || end === undefined) return [];
    const comma = commaOf(index > lastKept ? item : items[index + 1]);
    if (index <= lastKept)
      return comma === undefined ? [] : [{ start, end: afterComma(text, comma.offset + 1), text: '', depth: 0 }];
    // An item behind the last remaining item is removed with the comma before it. A comment between the comma and the
    // item is about the item before. Its line break must stay.
    const least = item.start.some(({ type }) => type === 'comment') ? start : (comma?.offset ?? start - 1) + 1;
    let from = start;
    while (from > least && /\s/.test(text[from - 1] ?? '')) from--;
    const ofComma = comma === undefined ? [] : [{ start: comma.offset, end: comma.offset + 1, text: '', depth: 0 }];
    return [...ofComma, { start: from, end, text: '', depth: 0 }];
  });
}

function commaOf(item: PairTokens | undefined): CST.SourceToken | undefined {
  return item?.start.find(({ type }) => type === 'comma');
}

/** Returns the start of the content after a comma. A comment on the comma's line is about the item before the comma. */
function afterComma(text: string, offset: number): number {
  const comment = /[ \t]*#.*/y;
  comment.lastIndex = offset;
  return skipSpace(text, offset + (comment.exec(text)?.[0].length ?? 0));
}

function skipSpace(text: string, offset: number): number {
  let end = offset;
  while (/\s/.test(text[end] ?? '')) end++;
  return end;
}
