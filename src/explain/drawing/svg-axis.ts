import { MUTED, filled, stroked } from './svg-colours.ts';
import { element, textAt, textWidth } from './svg-elements.ts';
import { tornEdge } from './svg-break.ts';
import type { Block } from './svg-elements.ts';
import type { Frame } from './svg-frame.ts';

const SIZE = 11;

/** The axis below the lanes, with its seconds. The axis breaks where the bars break. */
export function axisBlock({ left, length, scale }: Frame, top: number): Block {
  const parts = [
    element('path', { d: `M${left} ${top + 2} h${length}`, ...stroked(MUTED), 'stroke-width': 1 }),
    textAt(left - 14, top + 19, 'seconds', { 'text-anchor': 'end', 'font-size': SIZE, ...filled(MUTED) }),
  ];
  let free = -Infinity;
  for (const { at, seconds } of scale.ticks) {
    const x = left + at;
    const text = String(seconds);
    const half = textWidth(text, SIZE) / 2;
    parts.push(element('path', { d: `M${x.toFixed(1)} ${top + 2} v5`, ...stroked(MUTED), 'stroke-width': 1 }));
    if (x - half < free) continue;
    free = x + half + 4;
    parts.push(textAt(x, top + 19, text, { 'text-anchor': 'middle', 'font-size': SIZE, ...filled(MUTED) }));
  }
  if (scale.breakAt !== undefined) parts.push(tornEdge(left + scale.breakAt, top - 1, 6));
  return { markup: parts.join(''), height: 26 };
}
