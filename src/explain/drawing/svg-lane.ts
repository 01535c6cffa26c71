import { duration } from '../../base/text/duration.ts';
import { escapeXml } from '../../base/text/xml.ts';
import { segmentTimes } from './segment-times.ts';
import { tornEdge } from './svg-break.ts';
import { filled, INK, INKS, toned } from './svg-colours.ts';
import { element, textAt, textWidth } from './svg-elements.ts';
import { LABEL_ROW, LABEL_SIZE, markMarkup, placeMarks } from './svg-marks.ts';
import type { Lane, Segment } from '../timeline/scene.ts';
import type { Markup } from '../../base/text/xml.ts';
import type { Block } from './svg-elements.ts';
import type { Frame } from './svg-frame.ts';
import type { Mark, PlacedMark } from './svg-marks.ts';

/** Narrowest bar of a stretch of time: a second of six hundred must still be seen. */
const NARROWEST = 4;

/** A stretch of time, in pixels from the left of the picture. */
export interface Stretch {
  readonly segment: Segment;
  readonly left: number;
  readonly right: number;
}

/** A lane with a place for everything that is drawn of it. */
export interface PlacedLane {
  readonly stretches: readonly Stretch[];
  readonly marks: readonly PlacedMark[];
  /** Rows of marks above the bar. */
  readonly rows: number;
}

/** Places a lane's stretches of time, and the seconds at which each ends. */
export function placeLane(lane: Lane, frame: Frame): PlacedLane {
  const { left, length, hasTitles } = frame;
  const stretches = stretchesOf(lane, frame);
  const room = { left: left - (hasTitles ? 170 : 6), right: left + length + (hasTitles ? 30 : 6) };
  const marks = placeMarks(marksOf(lane, stretches, frame), room);
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
    ...(frame.hasTitles ? [textAt(left - 14, middle, lane.title, title)] : []),
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
  const text = { 'text-anchor': 'middle', 'font-size': size, 'font-weight': 600, ...filled(INKS[tone]) };
  return [
    element('rect', bar, element('title', {}, escapeXml(`${segmentTimes(segment)}: ${caption}`))),
    ...(at === undefined ? [] : [textAt(at, top + barHeight / 2 + size / 3, label, text)]),
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

/** The part of a stretch that has the most room, where a break divides the stretch. */
function widerPart(left: number, right: number, breakAt: number | undefined): [number, number] {
  if (breakAt === undefined || breakAt <= left || breakAt >= right) return [left, right];
  return breakAt - left >= right - breakAt ? [left, breakAt - 8] : [breakAt + 8, right];
}

/** The ends of all segments but the last, which has no end. The start needs no mark: the axis has its 0. */
function marksOf({ stopAt, stopSign = 'SIGTERM' }: Lane, stretches: readonly Stretch[], { hasTitles }: Frame): Mark[] {
  return stretches.slice(0, -1).map(({ segment, right }) => {
    const isStop = segment.to === stopAt;
    const text = hasTitles ? duration(segment.to) : `${segment.to} s`;
    return { x: right, text: isStop ? `${stopSign}: ${text}` : text, isStop };
  });
}
