import type { CST } from 'yaml';
import { isOpenEnded } from './cut-off-block-scalar.ts';
import type { Addition } from './key-addition.ts';
import type { Layout } from './layout.ts';
import { endsInBlockScalar, renderBlock, renderBlockItem } from './rendering.ts';
import {
  contentEnd,
  contentStart,
  insertLines,
  lastSignificantEnd,
  lineBreakBefore,
  lineEndAfter,
  tokenEnd,
} from './text-edits.ts';
import type { TextEdit } from './text-edits.ts';

/**
 * Returns the edits that add keys to a block mapping. Undefined when a null value in the mapping cannot be located
 * safely.
 */
export function blockEdits(
  text: string,
  map: CST.BlockMap,
  additions: readonly Addition[],
  layout: Layout,
): TextEdit[] | undefined {
  const edits: TextEdit[] = [];
  const lines: string[] = [];
  let last: unknown;
  for (const { key, value, present } of additions) {
    if (present === undefined) {
      for (const line of indented(renderBlock(key, value, layout), map.indent)) lines.push(line);
      last = value;
      continue;
    }
    const filled = fillNull(text, map, present.srcToken, value, layout);
    if (filled === undefined) return undefined;
    for (const edit of filled) edits.push(edit);
  }
  if (lines.length === 0) return edits;
  if (isOpenEnded(text, map)) edits.push(linesBeforeLast(text, map, lines, layout));
  else edits.push(linesOf(last, text, endOfCollection(text, map, Math.max(map.indent, 1)), lines, layout, map.indent));
  return edits;
}

/** Returns the edit that appends elements to a block sequence with content. */
export function blockElementEdit(
  text: string,
  list: CST.BlockSequence,
  elements: readonly unknown[],
  layout: Layout,
): TextEdit {
  const lines = elements.flatMap((element) => indented(renderBlockItem(element, layout), list.indent));
  // A comment at the sequence's own indentation may be about the key below.
  const end = endOfCollection(text, list, list.indent + 1);
  return linesOf(elements.at(-1), text, end, lines, layout, list.indent);
}

/**
 * Inserts lines that end with a value. A text without a final line break keeps its form. Exception: a block scalar at
 * the end needs the line break.
 */
function linesOf(
  value: unknown,
  text: string,
  at: number,
  lines: readonly string[],
  layout: Layout,
  depth: number,
): TextEdit {
  const needsBreak = at === text.length && !text.endsWith('\n') && endsInBlockScalar(value);
  return insertLines(text, at, needsBreak ? [...lines, ''] : lines, layout.eol, depth);
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
 * Sets the value of `key:` or `key: null # comment`. The first line of the value goes before the comment, the other
 * lines go below.
 */
function fillNull(
  text: string,
  map: CST.BlockMap,
  pair: CST.CollectionItem | undefined,
  value: unknown,
  layout: Layout,
): TextEdit[] | undefined {
  if (pair?.sep === undefined || pair.start.some(({ type }) => type === 'explicit-key-ind')) return undefined;
  const start = lastSignificantEnd(pair.sep);
  const end = contentEnd(pair);
  if (start === undefined || end === undefined || text.slice(start, end).includes('\n')) return undefined;
  const [first = '', ...rest] = renderBlock('k', value, layout);
  const edits: TextEdit[] = [{ start, end, text: first.slice('k:'.length), depth: map.indent + 1 }];
  const lines = indented(rest, map.indent);
  if (lines.length > 0) edits.push(linesOf(value, text, lineEndAfter(text, end), lines, layout, map.indent + 1));
  return edits;
}

function indented(lines: readonly string[], indent: number): string[] {
  return lines.map((line) => (line === '' ? line : ' '.repeat(indent) + line));
}
