import { duration } from './seconds.ts';
import { escapeXml } from '../../text/xml.ts';
import { element, textAt, textWidth } from './svg-elements.ts';
import type { Lane, Segment, Tone } from './scenes.ts';
import type { Markup } from '../../text/xml.ts';

/** Left edge and length of the time axis, in pixels. */
export const AXIS_LEFT = 200;
export const AXIS_LENGTH = 700;

const BAR_HEIGHT = 26;
const LABEL_SIZE = 12;
const LABEL_ROW = 15;
/** Narrowest bar of a stretch of time: a second of six hundred must still be seen. */
const NARROWEST = 4;

/** Colours that differ in lightness, too; the ones of uncertain time are hatched. */
export const FILLS: Readonly<Record<Tone, string>> = {
  safe: '#2e9f5e',
  unsure: 'url(#unsure)',
  stopping: 'url(#stopping)',
  dead: '#5b6069',
  unnoticed: '#d9a78f',
  idle: '#dfe3e8',
  maybe: 'url(#maybe)',
  serving: '#3f86c9',
};

/** Text that can be read on each of them. */
const INKS: Readonly<Record<Tone, string>> = {
  safe: '#ffffff',
  unsure: '#3d2c00',
  stopping: '#6b0d14',
  dead: '#ffffff',
  unnoticed: '#42210f',
  idle: '#4a515b',
  maybe: '#0d3358',
  serving: '#ffffff',
};

export const RED = '#c8141f';

/** The hatchings that FILLS name. */
export function hatchings(): Markup {
  return element(
    'defs',
    {},
    hatching('unsure', '#ffc233', '#f2a100'),
    hatching('stopping', '#f9c9cc', '#ef9aa0'),
    hatching('maybe', '#cfe3f5', '#9cc6ea'),
  );
}

function hatching(id: string, ground: string, stripe: string): Markup {
  return element(
    'pattern',
    { id, width: 10, height: 10, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)' },
    element('rect', { width: 10, height: 10, fill: ground }),
    element('rect', { width: 5, height: 10, fill: stripe }),
  );
}

/** A stretch of time, in pixels from the left of the picture. */
interface Stretch {
  readonly segment: Segment;
  readonly left: number;
  readonly right: number;
  /** It goes on longer than the axis shows. */
  readonly cut: boolean;
}

/** Part of the picture, and how much height it takes in pixels. */
export interface Block {
  readonly markup: Markup;
  readonly height: number;
}

/** A lane: its bar, and above it the seconds at which something changes. */
export function laneBlock(lane: Lane, end: number, top: number): Block {
  const stretches = stretchesOf(lane, end);
  const marks = placeMarks(marksOf(lane, stretches));
  const rows = Math.max(0, ...marks.map(({ row }) => row + 1));
  const barTop = top + rows * LABEL_ROW + 4;
  const markup = [
    textAt(AXIS_LEFT - 14, barTop + BAR_HEIGHT / 2 + 4, lane.title, { 'text-anchor': 'end', 'font-size': 12.5 }),
    ...stretches.map((stretch) => stretchMarkup(stretch, barTop)),
    ...marks.map((mark) => markMarkup(mark, rows, top, barTop)),
  ].join('\n');
  return { markup, height: barTop + BAR_HEIGHT - top };
}

/** Where each segment is drawn: to scale, but none too narrow to be seen, and all of them on the axis. */
function stretchesOf({ segments }: Lane, end: number): Stretch[] {
  const axisRight = AXIS_LEFT + AXIS_LENGTH;
  let left = AXIS_LEFT;
  return segments.map((segment, index) => {
    const after = segments.length - index - 1;
    const exact = AXIS_LEFT + (Math.min(segment.to, end) / end) * AXIS_LENGTH;
    const right = after === 0 ? axisRight : Math.min(Math.max(exact, left + NARROWEST), axisRight - after * CUT_ROOM);
    const stretch = { segment, left, right, cut: after > 0 && segment.to > end };
    left = right;
    return stretch;
  });
}

/** Pixels kept at the right for each segment that begins beyond the axis. */
const CUT_ROOM = 44;

function stretchMarkup({ segment, left, right, cut }: Stretch, top: number): Markup {
  const { tone, label } = segment;
  const width = right - left;
  const bar = { x: left, y: top, width, height: BAR_HEIGHT, fill: FILLS[tone] };
  const fits = textWidth(label, LABEL_SIZE) + 10 <= width - (cut ? 24 : 0);
  const middle = (left + right - (cut ? 20 : 0)) / 2;
  return [
    element('rect', bar, element('title', {}, escapeXml(segment.caption))),
    ...(fits ? [centred(middle, top + BAR_HEIGHT / 2 + 4, label, INKS[tone])] : []),
    ...(cut ? [tornEdge(right - 12, top)] : []),
  ].join('');
}

function centred(x: number, y: number, text: string, fill: string): Markup {
  return textAt(x, y, text, { 'text-anchor': 'middle', 'font-size': LABEL_SIZE, 'font-weight': 600, fill });
}

/** Two slanted lines through the bar: time has been left out here. */
function tornEdge(x: number, top: number): Markup {
  const line = (offset: number): string => `M${x + offset - 4} ${top + BAR_HEIGHT + 3} l8 ${-(BAR_HEIGHT + 6)}`;
  return [
    element('path', { d: `${line(0)} h7 l-8 ${BAR_HEIGHT + 6} z`, fill: '#ffffff' }),
    element('path', { d: `${line(0)} ${line(7)}`, stroke: '#5b6069', 'stroke-width': 1.4, fill: 'none' }),
  ].join('');
}

/** A moment that is worth its number, at a point of the axis in pixels. */
interface Mark {
  readonly x: number;
  readonly text: string;
  readonly isStop: boolean;
}

/** The ends of all segments but the last, which has none. The start needs no mark: the axis has its 0. */
function marksOf({ stopAt }: Lane, stretches: readonly Stretch[]): Mark[] {
  return stretches.slice(0, -1).map(({ segment, right }) => {
    const isStop = segment.to === stopAt;
    return { x: right, text: isStop ? `killed: ${duration(segment.to)}` : duration(segment.to), isStop };
  });
}

interface PlacedMark extends Mark {
  /** Edges of the text, in pixels. */
  readonly left: number;
  readonly right: number;
  /** 0 is next to the bar. */
  readonly row: number;
}

/** How far texts may go beyond the axis, in pixels: lane titles are lower down, and the picture has a margin. */
const LEFT_LIMIT = AXIS_LEFT - 170;
const RIGHT_LIMIT = AXIS_LEFT + AXIS_LENGTH + 30;

/** Each mark as near to the bar as it can be without touching another one's text or line. */
function placeMarks(marks: readonly Mark[]): PlacedMark[] {
  const placed: PlacedMark[] = [];
  marks.forEach((mark, index) => {
    const next = marks[index + 1]?.x ?? Infinity;
    const places = placesFor(mark, marks.length);
    // The last place is a row of its own: it may be crossed by a line, but covers no text.
    placed.push(places.find((place) => isFree(place, next, placed)) ?? { ...mark, ...centredText(mark), row: index });
  });
  return placed;
}

/** Where a mark may go, the best first: centred, else to the left or to the right of its line, row by row. */
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

function isFree({ left, right, row }: PlacedMark, nextX: number, placed: readonly PlacedMark[]): boolean {
  if (left < LEFT_LIMIT || right > Math.min(RIGHT_LIMIT, nextX - 2)) return false;
  return placed.every(
    (other) => (other.row < row || other.x + 4 <= left) && (other.row !== row || other.right + 8 <= left),
  );
}

function markMarkup(
  { x, left, right, row, text, isStop }: PlacedMark,
  rows: number,
  top: number,
  barTop: number,
): Markup {
  const baseline = top + (rows - row) * LABEL_ROW - 3;
  const colour = isStop ? RED : '#2b3038';
  const label = textAt((left + right) / 2, baseline, text, {
    'text-anchor': 'middle',
    'font-size': LABEL_SIZE,
    'font-weight': isStop ? 700 : 600,
    fill: colour,
  });
  const bottom = isStop ? barTop + BAR_HEIGHT + 4 : barTop;
  const leader = element('path', {
    d: `M${x.toFixed(1)} ${baseline + 3} V${bottom}`,
    stroke: colour,
    'stroke-width': isStop ? 3 : 1,
  });
  return `${leader}${label}`;
}
