import type { CST } from 'yaml';
import type { Addition } from './yaml-in-place.ts';
import type { Layout } from './yaml-layout.ts';
import { renderBlock } from './yaml-rendering.ts';
import { contentEnd, insertLines, lastSignificantEnd, lineEndAfter, tokenEnd } from './yaml-text-edits.ts';
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
  for (const { key, value, present } of additions) {
    if (present === undefined) {
      lines.push(...indented(renderBlock(key, value, layout), map.indent));
      continue;
    }
    const filled = fillNull(text, map, present.srcToken, value, layout);
    if (filled === undefined) return undefined;
    edits.push(...filled);
  }
  if (lines.length > 0) edits.push(insertLines(text, endOfMap(text, map), lines, layout.eol, map.indent));
  return edits;
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
  if (lines.length > 0) edits.push(insertLines(text, lineEndAfter(text, end), lines, layout.eol, map.indent + 1));
  return edits;
}

function indented(lines: readonly string[], indent: number): string[] {
  return lines.map((line) => (line === '' ? line : ' '.repeat(indent) + line));
}
