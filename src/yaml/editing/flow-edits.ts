import type { CST } from 'yaml';
import { yamlFromJson } from '../quoted-scalar.ts';
import type { Addition } from './key-addition.ts';
import type { Layout } from './layout.ts';
import { renderFlow, renderFlowKey } from './rendering.ts';
import type { FlowStyle } from './rendering.ts';
import {
  beforeLineBreak,
  contentEnd,
  lastSignificantEnd,
  lineBreakBefore,
  lineEndAfter,
  lineIndent,
  startsLine,
  tokenEnd,
} from './text-edits.ts';
import type { PairTokens, TextEdit } from './text-edits.ts';

/**
 * Returns the edits that add keys to a flow mapping with its own braces. A null value is replaced in each of its
 * notations.
 */
export function flowEdits(
  text: string,
  map: CST.FlowCollection,
  additions: readonly Addition[],
  layout: Layout,
): TextEdit[] | undefined {
  const style = styleOf(map, layout);
  const edits: TextEdit[] = [];
  const fresh: Addition[] = [];
  for (const addition of additions) {
    if (addition.present === undefined) fresh.push(addition);
    else edits.push(fillNull(text, addition.present.srcToken ?? { start: [] }, addition.value, style, layout));
  }
  return fresh.length > 0 ? edits.concat(appendPairs(text, map, fresh, style, layout)) : edits;
}

/** Quotes keys in the same way as other keys of the mapping. An empty mapping follows the style of the document. */
function styleOf(map: CST.FlowCollection, layout: Layout): FlowStyle {
  const sibling = map.items.findLast(({ key }) => key);
  const quoted = sibling === undefined ? layout.json : sibling.key?.type === 'double-quoted-scalar';
  return { quoted, compact: quoted && layout.compact };
}

function appendPairs(
  text: string,
  map: CST.FlowCollection,
  additions: readonly Addition[],
  style: FlowStyle,
  layout: Layout,
): TextEdit[] {
  const items = map.items.filter(hasContent);
  const last = items.at(-1);
  if (last === undefined) return [fillEmpty(text, map, additions, style, layout)];
  const lineKey = items.findLast(({ key }) => key && startsLine(text, key.offset))?.key;
  if (!lineKey) return [appendOnLine(text, last, renderPairs(additions, style).join(separator(style)), style)];
  const indent = lineIndent(text, lineKey.offset);
  return appendLines(text, map, last, indent, renderOwnLines(additions, indent, style, layout), layout);
}

function hasContent({ key, sep, value }: PairTokens): boolean {
  return Boolean(key) || value !== undefined || lastSignificantEnd(sep ?? []) !== undefined;
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

/** Fills `{}` and `{ }`. In JSON with several lines, the keys get lines of their own between the braces. */
function fillEmpty(
  text: string,
  map: CST.FlowCollection,
  additions: readonly Addition[],
  style: FlowStyle,
  layout: Layout,
): TextEdit {
  const start = map.offset + 1;
  const closing = map.end[0]?.offset ?? start;
  const inside = text.slice(start, closing);
  if (!layout.json || layout.jsonStep === undefined || inside.trim() !== '') {
    const padding = /^[ \t]/.test(inside) ? ' ' : '';
    return { start, end: start, text: padding + renderPairs(additions, style).join(separator(style)), depth: 0 };
  }
  const outer = lineIndent(text, map.offset);
  const indent = outer + layout.jsonStep;
  const lineBreak = lineBreakBefore(text, start) ?? layout.eol;
  const lines = renderOwnLines(additions, indent, style, layout).join(`,${lineBreak}${indent}`);
  return { start, end: closing, text: `${lineBreak}${indent}${lines}${lineBreak}${outer}`, depth: 0 };
}

/** Sets the value of `key: null`, `key:` or `key`. */
function fillNull(text: string, pair: PairTokens, value: unknown, style: FlowStyle, layout: Layout): TextEdit {
  const end = contentEnd(pair) ?? 0;
  const ownLine = pair.key && startsLine(text, pair.key.offset) ? lineIndent(text, pair.key.offset) : undefined;
  const rendered = ownLine === undefined ? renderFlow(value, style) : renderOwnLine(value, ownLine, style, layout);
  if (pair.value !== undefined) return { start: pair.value.offset, end, text: rendered, depth: 0 };
  const hasColon = lastSignificantEnd(pair.sep ?? []) !== undefined;
  const start = hasColon || !pair.key ? end : tokenEnd(pair.key);
  return { start, end: start, text: `${hasColon ? '' : ':'} ${rendered}`, depth: 0 };
}

function renderPairs(additions: readonly Addition[], style: FlowStyle): string[] {
  return additions.map(({ key, value }) => `${renderFlowKey(key, style)}${renderFlow(value, style)}`);
}

function renderOwnLines(additions: readonly Addition[], indent: string, style: FlowStyle, layout: Layout): string[] {
  return additions.map(
    ({ key, value }) => `${renderFlowKey(key, style)}${renderOwnLine(value, indent, style, layout)}`,
  );
}

/** Formats the value of a pair on its own line. The value spans several lines if the document's JSON does. */
function renderOwnLine(value: unknown, indent: string, style: FlowStyle, layout: Layout): string {
  if (!layout.json || layout.jsonStep === undefined || !style.quoted) return renderFlow(value, style);
  return yamlFromJson(JSON.stringify(value, null, layout.jsonStep)).replaceAll('\n', layout.eol + indent);
}

function separator(style: FlowStyle): string {
  return style.compact ? ',' : ', ';
}
