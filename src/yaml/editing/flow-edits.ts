import type { CST } from 'yaml';
import {
  renderFlow,
  renderFlowKey,
  yamlFromJson,
  endsInBlockScalar,
  renderBlock,
  yamlQuoted,
  type FlowStyle,
} from './rendering.ts';
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
} from './text-edits.ts';
import type { Addition, PairTokens, TextEdit } from './text-edits.ts';
import { visible } from '../../base/text/visible.ts';
import type { Layout } from './layout.ts';

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
    .map((item) => contentStart(item))
    .findLast((start) => start !== undefined && startsLine(text, start));
  if (ownLine === undefined) {
    const added = rendered((value) => renderFlow(value, style));
    return [appendOnLine(text, last, added, style)];
  }
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
function flowReplacement(
  text: string,
  parent: CST.FlowCollection,
  item: PairTokens,
  value: unknown,
  layout: Layout,
  quoted: string | undefined,
): TextEdit | undefined {
  const isMap = parent.start.source === '{';
  const style = styleOf(parent, layout);
  const itemStart = contentStart(item) ?? 0;
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
  const isClosedBefore = lineEnd >= closing;
  const at = isClosedBefore ? (comma === undefined ? end : comma.offset + 1) : lineEnd;
  const lines = `${lineBreak}${indent}${joined}${comma === undefined || isClosedBefore ? '' : ','}`;
  const edit: TextEdit = { start: at, end: at, text: lines, depth: 0 };
  return comma === undefined ? [{ start: end, end, text: ',', depth: 1 }, edit] : [edit];
}

/** Formats the value of a pair on its own line. The value spans several lines if the document's JSON does. */
function renderOwnLine(value: unknown, indent: string, style: FlowStyle, layout: Layout): string {
  if (!layout.json || layout.jsonStep === undefined || !style.quoted) return renderFlow(value, style);
  return yamlFromJson(JSON.stringify(value, null, layout.jsonStep)).replaceAll('\n', layout.eol + indent);
}

export interface Slot {
  readonly parent: CST.BlockMap | CST.BlockSequence | CST.FlowCollection;
  readonly tokens: PairTokens;
}

/** Returns the edits that replace a value. Undefined when the notation of the item is not supported. */
export function replacement(text: string, slot: Slot, value: unknown, layout: Layout): TextEdit[] | undefined {
  const { parent, tokens } = slot;
  const old = tokens.value;
  if (parent.type === 'flow-collection') {
    const edit = flowReplacement(text, parent, tokens, value, layout, quotedLike(old, value));
    return edit && [edit];
  }
  const head = lastSignificantEnd(parent.type === 'block-map' ? (tokens.sep ?? []) : tokens.start);
  if (head === undefined) return undefined;
  const [first = '', ...rest] = linesOf(parent, old, value, layout);
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

function linesOf(
  parent: Slot['parent'],
  old: CST.Token | undefined,
  value: unknown,
  layout: Layout,
): readonly string[] {
  const quoted = quotedLike(old, value);
  if (quoted !== undefined) return [` ${quoted}`];
  const isMap = parent.type === 'block-map';
  const [first = '', ...rest] = renderBlock(isMap ? 'k' : undefined, value, layout);
  return [first.slice(isMap ? 'k:'.length : '-'.length), ...rest];
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
