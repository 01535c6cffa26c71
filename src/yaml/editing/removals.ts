import type { CST } from 'yaml';
import { contentEnd, contentStart, lineEndAfter, lineStartBefore, startsLine } from './text-edits.ts';
import type { PairTokens, TextEdit } from './text-edits.ts';

/**
 * Returns the edits that remove items from a collection. At least one item must remain.
 *
 * @param items all items with content, in order
 */
export function removals(
  text: string,
  collection: CST.BlockMap | CST.BlockSequence | CST.FlowCollection,
  items: readonly PairTokens[],
  removed: ReadonlySet<PairTokens>,
): TextEdit[] {
  if (removed.size === 0) return [];
  const remove = collection.type === 'flow-collection' ? flowRemovals : blockRemovals;
  return remove(text, items, removed);
}

/** Removes whole lines. A comment on the last line of an item is removed too, because the comment is about the item. */
function blockRemovals(text: string, items: readonly PairTokens[], removed: ReadonlySet<PairTokens>): TextEdit[] {
  const edits: TextEdit[] = [];
  let firstKept = items.findIndex((item) => !removed.has(item));
  if (startsLine(text, contentStart(items[0] ?? { start: [] }) ?? 0)) firstKept = 0;
  if (firstKept > 0) {
    // The collection starts on the line of a dash. The next item moves up to the dash.
    const start = contentStart(items[0] ?? { start: [] }) ?? 0;
    const end = skipSpace(text, lineEndAfter(text, contentEnd(items[firstKept - 1] ?? { start: [] }) ?? start));
    edits.push({ start, end, text: '', depth: 0 });
  }
  for (const item of items.slice(firstKept)) {
    const [start, end] = [contentStart(item), contentEnd(item)];
    if (!removed.has(item) || start === undefined || end === undefined) continue;
    edits.push({ start: lineStartBefore(text, start), end: lineEndAfter(text, end), text: '', depth: 0 });
  }
  return edits;
}

function flowRemovals(text: string, items: readonly PairTokens[], removed: ReadonlySet<PairTokens>): TextEdit[] {
  const lastKept = items.findLastIndex((item) => !removed.has(item));
  return items.flatMap((item, index) => {
    const [start, end] = [contentStart(item), contentEnd(item)];
    if (!removed.has(item) || start === undefined || end === undefined) return [];
    if (index > lastKept) return lastFlowRemoval(text, item, start, end);
    const comma = commaOf(items[index + 1]);
    return comma === undefined ? [] : [{ start, end: afterComma(text, comma.offset + 1), text: '', depth: 0 }];
  });
}

/** Removes an item behind the last remaining item, with the comma before the item. */
function lastFlowRemoval(text: string, item: PairTokens, start: number, end: number): TextEdit[] {
  const comma = commaOf(item);
  const edits: TextEdit[] =
    comma === undefined ? [] : [{ start: comma.offset, end: comma.offset + 1, text: '', depth: 0 }];
  let from = start;
  // A comment between the comma and the item is about the item before. Its line break must stay.
  const least = item.start.some(({ type }) => type === 'comment') ? start : (comma?.offset ?? start - 1) + 1;
  while (from > least && /\s/.test(text[from - 1] ?? '')) from--;
  return [...edits, { start: from, end, text: '', depth: 0 }];
}

function commaOf(item: PairTokens | undefined): CST.SourceToken | undefined {
  return item?.start.find(({ type }) => type === 'comma');
}

/** Returns the start of the content after a comma. A comment on the comma's line is about the item before the comma. */
function afterComma(text: string, offset: number): number {
  const comment = /[ \t]*#.*/y;
  comment.lastIndex = offset;
  return skipSpace(text, offset + (comment.exec(text)?.[0].length ?? 0));
}

function skipSpace(text: string, offset: number): number {
  let end = offset;
  while (/\s/.test(text[end] ?? '')) end++;
  return end;
}
