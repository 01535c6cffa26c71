import type { CST } from 'yaml';
import { endsInBlockScalar, renderBlock } from './rendering.ts';
import { contentEnd, contentStart, insertLines, lineBreakBefore, lineEndAfter, tokenEnd } from './text-edits.ts';
import type { Addition, TextEdit } from './text-edits.ts';
import type { Layout } from './layout.ts';

/** Returns the edit that appends to a block collection with content. */
export function blockAdditions(
  text: string,
  collection: CST.BlockMap | CST.BlockSequence,
  additions: readonly Addition[],
  layout: Layout,
): TextEdit {
  const { indent } = collection;
  const lines = additions
    .flatMap(({ key, value }) => renderBlock(key, value, layout))
    .map((line) => (line === '' ? line : ' '.repeat(indent) + line));
  const isMap = collection.type === 'block-map';
  if (isMap && isOpenEnded(text, collection)) return linesBeforeLast(text, collection, lines, layout);
  // A comment at a sequence's own indentation may be about the key below.
  const at = endOfCollection(text, collection, isMap ? Math.max(indent, 1) : indent + 1);
  // A block scalar at the end of the text needs a line break.
  const isCutOff = at === text.length && !text.endsWith('\n') && endsInBlockScalar(additions.at(-1)?.value);
  return insertLines(text, at, isCutOff ? [...lines, ''] : lines, layout.eol, indent);
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
