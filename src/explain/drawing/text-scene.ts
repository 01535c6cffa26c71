import { wrapEvenly } from '../../base/text/wrap.ts';
import { sceneScale, segmentTimes, type SceneScale } from './scene-scale.ts';
import { MEASURED, measuredCaption, type Lane, type Scene, type Segment, type Tone } from '../timeline/scene.ts';

export const TEXT_WIDTH = 118;

/** Columns of a timeline's bar, and of the title before it. */
const BAR_COLUMNS = 80;
const TITLE_COLUMNS = 28;

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
/** Columns from one moment after the break to the next. */
const COLUMNS_AFTER_BREAK = 6;

/** A scene as lines of text: an axis, and each lane as a bar with a caption for each segment. */
export function sceneLines(scene: Scene): string[] {
  const scale = sceneScale(scene, BAR_COLUMNS, COLUMNS_AFTER_BREAK, 8);
  return [
    `    ${scene.title} (${scene.origin})`,
    ...axisLines(scale),
    ...scene.lanes.flatMap((lane) => laneLines(lane, scale)),
    ...(scene.starts === undefined ? [] : startLines(scene.starts, scene.end, scale)),
    '',
  ];
}

const START_MARK = 'o';

/** Measured starts as marks on a bar of their own. Starts beyond the axis are at its end. */
function startLines(starts: readonly number[], end: number, scale: SceneScale): string[] {
  const columns: string[] = Array<string>(BAR_COLUMNS).fill(' ');
  for (const start of starts) columns[columnOf(scale.placeOf(Math.min(start, end)))] = START_MARK;
  const indent = ' '.repeat(TITLE_COLUMNS + 6);
  return [
    `      ${MEASURED.padEnd(TITLE_COLUMNS)}${columns.join('').trimEnd()}`,
    `${indent}${START_MARK}  ${measuredCaption(starts)}`,
  ];
}

/** Ticks with their seconds, at the columns where they fall. A number that would touch the one before is left out. */
function axisLines(scale: SceneScale): string[] {
  const ticks: string[] = Array<string>(BAR_COLUMNS).fill('-');
  let numbers = '';
  for (const { at, seconds } of scale.ticks) {
    const column = columnOf(at);
    ticks[column] = '|';
    if (numbers === '' || numbers.length < column) numbers = numbers.padEnd(column) + String(seconds);
  }
  return [
    `${'    seconds'.padEnd(TITLE_COLUMNS + 6)}${numbers}`,
    `${' '.repeat(TITLE_COLUMNS + 6)}${withBreak(ticks, scale).join('')}`,
  ];
}

const columnOf = (place: number): number => Math.min(BAR_COLUMNS - 1, Math.floor(place));

function withBreak(columns: string[], { breakAt }: SceneScale): string[] {
  if (breakAt !== undefined) columns.splice(columnOf(breakAt) - 1, 2, '/', '/');
  return columns;
}

function laneLines(lane: Lane, scale: SceneScale): string[] {
  const title = `      ${lane.title.padEnd(TITLE_COLUMNS)}`;
  return [`${title}${barText(lane, scale)}`, ...lane.segments.flatMap(captionLines)];
}

/** A lane as characters. Every segment gets at least one column, and the verdict has a mark of its own. */
function barText({ segments }: Lane, scale: SceneScale): string {
  const columns: string[] = [];
  const stops: number[] = [];
  segments.forEach((segment, index) => {
    const after = segments.length - index - 1;
    const last = after === 0 ? BAR_COLUMNS : Math.min(BAR_COLUMNS - after, columnOf(scale.placeOf(segment.to)));
    const count = Math.max(1, last - columns.length);
    if (segment.tone === 'stopping') stops.push(columns.length);
    columns.push(...Array<string>(count).fill(CHARACTERS[segment.tone]));
  });
  const drawn = withBreak(columns, scale);
  for (const column of stops) drawn[column] = STOP_MARK;
  return drawn.join('');
}

function captionLines(segment: Segment): string[] {
  const { tone, caption } = segment;
  const mark = tone === 'stopping' ? `${STOP_MARK}${CHARACTERS[tone]}` : CHARACTERS[tone];
  const indent = ' '.repeat(TITLE_COLUMNS + 6 + 3);
  const lines = wrapEvenly(`${segmentTimes(segment)}: ${caption}`, TEXT_WIDTH - indent.length);
  return lines.map((line, index) => (index === 0 ? `${indent.slice(3)}${mark.padEnd(3)}${line}` : `${indent}${line}`));
}
