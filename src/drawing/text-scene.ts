import { tickStep } from '../text/duration.ts';
import { wrap } from '../text/wrap.ts';
import { segmentTimes } from './segment-times.ts';
import { TEXT_WIDTH } from './text-width.ts';
import type { Lane, Scene, Segment, Tone } from '../timeline/scene.ts';

/** Columns of a timeline's bar, and of the title before it. */
const BAR_COLUMNS = 80;
const TITLE_COLUMNS = 28;

/** One character for a column of the timeline. */
const CHARACTERS: Readonly<Record<Tone, string>> = {
  safe: '=',
  unsure: '?',
  stopping: 'x',
  dead: '#',
  unnoticed: '-',
  idle: '.',
  maybe: '~',
  serving: '+',
};
const STOP_MARK = '!';
/** Columns kept at the right for each segment that begins beyond the axis. */
const COLUMNS_AFTER_CUT = 4;

/** A scene as lines of text: an axis, and each lane as a bar with a caption for each segment. */
export function sceneLines(scene: Scene): string[] {
  return [
    `    ${scene.title} (${scene.origin})`,
    ...axisLines(scene.end),
    ...scene.lanes.flatMap((lane) => laneLines(lane, scene.end)),
    '',
  ];
}

/** Ticks with their seconds, at the columns where they fall. */
function axisLines(end: number): string[] {
  const step = tickStep(end, 8);
  const numbers: string[] = Array<string>(BAR_COLUMNS + 12).fill(' ');
  const ticks: string[] = Array<string>(BAR_COLUMNS).fill('-');
  for (let at = 0; at < end; at += step) {
    const column = columnOf(at, end);
    ticks[column] = '|';
    numbers.splice(column, String(at).length, ...Array.from(String(at)));
  }
  return [
    `${'    seconds'.padEnd(TITLE_COLUMNS + 6)}${numbers.join('')}`,
    `${' '.repeat(TITLE_COLUMNS + 6)}${ticks.join('')}`,
  ];
}

const columnOf = (at: number, end: number): number => Math.min(BAR_COLUMNS - 1, Math.floor((at / end) * BAR_COLUMNS));

function laneLines(lane: Lane, end: number): string[] {
  const title = `      ${lane.title.padEnd(TITLE_COLUMNS)}`;
  return [`${title}${barText(lane, end)}`, ...lane.segments.flatMap((segment) => captionLines(segment, lane))];
}

/**
 * A lane as characters. Every segment gets at least one column, in the order of time, and the verdict has a mark of its
 * own. A segment that is longer than the axis ends in `//`, and the segments after it keep a few columns at the right.
 */
function barText({ segments, stopAt }: Lane, end: number): string {
  const columns: string[] = [];
  segments.forEach((segment, index) => {
    const after = segments.length - index - 1;
    const last =
      after === 0
        ? BAR_COLUMNS
        : Math.min(
            BAR_COLUMNS - after * (segment.to > end ? COLUMNS_AFTER_CUT : 1),
            columnOf(Math.min(segment.to, end), end),
          );
    const count = Math.max(1, last - columns.length);
    const drawn: string[] = Array<string>(count).fill(CHARACTERS[segment.tone]);
    if (segment.from === stopAt && segment.tone === 'stopping') drawn[0] = STOP_MARK;
    if (after > 0 && segment.to > end && count > 2) drawn.splice(-2, 2, '/', '/');
    columns.push(...drawn);
  });
  return columns.join('');
}

function captionLines(segment: Segment, { stopAt }: Lane): string[] {
  const { tone, caption } = segment;
  const mark = segment.from === stopAt && tone === 'stopping' ? `${STOP_MARK}${CHARACTERS[tone]}` : CHARACTERS[tone];
  const indent = ' '.repeat(TITLE_COLUMNS + 6 + 3);
  const lines = wrap(`${segmentTimes(segment)}: ${caption}`, TEXT_WIDTH - indent.length);
  return lines.map((line, index) => (index === 0 ? `${indent.slice(3)}${mark.padEnd(3)}${line}` : `${indent}${line}`));
}
