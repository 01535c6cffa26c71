import { filled, INK, RED, stroked } from './colours.ts';
import { element, textAt, textWidth } from './svg-elements.ts';
import type { Markup } from '../../base/text/visible.ts';

export const LABEL_SIZE = 12;
export const LABEL_ROW = 15;

/** A moment whose seconds are written above the bar, at a point of the axis in pixels. */
export interface Mark {
  readonly x: number;
  readonly text: string;
  readonly isStop: boolean;
}

export interface PlacedMark extends Mark {
  /** Edges of the text, in pixels. */
  readonly left: number;
  readonly right: number;
  readonly row: number;
}

export interface Room {
  readonly left: number;
  readonly right: number;
}

/** Each mark as near to the bar as possible without touching the text or line of another mark. */
export function placeMarks(marks: readonly Mark[], room: Room): PlacedMark[] {
  const placed: PlacedMark[] = [];
  marks.forEach((mark, index) => {
    const next = marks[index + 1]?.x ?? Infinity;
    const places = placesFor(mark, marks.length);
    // The last resort is a row of its own: a line may cross the text, but no other text is covered.
    placed.push(
      places.find((place) => isFree(place, next, placed, room)) ?? { ...mark, ...centredText(mark), row: index },
    );
  });
  return placed;
}

/** Where a mark's text may go, the best place first: centred, else left or right of its line, row by row. */
function placesFor(mark: Mark, rows: number): PlacedMark[] {
  const width = textWidth(mark.text, LABEL_SIZE);
  const { left } = centredText(mark);
  const lefts = [left, mark.x - width + 1, mark.x - 1];
  return Array.from({ length: rows }).flatMap((_, row) =>
    lefts.map((candidate) => ({ ...mark, left: candidate, right: candidate + width, row })),
  );
}

function centredText({ x, text }: Mark): { left: number; right: number } {
  const width = textWidth(text, LABEL_SIZE);
  return { left: x - width / 2, right: x + width / 2 };
}

function isFree({ left, right, row }: PlacedMark, nextX: number, placed: readonly PlacedMark[], room: Room): boolean {
  if (left < room.left || right > Math.min(room.right, nextX - 2)) return false;
  return placed.every(
    (other) => (other.row < row || other.x + 4 <= left) && (other.row !== row || other.right + 8 <= left),
  );
}

/** A mark's text, and the line down to the bar: `rows` of text above it, from `top` to `bottom` in pixels. */
export function markMarkup(
  { x, left, right, row, text, isStop }: PlacedMark,
  rows: number,
  top: number,
  bottom: number,
): Markup {
  const baseline = top + (rows - row) * LABEL_ROW - 3;
  const colour = isStop ? RED : INK;
  const label = textAt((left + right) / 2, baseline, text, {
    'text-anchor': 'middle',
    'font-size': LABEL_SIZE,
    'font-weight': isStop ? 700 : 600,
    ...filled(colour),
  });
  const leader = element('path', {
    d: `M${x.toFixed(1)} ${baseline + 3} V${bottom}`,
    ...stroked(colour),
    'stroke-width': isStop ? 3 : 1,
  });
  return `${leader}${label}`;
}
