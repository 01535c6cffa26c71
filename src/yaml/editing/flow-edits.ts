import type { CST } from 'yaml';
import { renderFlow, renderFlowKey, yamlFromJson } from './rendering.ts';
import type { Layout } from './layout.ts';
import type { FlowStyle } from './rendering.ts';
import {
  beforeLineBreak,
  contentEnd,
  flowItemStart,
  hasContent,
  lastSignificantEnd,
  lineBreakBefore,
  lineEndAfter,
  lineIndent,
  startsLine,
  tokenEnd,
} from './text-edits.ts';
import type { Addition, PairTokens, TextEdit } from './text-edits.ts';

/** Returns the edits that add keys to a flow mapping with content and braces of its own. */
export function flowEdits(
  text: string,
  map: CST.FlowCollection,
  additions: readonly Addition[],
  layout: Layout,
): TextEdit[] {
  const style = styleOf(map, layout);
  const added = {
    onLine: () => additions.map(({ key, value }) => `${renderFlowKey(key, style)}${renderFlow(value, style)}`),
    onOwnLines: (indent: string) =>
      additions.map(({ key, value }) => `${renderFlowKey(key, style)}${renderOwnLine(value, indent, style, layout)}`),
  };
  return appendItems(text, map, added, style, layout);
}

/**
 * Returns the edits that append elements to a flow sequence with content. The elements get lines of their own if the
 * last elements have.
 */
export function flowElementEdits(
  text: string,
  list: CST.FlowCollection,
  elements: readonly unknown[],
  layout: Layout,
): TextEdit[] {
  const style = { quoted: layout.json, compact: layout.json && layout.compact };
  return appendItems(
    text,
    list,
    {
      onLine: () => elements.map((element) => renderFlow(element, style)),
      onOwnLines: (indent) => elements.map((element) => renderOwnLine(element, indent, style, layout)),
    },
    style,
    layout,
  );
}

/**
 * Returns the edit that replaces the value of an item, also where the value is not written: `{key: }`, `{key}`.
 * Undefined for an element of a list that is not written.
 *
 * @param quoted the text of the value; undefined = as the collection is written
 */
export function flowReplacement(
  text: string,
  parent: CST.FlowCollection,
  item: PairTokens,
  value: unknown,
  layout: Layout,
  quoted: string | undefined,
): TextEdit | undefined {
  const isMap = parent.start.source === '{';
  const style = isMap ? styleOf(parent, layout) : { quoted: layout.json, compact: layout.json && layout.compact };
  const itemStart = flowItemStart(item) ?? 0;
  const rendered =
    quoted ??
    (startsLine(text, itemStart)
      ? renderOwnLine(value, lineIndent(text, itemStart), style, layout)
      : renderFlow(value, style));
  const end = contentEnd(item) ?? 0;
  if (item.value !== undefined) return { start: item.value.offset, end, text: rendered, depth: 0 };
  if (!isMap) return undefined;
  const hasColon = lastSignificantEnd(item.sep ?? []) !== undefined;
  const start = hasColon || !item.key ? end : tokenEnd(item.key);
  return { start, end: start, text: `${hasColon ? '' : ':'} ${rendered}`, depth: 0 };
}

/** Quotes keys in the same way as other keys of the mapping. An empty mapping follows the style of the document. */
function styleOf(map: CST.FlowCollection, layout: Layout): FlowStyle {
  const sibling = map.items.findLast(({ key }) => key);
  const quoted = sibling === undefined ? layout.json : sibling.key?.type === 'double-quoted-scalar';
  return { quoted, compact: quoted && layout.compact };
}

/** New items of a flow collection, as text. */
interface NewItems {
  readonly onLine: () => readonly string[];
  readonly onOwnLines: (indent: string) => readonly string[];
}

function appendItems(
  text: string,
  collection: CST.FlowCollection,
  added: NewItems,
  style: FlowStyle,
  layout: Layout,
): TextEdit[] {
  const items = collection.items.filter(hasContent);
  const last = items.at(-1) ?? { start: [] };
  const ownLine = items
    .map((item) => flowItemStart(item))
    .findLast((start) => start !== undefined && startsLine(text, start));
  if (ownLine === undefined) return [appendOnLine(text, last, added.onLine().join(separator(style)), style)];
  const indent = lineIndent(text, ownLine);
  return appendLines(text, collection, last, indent, added.onOwnLines(indent), layout);
}

function appendOnLine(text: string, last: PairTokens, pairs: string, style: FlowStyle): TextEdit {
  const end = contentEnd(last) ?? 0;
  // In `{a:, b: 1}`, some parsers would read `a:,` as the key without this space.
  const gap = last.value === undefined && text[end - 1] === ':' ? ' ' : '';
  return { start: end, end, text: gap + separator(style) + pairs, depth: 0 };
}

/**
 * Adds a comma after the last pair if the comma is missing, and new lines below the last pair's line. A comment on that
 * line is kept.
 */
function appendLines(
  text: string,
  map: CST.FlowCollection,
  last: PairTokens,
  indent: string,
  pairs: readonly string[],
  layout: Layout,
): TextEdit[] {
  const end = contentEnd(last) ?? 0;
  const closing = map.end[0]?.offset ?? end;
  const comma = map.items.flatMap(({ start }) => start).find(({ type, offset }) => type === 'comma' && offset >= end);
  const lineBreak = lineBreakBefore(text, end) ?? layout.eol;
  const joined = pairs.join(`,${lineBreak}${indent}`);
  const lineEnd = beforeLineBreak(text, lineEndAfter(text, comma?.offset ?? end));
  if (lineEnd >= closing) {
    const start = comma === undefined ? end : comma.offset + 1;
    return [{ start, end: start, text: `${comma === undefined ? ',' : ''}${lineBreak}${indent}${joined}`, depth: 0 }];
  }
  const added = `${lineBreak}${indent}${joined}${comma === undefined ? '' : ','}`;
  const edits: TextEdit[] = [{ start: lineEnd, end: lineEnd, text: added, depth: 0 }];
  return comma === undefined ? [{ start: end, end, text: ',', depth: 1 }, ...edits] : edits;
}

/** Formats the value of a pair on its own line. The value spans several lines if the document's JSON does. */
function renderOwnLine(value: unknown, indent: string, style: FlowStyle, layout: Layout): string {
  if (!layout.json || layout.jsonStep === undefined || !style.quoted) return renderFlow(value, style);
  return yamlFromJson(JSON.stringify(value, null, layout.jsonStep)).replaceAll('\n', layout.eol + indent);
}

function separator(style: FlowStyle): string {
  return style.compact ? ',' : ', ';
}
