import { escapeXml, type Markup } from '../../base/text/visible.ts';
import { LABEL_ROW, labelPlace, narrowFrame, placeLane, type Frame } from './svg-lane.ts';
import { segmentTimes } from './scene-scale.ts';
import type { Lane, Scene } from '../timeline/scene.ts';
import type { Block } from './svg-elements.ts';

/** Width of a scene in a page, in units of its viewBox: the width of a phone, so that no text becomes too small. */
export const PAGE_SCENE_WIDTH = 400;

/** Size of labels in bars, and height of a lane's title. */
const LABEL = 11;
const TITLE = 17;
const EDGE = 2;

/**
 * A scene as the content of an `svg` element of PAGE_SCENE_WIDTH. A page may hold a thousand scenes, so each element is
 * as short as HTML allows, and the page's style sheet has the colours.
 */
export function pageScene(scene: Scene): Block {
  const frame = narrowFrame(scene, EDGE, PAGE_SCENE_WIDTH - 2 * EDGE);
  let top = TITLE + 3;
  const parts = scene.lanes.map((lane) => {
    const block = laneMarkup(lane, frame, top);
    top += block.height + 6;
    return block.markup;
  });
  const title = `<text class=head x=0 y=12>${escapeXml(scene.title)} (${escapeXml(scene.origin)})</text>`;
  return { markup: title + parts.join(''), height: top };
}

/** The content of a scene in words, for readers who do not see the picture. */
export function sceneInWords({ title, origin, lanes }: Scene): string {
  const told = lanes.map(({ title: lane, segments }) => {
    const texts = segments.map((segment) => `${segmentTimes(segment)}: ${segment.label}`);
    return `${lane}: ${texts.join('; ')}.`;
  });
  return [`${title} (${origin}).`, ...told].join(' ');
}

function laneMarkup(lane: Lane, frame: Frame, top: number): Block {
  const { barHeight, scale } = frame;
  const { stretches, marks, rows } = placeLane(lane, frame);
  const barTop = top + TITLE + rows * LABEL_ROW + 2;
  const baseline = barTop + barHeight / 2 + LABEL / 3;
  const middle = barTop + barHeight / 2;
  const bars = stretches.map(({ segment, left, right }) => {
    const [x, end] = [Math.round(left), Math.round(right)];
    const at = labelPlace({ segment, left, right }, frame, LABEL);
    const label = at === undefined ? '' : text(at, baseline, segment.label, `on-${segment.tone}`);
    return `<path class=${segment.tone} d="M${x} ${middle}h${end - x}"/>${label}`;
  });
  const signs = marks.map(({ x, left, right, row, text: words, isStop }) => {
    const base = top + TITLE + (rows - row) * LABEL_ROW - 3;
    const line = `M${Math.round(x)} ${base + 3}V${isStop ? barTop + barHeight + 3 : barTop}`;
    return `<path class=${isStop ? 'stop' : 'tick'} d="${line}"/>${text((left + right) / 2, base, words, isStop ? 'stop-text' : undefined)}`;
  });
  const slant = barHeight + 6;
  const torn =
    scale.breakAt === undefined
      ? ''
      : `<path class=torn d="M${Math.round(frame.left + scale.breakAt) - 7} ${middle + slant / 2}l7-${slant}h7l-7 ${slant}z"/>`;
  const markup = [text(0, top + 11, lane.title, 'lane'), ...bars, torn, ...signs].join('');
  return { markup, height: barTop + barHeight + 3 - top };
}

function text(x: number, y: number, words: string, name?: string): Markup {
  return `<text ${name === undefined ? '' : `class=${name} `}x=${Math.round(x)} y=${Math.round(y)}>${escapeXml(words)}</text>`;
}
