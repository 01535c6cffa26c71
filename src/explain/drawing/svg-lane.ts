import { duration } from '../../base/text/duration.ts';
import { escapeXml, type Markup } from '../../base/text/visible.ts';
import { INK, MUTED, PAPER, RED, filled, inkOn, stroked, toned } from './colours.ts';
import { axisText, sceneScale, segmentTimes, type SceneScale } from './scene-scale.ts';
import { element, textElement, textWidth, type Block } from './svg-elements.ts';
import { MEASURED, measuredCaption, type Lane, type Scene, type Segment } from '../timeline/scene.ts';

/** Narrowest bar of a stretch of time: a second of six hundred must still be seen. */
const NARROWEST = 4;

/** A stretch of time, in pixels from the left of the picture. */
interface Stretch {
  readonly segment: Segment;
  readonly left: number;
  readonly right: number;
}

/** A lane with a place for everything that is drawn of it. */
interface PlacedLane {
  readonly stretches: readonly Stretch[];
  readonly marks: readonly PlacedMark[];
  /** Rows of marks above the bar. */
  readonly rows: number;
}

export function placeLane(lane: Lane, frame: Frame): PlacedLane {
  const stretches = stretchesOf(lane, frame);
  const marks = placeMarks(lane, stretches, frame);
  return { stretches, marks, rows: Math.max(0, ...marks.map(({ row }) => row + 1)) };
}

/** A lane: its bar, and above the bar the seconds at which a segment ends. */
export function laneBlock(lane: Lane, frame: Frame, top: number): Block {
  const { left, scale, barHeight } = frame;
  const { stretches, marks, rows } = placeLane(lane, frame);
  const barTop = top + rows * LABEL_ROW + 4;
  const middle = barTop + barHeight / 2 + 4;
  const title = { 'text-anchor': 'end', 'font-size': 12.5, ...filled(INK) };
  const markup = [
    ...(frame.hasTitles ? [textElement(left - 14, middle, lane.title, title)] : []),
    ...stretches.map((stretch) => stretchMarkup(stretch, frame, barTop)),
    ...(scale.breakAt === undefined ? [] : [tornEdge(left + scale.breakAt, barTop, barHeight)]),
    ...marks.map((mark) => markMarkup(mark, rows, top, mark.isStop ? barTop + barHeight + 3 : barTop)),
  ].join('\n');
  return { markup, height: barTop + barHeight - top };
}

/** Where each segment is drawn: to scale, but wide enough to be seen. */
function stretchesOf({ segments }: Lane, { left: start, length, scale }: Frame): Stretch[] {
  let left = start;
  return segments.map((segment, index) => {
    const after = segments.length - index - 1;
    const exact = start + scale.placeOf(segment.to);
    const right =
      after === 0 ? start + length : Math.min(Math.max(exact, left + NARROWEST), start + length - after * NARROWEST);
    const stretch = { segment, left, right };
    left = right;
    return stretch;
  });
}

function stretchMarkup({ segment, left, right }: Stretch, frame: Frame, top: number): Markup {
  const { tone, label, caption } = segment;
  const { barHeight } = frame;
  const bar = { x: left, y: top, width: right - left, height: barHeight, ...toned(tone) };
  const size = Math.min(LABEL_SIZE, barHeight - 4);
  const at = labelPlace({ segment, left, right }, frame, size);
  const text = { 'text-anchor': 'middle', 'font-size': size, 'font-weight': 600, ...filled(inkOn(tone)) };
  return [
    element('rect', bar, element('title', {}, escapeXml(`${segmentTimes(segment)}: ${caption}`))),
    ...(at === undefined ? [] : [textElement(at, top + barHeight / 2 + size / 3, label, text)]),
  ].join('');
}

/** The middle of a label in its bar. Undefined when the label does not fit. */
export function labelPlace(
  { segment, left, right }: Stretch,
  { left: start, scale }: Frame,
  size: number,
): number | undefined {
  const [from, to] = widerPart(left, right, scale.breakAt === undefined ? undefined : start + scale.breakAt);
  return textWidth(segment.label, size) + 10 <= to - from ? (from + to) / 2 : undefined;
}

function widerPart(left: number, right: number, breakAt: number | undefined): [number, number] {
  if (breakAt === undefined || breakAt <= left || breakAt >= right) return [left, right];
  return breakAt - left >= right - breakAt ? [left, breakAt - 8] : [breakAt + 8, right];
}

export interface Frame {
  readonly left: number;
  readonly length: number;
  readonly scale: SceneScale;
  readonly barHeight: number;
  readonly hasTitles: boolean;
}

const STEP = 52;

/** The frame of a scene that has the page's width. */
export function wideFrame(scene: Scene): Frame {
  return { ...narrowFrame(scene, 200, 700), barHeight: 26, hasTitles: true };
}

/** The frame of a scene that shares a row with another scene. */
export function narrowFrame(scene: Scene, left: number, length: number, mostTicks = 10): Frame {
  return { left, length, scale: sceneScale(scene, length, STEP, mostTicks), barHeight: 15, hasTitles: false };
}

/** Half the width of the gap and of the slant, in pixels. */
const HALF = 4;

/** Two slanted lines through a bar or an axis: time is left out here. */
export function tornEdge(x: number, top: number, height: number): Markup {
  const rise = height + 6;
  const line = (offset: number): string => `M${(x + offset - HALF).toFixed(1)} ${top + height + 3} l8 ${-rise}`;
  return [
    element('path', { d: `${line(-HALF)} h8 l-8 ${rise} z`, ...filled(PAPER) }),
    element('path', { d: `${line(-HALF)} ${line(HALF)}`, ...stroked(MUTED), 'stroke-width': 1.4, fill: 'none' }),
  ].join('');
}

const SIZE = 11;

/** The axis below the lanes, with its seconds. The axis breaks where the bars break. */
export function axisBlock(frame: Frame, top: number): Block {
  const { left, length, scale } = frame;
  const line = { ...stroked(MUTED), 'stroke-width': 1 };
  const words = (x: number, text: string, anchor: string): Markup =>
    textElement(x, top + 19, text, { 'text-anchor': anchor, 'font-size': SIZE, ...filled(MUTED) });
  const parts = [
    element('path', { d: `M${left} ${top + 2} h${length}`, ...line }),
    words(left - 14, axisText(scale), 'end'),
    ...placeTicks(frame).flatMap(({ x, text }) => [
      element('path', { d: `M${x.toFixed(1)} ${top + 2} v5`, ...line }),
      ...(text === undefined ? [] : [words(x, text, 'middle')]),
    ]),
    ...(scale.breakAt === undefined ? [] : [tornEdge(left + scale.breakAt, top - 1, 6)]),
  ];
  return { markup: parts.join(''), height: 26 };
}

/** The ticks of an axis with their seconds. A tick whose text would touch the text before has none. */
export function placeTicks({ left, scale }: Frame): { readonly x: number; readonly text: string | undefined }[] {
  let free = -Infinity;
  return scale.ticks.map(({ at, seconds }) => {
    const [x, text] = [left + at, String(seconds)];
    const half = textWidth(text, SIZE) / 2;
    if (x - half < free) return { x, text: undefined };
    free = x + half + 4;
    return { x, text };
  });
}

const RADIUS = 3.5;
const HEIGHT = 14;

/** Measured starts as dots on the axis of their scene. Starts beyond the axis are at its end. */
export function startsBlock(starts: readonly number[], end: number, frame: Frame, top: number): Block {
  const { left, scale, hasTitles } = frame;
  const middle = top + HEIGHT / 2;
  const name = { 'text-anchor': 'end', 'font-size': 12.5, ...filled(INK) };
  // A dot that lies under another dot is drawn once.
  const places = [...new Set(starts.map((start) => Math.round(scale.placeOf(Math.min(start, end)))))];
  const dots = places.map((at) => element('circle', { cx: left + at, cy: middle, r: RADIUS, ...filled(INK) }));
  const markup = [
    ...(hasTitles ? [textElement(left - 14, middle + 4, MEASURED, name)] : []),
    element('g', {}, element('title', {}, escapeXml(measuredCaption(starts))), ...dots),
  ].join('\n');
  return { markup, height: HEIGHT };
}

const LABEL_SIZE = 12;
export const LABEL_ROW = 15;

/** A moment whose seconds are written above the bar, at a point of the axis in pixels. */
interface PlacedMark {
  readonly x: number;
  readonly text: string;
  readonly isStop: boolean;
  /** Edges of the text, in pixels. */
  readonly left: number;
  readonly right: number;
  readonly row: number;
}

/**
 * The ends of all segments but the last, which has no end. The start needs no mark: the axis has its 0. Each mark is as
 * near to the bar as possible without touching the text or line of another mark: centred, else left or right of its
 * line, row by row.
 */
function placeMarks(
  { stopSign = 'SIGTERM' }: Lane,
  stretches: readonly Stretch[],
  { left: start, length, hasTitles }: Frame,
): PlacedMark[] {
  const room = { left: start - (hasTitles ? 170 : 6), right: start + length + (hasTitles ? 30 : 6) };
  const ends = stretches.slice(0, -1);
  const placed: PlacedMark[] = [];
  for (const [index, { segment, right: x }] of ends.entries()) {
    const isStop = stretches[index + 1]?.segment.tone === 'stopping';
    const seconds = hasTitles ? duration(segment.to) : `${segment.to} s`;
    const text = isStop ? `${stopSign}: ${seconds}` : seconds;
    const width = textWidth(text, LABEL_SIZE);
    const edge = Math.min(room.right, (ends[index + 1]?.right ?? Infinity) - 2);
    const at = (left: number, row: number): PlacedMark => ({ x, text, isStop, left, right: left + width, row });
    const isFree = ({ left, right, row }: PlacedMark): boolean =>
      left >= room.left &&
      right <= edge &&
      placed.every((other) => other.row < row || (other.row > row ? other.x + 4 : other.right + 8) <= left);
    const centred = x - width / 2;
    const places = ends.flatMap((_, row) => [centred, x - width + 1, x - 1].map((left) => at(left, row)));
    // The last resort is a row of its own: a line may cross the text, but no other text is covered.
    placed.push(places.find(isFree) ?? at(centred, index));
  }
  return placed;
}

/** A mark's text, and the line down to the bar: `rows` of text above it, from `top` to `bottom` in pixels. */
function markMarkup(
  { x, left, right, row, text, isStop }: PlacedMark,
  rows: number,
  top: number,
  bottom: number,
): Markup {
  const baseline = top + (rows - row) * LABEL_ROW - 3;
  const colour = isStop ? RED : INK;
  const label = textElement((left + right) / 2, baseline, text, {
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
