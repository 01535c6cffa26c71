import { duration } from '../text/duration.ts';
import { escapeXml } from '../text/xml.ts';
import { AXIS_LEFT, AXIS_LENGTH } from './svg-axis.ts';
import { FILLS, INKS } from './svg-colours.ts';
import { element, textAt, textWidth } from './svg-elements.ts';
import { LABEL_ROW, LABEL_SIZE, markMarkup, placeMarks } from './svg-marks.ts';
import type { Lane, Segment } from '../timeline/scene.ts';
import type { Markup } from '../text/xml.ts';
import type { Block } from './svg-elements.ts';
import type { Mark } from './svg-marks.ts';

const BAR_HEIGHT = 26;
/** Narrowest bar of a stretch of time: a second of six hundred must still be seen. */
const NARROWEST = 4;

/** A stretch of time, in pixels from the left of the picture. */
interface Stretch {
  readonly segment: Segment;
  readonly left: number;
  readonly right: number;
  /** The segment is longer than the axis shows. */
  readonly cut: boolean;
}

/** A lane: its bar, and above the bar the seconds at which a segment ends. */
export function laneBlock(lane: Lane, end: number, top: number): Block {
  const stretches = stretchesOf(lane, end);
  const marks = placeMarks(marksOf(lane, stretches));
  const rows = Math.max(0, ...marks.map(({ row }) => row + 1));
  const barTop = top + rows * LABEL_ROW + 4;
  const markup = [
    textAt(AXIS_LEFT - 14, barTop + BAR_HEIGHT / 2 + 4, lane.title, { 'text-anchor': 'end', 'font-size': 12.5 }),
    ...stretches.map((stretch) => stretchMarkup(stretch, barTop)),
    ...marks.map((mark) => markMarkup(mark, rows, top, mark.isStop ? barTop + BAR_HEIGHT + 4 : barTop)),
  ].join('\n');
  return { markup, height: barTop + BAR_HEIGHT - top };
}

/** Where each segment is drawn: to scale, but wide enough to be seen, and all of them on the axis. */
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

/** The ends of all segments but the last, which has no end. The start needs no mark: the axis has its 0. */
function marksOf({ stopAt }: Lane, stretches: readonly Stretch[]): Mark[] {
  return stretches.slice(0, -1).map(({ segment, right }) => {
    const isStop = segment.to === stopAt;
    return { x: right, text: isStop ? `killed: ${duration(segment.to)}` : duration(segment.to), isStop };
  });
}
