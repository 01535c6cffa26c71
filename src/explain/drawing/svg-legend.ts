import { escapeXml, type Markup } from '../../base/text/visible.ts';
import { tornEdge } from './svg-lane.ts';
import { filled, INK, MUTED, RED, stroked, toned } from './colours.ts';
import { element, textElement, type Block } from './svg-elements.ts';
import type { ContainerExplanation } from '../timeline/explanation.ts';
import type { Tone } from '../timeline/scene.ts';

const MEANINGS: Readonly<Record<Tone, string>> = {
  safe: 'guaranteed: no probe kills the container',
  unsure: 'may pass or recover, may be killed',
  unnoticed: 'not working, and no probe acts on it',
  stopping: 'being stopped: the grace period runs',
  dead: 'dead',
  serving: 'gets traffic',
  maybe: 'traffic starts or ends in this time',
  idle: 'no limit on the start, or no traffic',
};

/** Draws a sign at a place, 26 pixels wide and 12 high. */
type Sign = (x: number, y: number) => Markup;

const COLUMNS = 3;
const ROW = 20;

export function legendBlock(
  containers: readonly ContainerExplanation[],
  left: number,
  width: number,
  top: number,
): Block {
  const entries = entriesOf(containers);
  const rows = Math.ceil(entries.length / COLUMNS);
  const parts = entries.map(([sign, meaning], index) => {
    const x = left + Math.floor(index / rows) * (width / COLUMNS);
    const y = top + (index % rows) * ROW;
    return sign(x, y) + textElement(x + 34, y + 10.5, meaning, { 'font-size': 12, ...filled(INK) });
  });
  return { markup: element('g', {}, element('title', {}, escapeXml('legend')), ...parts), height: rows * ROW };
}

function entriesOf(containers: readonly ContainerExplanation[]): readonly (readonly [Sign, meaning: string])[] {
  const scenes = containers.flatMap((container) => container.scenes);
  const segments = scenes.flatMap(({ lanes }) => lanes.flatMap((lane) => lane.segments));
  const used = new Set(segments.map(({ tone }) => tone));
  const tones = (Object.keys(MEANINGS) as Tone[]).filter((tone) => used.has(tone));
  const hasBreak = scenes.some(({ end, lanes }) =>
    lanes.some((lane) => lane.segments.some(({ to }) => to !== Infinity && to > end)),
  );
  return [
    ...tones.map((tone) => [swatch(tone), MEANINGS[tone]] as const),
    ...(used.has('stopping') ? [[stopMark, 'the kill begins at the latest'] as const] : []),
    ...(hasBreak ? [[breakMark, 'time is left out: not linear'] as const] : []),
  ];
}

const swatch =
  (tone: Tone): Sign =>
  (x, y) =>
    element('rect', { x, y, width: 26, height: 12, ...toned(tone) });

const stopMark: Sign = (x, y) =>
  element('path', { d: `M${(x + 13).toFixed(1)} ${y - 1} v15`, ...stroked(RED), 'stroke-width': 3 });

const breakMark: Sign = (x, y) =>
  element('path', { d: `M${x.toFixed(1)} ${y + 6} h26`, ...stroked(MUTED), 'stroke-width': 1 }) +
  tornEdge(x + 13, y + 2, 8);
