import type { CST } from 'yaml';
import type { Layout } from './layout.ts';
import { endsInBlockScalar, renderBlock, renderBlockItem } from './rendering.ts';
import { contentEnd, contentStart, insertLines, lineBreakBefore, lineEndAfter, tokenEnd } from './text-edits.ts';
import type { Addition, TextEdit } from './text-edits.ts';

/** Returns the edit that adds keys to a block mapping. */
export function blockEdits(text: string, map: CST.BlockMap, additions: readonly Addition[], layout: Layout): TextEdit {
  const lines = additions.flatMap(({ key, value }) => indented(renderBlock(key, value, layout), map.indent));
  if (isOpenEnded(text, map)) return linesBeforeLast(text, map, lines, layout);
  const end = endOfCollection(text, map, Math.max(map.indent, 1));
  return linesOf(additions.at(-1)?.value, text, end, lines, layout, map.indent);
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

function indented(lines: readonly string[], indent: number): string[] {
  return lines.map((line) => (line === '' ? line : ' '.repeat(indent) + line));
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
