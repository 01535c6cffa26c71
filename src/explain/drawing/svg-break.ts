import { MUTED, PAPER, filled, stroked } from './svg-colours.ts';
import { element } from './svg-elements.ts';
import type { Markup } from '../../base/text/xml.ts';

/** Half the width of the gap and of the slant, in pixels. */
const HALF = 4;

/** Two slanted lines through a bar or an axis: time is left out here. */
export function tornEdge(x: number, top: number, height: number): Markup {
  const rise = height + 6;
  const line = (offset: number): string => `M${(x + offset - HALF).toFixed(1)} ${top + height + 3} l8 ${-rise}`;
  return [
    element('path', { d: `${line(-HALF)} h8 l-8 ${rise} z`, ...filled(PAPER) }),
    element('path', { d: `${line(-HALF)} ${line(HALF)}`, ...stroked(MUTED), 'stroke-width': 1.4, fill: 'none' }),
  ].join('');
}
