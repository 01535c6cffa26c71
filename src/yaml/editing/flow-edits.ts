import type { CST } from 'yaml';
import { renderFlow, renderFlowKey, yamlFromJson, type FlowStyle } from './rendering.ts';
import type { Layout } from './layout.ts';
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

/**
 * Returns the edits that append to a flow collection with content, on lines of their own if the last items have such
 * lines. A flow mapping must have braces of its own.
 */
export function flowAdditions(
  text: string,
  collection: CST.FlowCollection,
  additions: readonly Addition[],
  layout: Layout,
): TextEdit[] {
  const style = styleOf(collection, layout);
  const rendered = (render: (value: unknown) => string): string[] =>
    additions.map(({ key, value }) => (key === undefined ? '' : renderFlowKey(key, style)) + render(value));
  const items = collection.items.filter(hasContent);
  const last = items.at(-1) ?? { start: [] };
  const ownLine = items
    .map((item) => flowItemStart(item))
    .findLast((start) => start !== undefined && startsLine(text, start));
  if (ownLine === undefined)
    return [
      appendOnLine(
        text,
        last,
        rendered((value) => renderFlow(value, style)),
        style,
      ),
    ];
  const indent = lineIndent(text, ownLine);
  const lines = rendered((value) => renderOwnLine(value, indent, style, layout));
  return appendLines(text, collection, contentEnd(last) ?? 0, indent, lines, layout);
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
  const style = styleOf(parent, layout);
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

/** Quotes keys in the same way as other keys of the mapping. Lists and empty mappings follow the document's style. */
function styleOf(collection: CST.FlowCollection, layout: Layout): FlowStyle {
  const sibling = collection.start.source === '{' ? collection.items.findLast(({ key }) => key) : undefined;
  const quoted = sibling === undefined ? layout.json : sibling.key?.type === 'double-quoted-scalar';
  return { quoted, compact: quoted && layout.compact };
}

function appendOnLine(text: string, last: PairTokens, added: readonly string[], style: FlowStyle): TextEdit {
  const end = contentEnd(last) ?? 0;
  // In `{a:, b: 1}`, some parsers would read `a:,` as the key without this space.
  const gap = last.value === undefined && text[end - 1] === ':' ? ' ' : '';
  const separator = style.compact ? ',' : ', ';
  return { start: end, end, text: gap + separator + added.join(separator), depth: 0 };
}

/** Adds new lines below the last item, and a missing comma after it. A comment on its line is kept. */
function appendLines(
  text: string,
  collection: CST.FlowCollection,
  end: number,
  indent: string,
  added: readonly string[],
  layout: Layout,
): TextEdit[] {
  const closing = collection.end[0]?.offset ?? end;
  const starts = collection.items.flatMap(({ start }) => start);
  const comma = starts.find(({ type, offset }) => type === 'comma' && offset >= end);
  const lineBreak = lineBreakBefore(text, end) ?? layout.eol;
  const joined = added.join(`,${lineBreak}${indent}`);
  const lineEnd = beforeLineBreak(text, lineEndAfter(text, comma?.offset ?? end));
  if (lineEnd >= closing) {
    const start = comma === undefined ? end : comma.offset + 1;
    return [{ start, end: start, text: `${comma === undefined ? ',' : ''}${lineBreak}${indent}${joined}`, depth: 0 }];
  }
  const lines = `${lineBreak}${indent}${joined}${comma === undefined ? '' : ','}`;
  const edits: TextEdit[] = [{ start: lineEnd, end: lineEnd, text: lines, depth: 0 }];
  return comma === undefined ? [{ start: end, end, text: ',', depth: 1 }, ...edits] : edits;
}

/** Formats the value of a pair on its own line. The value spans several lines if the document's JSON does. */
function renderOwnLine(value: unknown, indent: string, style: FlowStyle, layout: Layout): string {
  if (!layout.json || layout.jsonStep === undefined || !style.quoted) return renderFlow(value, style);
  return yamlFromJson(JSON.stringify(value, null, layout.jsonStep)).replaceAll('\n', layout.eol + indent);
}
