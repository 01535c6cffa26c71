import { FIGURE_TITLES } from './model.ts';
import { outputLine, visible } from '../../text/visible.ts';
import { wrap } from '../../text/wrap.ts';
import { duration, tickStep } from './seconds.ts';
import type { Figure } from '../../probes/timing-figures.ts';
import type { ContainerExplanation, ProbeExplanation, WorkloadExplanation } from './model.ts';
import type { Lane, Scene, Segment, Tone } from './scenes.ts';

/** Columns of a line, and of those the ones that timelines take. */
const WIDTH = 118;
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
/** Columns kept for each segment that begins beyond the axis. */
const COLUMNS_AFTER_CUT = 4;

/** Workloads as text for a terminal, without colours: pipes and logs keep all of it. */
export function explanationsAsText(workloads: readonly WorkloadExplanation[]): string {
  return workloads.map(workloadText).join('\n');
}

function workloadText({ kind, namespace, name, place, containers, notInjected }: WorkloadExplanation): string {
  const reasons = notInjected.length > 0 ? ['  Not injected:', ...notInjected.flatMap(bullet), ''] : [];
  const lines = [
    `${visible(`${kind} ${namespace}/${name}`)}  (${visible(place)})`,
    '',
    ...containers.flatMap(containerLines),
    ...reasons,
  ];
  return lines.map((line) => `${outputLine(line.trimEnd())}\n`).join('');
}

function bullet(text: string): string[] {
  return wrap(visible(text), WIDTH - 6).map((line, index) => (index === 0 ? `    - ${line}` : `      ${line}`));
}

function containerLines(container: ContainerExplanation): string[] {
  const role = container.role === 'sidecar' ? 'native sidecar' : 'application container';
  return [
    `  ${visible(JSON.stringify(container.name))}, ${role} at ${container.path}`,
    ...wrap(container.headline, WIDTH - 4).map((line) => `    ${line}`),
    ...container.caveats.flatMap(bullet),
    '',
    ...probeLines(container.probes),
    ...figureTable(container.figures),
    ...container.scenes.flatMap(sceneLines),
  ];
}

function probeLines(probes: readonly ProbeExplanation[]): string[] {
  if (probes.length === 0) return ['    no probes', ''];
  const lines = probes.flatMap(({ kind, handler, from, letters }) => [
    `    ${kind.padEnd(15)} ${visible(handler)}`,
    `    ${''.padEnd(15)} ${inputsText(letters)}; from ${visible(from)}`,
  ]);
  return [...lines, ''];
}

const inputsText = (inputs: Readonly<Record<string, number>>): string =>
  Object.entries(inputs)
    .map(([letter, value]) => `${letter}=${value}`)
    .join(' ');

function figureTable(figures: readonly Figure[]): string[] {
  if (figures.length === 0) return [];
  const rows = figures.map((figure) => ({
    title: FIGURE_TITLES[figure.id],
    earliest: `${figure.span.earliest} s`,
    latest: `${figure.span.latest} s`,
    formula: `${figure.formula.earliest} .. ${figure.formula.latest}`,
    inputs: inputsText(figure.inputs),
    probe: figure.probe,
  }));
  const width = (column: 'title' | 'earliest' | 'latest', least: number): number =>
    Math.max(least, ...rows.map((row) => row[column].length));
  const [title, earliest, latest] = [width('title', 0), width('earliest', 8), width('latest', 6)];
  const head = `    ${''.padEnd(title)}  ${'earliest'.padStart(earliest)}  ${'latest'.padStart(latest)}  worked out as`;
  let probe = '';
  const lines = rows.flatMap((row) => {
    const section = row.probe === probe ? [] : [`    ${row.probe}`];
    probe = row.probe;
    const cells = [row.title.padEnd(title), row.earliest.padStart(earliest), row.latest.padStart(latest)];
    const start = `      ${cells.join('  ')}  `;
    const formula = `${start}${row.formula}`;
    const inputs = `with ${row.inputs}`;
    const isShort = formula.length + 2 + inputs.length <= WIDTH;
    return [...section, ...(isShort ? [`${formula}, ${inputs}`] : [formula, `${' '.repeat(start.length)}${inputs}`])];
  });
  return [head.replace(/^ {4}/, '      '), ...lines, ''];
}

function sceneLines(scene: Scene): string[] {
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
 * Every segment gets a column at least, in the order of time; the verdict has a mark of its own. What goes on longer than the axis ends
 * in `//`, and what comes after it keeps a few columns at the right.
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
  const lines = wrap(`${timesText(segment)}: ${caption}`, WIDTH - indent.length);
  return lines.map((line, index) => (index === 0 ? `${indent.slice(3)}${mark.padEnd(3)}${line}` : `${indent}${line}`));
}

/** `0 to 28 s`, or `from 64 s on`. */
export function timesText({ from, to }: Segment): string {
  return to === Infinity ? `from ${duration(from)} on` : `${from} to ${duration(to)}`;
}
