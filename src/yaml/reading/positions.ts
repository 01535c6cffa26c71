/** A position in a text, as editors show it. */
export interface Position {
  /** Line number, from 1. Lines end at LF, so CRLF counts once. */
  readonly line: number;
  /** Column number, from 1, in UTF-16 units. A byte order mark has no column. */
  readonly column: number;
}

/**
 * Returns a function that converts an offset in the text to a position. An offset outside the text becomes the nearest
 * end of the text.
 */
export function positionsIn(text: string): (offset: number) => Position {
  const starts = lineStarts(text);
  return (offset) => {
    const clamped = Math.min(Math.max(offset, 0), text.length);
    const line = lastAtOrBefore(starts, clamped);
    return { line: line + 1, column: Math.max(clamped - (starts[line] ?? 0), 0) + 1 };
  };
}

function lineStarts(text: string): number[] {
  const starts = [text.startsWith('\uFEFF') ? 1 : 0];
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) starts.push(end + 1);
  return starts;
}

function lastAtOrBefore(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
