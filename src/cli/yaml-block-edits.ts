import type { CST } from 'yaml';
import { append } from './append.ts';
import { isOpenEnded } from './open-end.ts';
import type { Addition } from './yaml-in-place.ts';
import type { Layout } from './yaml-layout.ts';
import { endsInBlockScalar, renderBlock } from './yaml-rendering.ts';
import {
  contentEnd,
  contentStart,
  insertLines,
  lastSignificantEnd,
  lineBreakBefore,
  lineEndAfter,
  tokenEnd,
} from './yaml-text-edits.ts';
import type { TextEdit } from './yaml-text-edits.ts';

/** The edits that write keys into a block mapping; undefined for one whose null value cannot be told from its surroundings. */
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
      append(lines, indented(renderBlock(key, value, layout), map.indent));
      last = value;
      continue;
    }
    const filled = fillNull(text, map, present.srcToken, value, layout);
    if (filled === undefined) return undefined;
    append(edits, filled);
  }
  if (lines.length === 0) return edits;
  if (isOpenEnded(text, map)) edits.push(linesBeforeLast(text, map, lines, layout));
  else edits.push(linesOf(last, text, endOfMap(text, map), lines, layout, map.indent));
  return edits;
}

/** Lines that end with a value. A text without a line break at its end goes on without, unless the value is a block scalar there and needs it. */
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
 * Before the last pair: where nothing may come after it. On the lines below the pair before, so that the comments above the last one stay with
 * it; a pair without one before it may start on the line of a sequence's dash.
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
 * After the last line of the last pair, and after the comments below it that stand in as far as the mapping does: those are part
 * of it. Comments further out speak of what follows, and so may those of a mapping that does not stand in at all.
 */
function endOfMap(text: string, map: CST.BlockMap): number {
  const end = lineEndAfter(text, tokenEnd(map));
  let result = end;
  for (let start = end; start < text.length; start = lineEndAfter(text, start + 1)) {
    const line = text.slice(start, lineEndAfter(text, start + 1));
    if (/^[ \t]*\r?\n?$/.test(line)) continue;
    const comment = /^( *)#/.exec(line);
    if ((comment?.[1]?.length ?? 0) < Math.max(map.indent, 1)) break;
    result = start + line.length;
  }
  return result;
}

/** `key:` or `key: null  # comment` gets its value: the rest of the first line goes before the comment, the others below. */
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
