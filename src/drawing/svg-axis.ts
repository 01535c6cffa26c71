import { tickStep } from '../text/duration.ts';
import { MUTED } from './svg-colours.ts';
import { element, textAt } from './svg-elements.ts';
import type { Block } from './svg-elements.ts';

/** Left edge and length of the time axis, in pixels. */
export const AXIS_LEFT = 200;
export const AXIS_LENGTH = 700;

/** The axis below the lanes, with its seconds. */
export function axisBlock(end: number, top: number): Block {
  const step = tickStep(end, 10);
  const parts = [
    element('path', { d: `M${AXIS_LEFT} ${top + 2} h${AXIS_LENGTH}`, stroke: MUTED, 'stroke-width': 1 }),
    textAt(AXIS_LEFT - 14, top + 19, 'seconds', { 'text-anchor': 'end', 'font-size': 11, fill: MUTED }),
  ];
  for (let at = 0; at <= end; at += step) {
    const x = AXIS_LEFT + (at / end) * AXIS_LENGTH;
    parts.push(element('path', { d: `M${x.toFixed(1)} ${top + 2} v5`, stroke: MUTED, 'stroke-width': 1 }));
    parts.push(textAt(x, top + 19, String(at), { 'text-anchor': 'middle', 'font-size': 11, fill: MUTED }));
  }
  return { markup: parts.join(''), height: 26 };
}
