import type { CST } from 'yaml';
import { yamlFromJson } from '../text/yaml-text.ts';
import { append } from './append.ts';
import type { Addition } from './yaml-in-place.ts';
import type { Layout } from './yaml-layout.ts';
import { renderFlow, renderFlowKey } from './yaml-rendering.ts';
import type { FlowStyle } from './yaml-rendering.ts';
import {
  beforeLineBreak,
  contentEnd,
  lastSignificantEnd,
  lineBreakBefore,
  lineEndAfter,
  lineIndent,
  startsLine,
  tokenEnd,
} from './yaml-text-edits.ts';
import type { PairTokens, TextEdit } from './yaml-text-edits.ts';

/** The edits that write keys into a flow mapping with its own braces; undefined for a null that is written strangely. */
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
  if (fresh.length > 0) append(edits, appendPairs(text, map, fresh, style, layout));
  return edits;
}

/** Keys are quoted as their siblings are, and in a mapping without any as the document's form has it. */
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
  // `{a:, b: 1}`: to some parsers the comma would make `a:` the key.
  const gap = last.value === undefined && text[end - 1] === ':' ? ' ' : '';
  return { start: end, end, text: gap + separator(style) + pairs, depth: 0 };
}

/** A comma behind the last pair unless there is one, and lines of their own behind its line with the comment it may have. */
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

/** `{}` and `{ }`. In JSON that is written over several lines the braces part. */
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

/** `key: null`, `key:` or `key` alone gets its value. */
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

/** The value of a pair that has a line of its own: over several lines where the document does so with its JSON. */
function renderOwnLine(value: unknown, indent: string, style: FlowStyle, layout: Layout): string {
  if (!layout.json || layout.jsonStep === undefined || !style.quoted) return renderFlow(value, style);
  return yamlFromJson(JSON.stringify(value, null, layout.jsonStep)).replaceAll('\n', layout.eol + indent);
}

function separator(style: FlowStyle): string {
  return style.compact ? ',' : ', ';
}
