import { escapeXml, type Markup } from '../../base/text/visible.ts';
import { LABEL_ROW, labelPlace, narrowFrame, placeLane, placeTicks, type Frame } from './svg-lane.ts';
import { axisText, segmentTimes } from './scene-scale.ts';
import { textWidth, type Block } from './svg-elements.ts';
import type { Lane, Scene } from '../timeline/scene.ts';

/** Width of a scene in a page, in units of its viewBox: the width of a phone, so that no text becomes too small. */
export const PAGE_SCENE_WIDTH = 400;

/** Size of labels in bars, height of a line of text, and the most parts that ticks make. */
const LABEL = 11;
const LINE = 17;
const MOST_TICKS = 4;
const EDGE = 2;

/** Draws a text that many scenes have, at the left of a base line. A page may draw it once, and refer to it. */
export type Phrase = (words: string, y: number, name: 'head' | 'lane') => Markup;

/**
 * A scene as the content of an `svg` element of PAGE_SCENE_WIDTH. A page may hold a thousand scenes, so each element is
 * as short as HTML allows, and the page's style sheet has the colours: of a text, by the path before it. The heading
 * has two lines, because a wide font would cut off one.
 */
export function pageScene(scene: Scene, phrase: Phrase = (words, y, name) => text(0, y, words, name)): Block {
  const frame = narrowFrame(scene, EDGE, PAGE_SCENE_WIDTH - 2 * EDGE, MOST_TICKS);
  let top = 2 * LINE + 4;
  const parts = scene.lanes.map((lane) => {
    const block = laneMarkup(lane, frame, top, phrase);
    top += block.height + 6;
    return block.markup;
  });
  const heading = phrase(scene.title, 12, 'head') + phrase(scene.origin, 28, 'lane');
  const axis = axisMarkup(frame, top, phrase);
  return { markup: heading + parts.join('') + axis.markup, height: top + axis.height };
}

/** The axis of a scene: ticks with their seconds, and a line that says when the scale is not linear. */
function axisMarkup(frame: Frame, top: number, phrase: Phrase): Block {
  const { scale } = frame;
  const ticks = placeTicks(frame);
  const lines = ticks.map(({ x }) => `M${Math.round(x)} ${top}v4`).join('');
  const texts = ticks.map(({ x, text: seconds = '' }) =>
    seconds === '' ? '' : `<tspan x=${Math.round(middleInside(x, seconds))}>${seconds}</tspan>`,
  );
  const axis = `<path class=tick d="${lines}"/><text class=at y=${top + 14}>${texts.join('')}</text>`;
  if (scale.breakAt === undefined) return { markup: axis, height: LINE };
  return { markup: axis + phrase(axisText(scale), top + 28, 'lane'), height: 2 * LINE };
}

/** The middle of a text that stays in the drawing, also in a wide font. */
function middleInside(x: number, words: string): number {
  const half = textWidth(words, 14) / 2;
  return Math.min(Math.max(x, half), PAGE_SCENE_WIDTH - half);
}

/** The content of a scene in words, for readers who do not see the picture. */
export function sceneInWords({ title, origin, lanes }: Scene): string {
  const told = lanes.map(({ title: lane, segments }) => {
    const texts = segments.map((segment) => `${segmentTimes(segment)}: ${segment.label}`);
    return `${lane}: ${texts.join('; ')}.`;
  });
  return [`${title} (${origin}).`, ...told].join(' ');
}

function laneMarkup(lane: Lane, frame: Frame, top: number, phrase: Phrase): Block {
  const { barHeight, scale } = frame;
  const { stretches, marks, rows } = placeLane(lane, frame);
  const barTop = top + LINE + rows * LABEL_ROW + 2;
  const middle = Math.round(barTop + barHeight / 2);
  const baseline = middle + LABEL / 3;
  const bars = stretches.map(({ segment, left, right }) => {
    const [x, end] = [Math.round(left), Math.round(right)];
    const at = labelPlace({ segment, left, right }, frame, LABEL);
    const label = at === undefined ? '' : text(at, baseline, segment.label);
    return `<path class=${segment.tone} d="M${x} ${middle}h${end - x}"/>${label}`;
  });
  const signs = marks.map(({ x, left, right, row, text: words, isStop }) => {
    const base = top + LINE + (rows - row) * LABEL_ROW - 3;
    const line = `M${Math.round(x)} ${base + 3}V${isStop ? barTop + barHeight + 3 : barTop}`;
    const label = text(middleInside((left + right) / 2, words), base, words);
    return `<path class=${isStop ? 'stop' : 'tick'} d="${line}"/>${label}`;
  });
  const slant = barHeight + 6;
  const torn =
    scale.breakAt === undefined
      ? ''
      : `<path class=torn d="M${Math.round(frame.left + scale.breakAt) - 7} ${middle + slant / 2}l7-${slant}h7l-7 ${slant}z"/>`;
  const markup = [phrase(lane.title, top + 11, 'lane'), ...bars, torn, ...signs].join('');
  return { markup, height: barTop + barHeight + 3 - top };
}

function text(x: number, y: number, words: string, name?: string): Markup {
  const place = `${name === undefined ? '' : ` class=${name}`}${x === 0 ? '' : ` x=${Math.round(x)}`}`;
  return `<text${place} y=${Math.round(y)}>${escapeXml(words)}</text>`;
}
