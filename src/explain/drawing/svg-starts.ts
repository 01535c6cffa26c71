import { escapeXml } from '../../base/text/xml.ts';
import { filled, INK } from './svg-colours.ts';
import { element, textAt } from './svg-elements.ts';
import type { MeasuredStarts } from '../timeline/scene.ts';
import type { Block } from './svg-elements.ts';
import type { Frame } from './svg-frame.ts';

const RADIUS = 3.5;
const HEIGHT = 14;

/** Measured starts as dots on the axis of their scene. Starts beyond the axis are at its end. */
export function startsBlock(
  { title, seconds, caption }: MeasuredStarts,
  end: number,
  frame: Frame,
  top: number,
): Block {
  const { left, scale, hasTitles } = frame;
  const middle = top + HEIGHT / 2;
  const name = { 'text-anchor': 'end', 'font-size': 12.5, ...filled(INK) };
  // A dot that lies under another dot is drawn once.
  const places = [...new Set(seconds.map((start) => Math.round(scale.placeOf(Math.min(start, end)))))];
  const dots = places.map((at) => element('circle', { cx: left + at, cy: middle, r: RADIUS, ...filled(INK) }));
  const markup = [
    ...(hasTitles ? [textAt(left - 14, middle + 4, title, name)] : []),
    element('g', {}, element('title', {}, escapeXml(caption)), ...dots),
  ].join('\n');
  return { markup, height: HEIGHT };
}
