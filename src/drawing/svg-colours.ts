import { element } from './svg-elements.ts';
import type { Tone } from '../timeline/scene.ts';
import type { Markup } from '../text/xml.ts';

/** Ordinary text. */
export const INK = '#1d2127';
/** Text and lines that matter less. */
export const MUTED = '#5b6069';
/** The mark of a kill, and cautions. */
export const RED = '#c8141f';

/** The fill of each tone's bar. The colours also differ in lightness, and uncertain times are hatched. */
export const FILLS: Readonly<Record<Tone, string>> = {
  safe: '#2e9f5e',
  unsure: 'url(#unsure)',
  stopping: 'url(#stopping)',
  dead: '#5b6069',
  unnoticed: '#d9a78f',
  idle: '#dfe3e8',
  maybe: 'url(#maybe)',
  serving: '#3f86c9',
};

/** A colour of text that can be read on each fill. */
export const INKS: Readonly<Record<Tone, string>> = {
  safe: '#ffffff',
  unsure: '#3d2c00',
  stopping: '#6b0d14',
  dead: '#ffffff',
  unnoticed: '#42210f',
  idle: '#4a515b',
  maybe: '#0d3358',
  serving: '#ffffff',
};

/** The hatchings that FILLS name. */
export function hatchings(): Markup {
  return element(
    'defs',
    {},
    hatching('unsure', '#ffc233', '#f2a100'),
    hatching('stopping', '#f9c9cc', '#ef9aa0'),
    hatching('maybe', '#cfe3f5', '#9cc6ea'),
  );
}

function hatching(id: string, ground: string, stripe: string): Markup {
  return element(
    'pattern',
    { id, width: 10, height: 10, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)' },
    element('rect', { width: 10, height: 10, fill: ground }),
    element('rect', { width: 5, height: 10, fill: stripe }),
  );
}
