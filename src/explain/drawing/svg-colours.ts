import { element } from './svg-elements.ts';
import type { Tone } from '../timeline/scene.ts';
import type { Markup } from '../../base/text/xml.ts';
import type { Attributes } from './svg-elements.ts';

/**
 * A colour of the picture. An attribute carries the light one, for readers that know no style sheet. The style sheet
 * replaces it in dark mode.
 */
export interface Paint {
  /** Name of its class. */
  readonly name: string;
  readonly light: string;
  readonly dark: string;
}

const paint = (name: string, light: string, dark: string): Paint => ({ name, light, dark });

export const PAPER = paint('paper', '#ffffff', '#0d1117');
/** Ordinary text. */
export const INK = paint('ink', '#1d2127', '#e6edf3');
/** Text and lines that matter less. */
export const MUTED = paint('muted', '#5b6069', '#9aa4b1');
/** Lines between parts. */
export const RULE = paint('rule', '#c9ced6', '#3a434e');
/** The mark of SIGTERM, and cautions. */
export const RED = paint('red', '#c8141f', '#ff7b72');

/** The ground of each tone's bar. The grounds also differ in lightness, and uncertain times are hatched. */
export const GROUNDS: Readonly<Record<Tone, Paint>> = {
  safe: paint('safe', '#2e9f5e', '#2a8f55'),
  unsure: paint('unsure', '#ffc233', '#c78f0a'),
  stopping: paint('stopping', '#f9c9cc', '#8c2f37'),
  dead: paint('dead', '#5b6069', '#6b7480'),
  unnoticed: paint('unnoticed', '#d9a78f', '#a8705a'),
  idle: paint('idle', '#dfe3e8', '#30363d'),
  maybe: paint('maybe', '#cfe3f5', '#1f4a73'),
  serving: paint('serving', '#3f86c9', '#3273b3'),
};

/** The stripes of hatched tones. */
export const STRIPES: Readonly<Partial<Record<Tone, Paint>>> = {
  unsure: paint('unsure-stripe', '#f2a100', '#a87300'),
  stopping: paint('stopping-stripe', '#ef9aa0', '#6e2129'),
  maybe: paint('maybe-stripe', '#9cc6ea', '#2d6296'),
};

/** A colour of text that can be read on each ground. */
export const INKS: Readonly<Record<Tone, Paint>> = {
  safe: paint('on-safe', '#ffffff', '#ffffff'),
  unsure: paint('on-unsure', '#3d2c00', '#1a1200'),
  stopping: paint('on-stopping', '#6b0d14', '#ffe3e5'),
  dead: paint('on-dead', '#ffffff', '#ffffff'),
  unnoticed: paint('on-unnoticed', '#42210f', '#ffffff'),
  idle: paint('on-idle', '#4a515b', '#c3ccd6'),
  maybe: paint('on-maybe', '#0d3358', '#e3f0fc'),
  serving: paint('on-serving', '#ffffff', '#ffffff'),
};

/** The attributes of a shape or text in a colour. */
export function filled({ name, light }: Paint): Attributes {
  return { class: name, fill: light };
}

/** The attributes of a line in a colour. */
export function stroked({ name, light }: Paint): Attributes {
  return { class: `${name}-line`, stroke: light };
}

/** The attributes of a tone's bar. */
export function toned(tone: Tone): Attributes {
  return STRIPES[tone] === undefined ? filled(GROUNDS[tone]) : { fill: `url(#${tone})` };
}

/** The style sheet for dark mode, and the hatchings. */
export function definitions(): Markup {
  const plain = [PAPER, INK, MUTED, RULE, RED, ...Object.values(GROUNDS), ...Object.values(STRIPES)];
  const fills = [...plain, ...Object.values(INKS)].map(({ name, dark }) => `.${name}{fill:${dark}}`);
  const strokes = [PAPER, INK, MUTED, RULE, RED].map(({ name, dark }) => `.${name}-line{stroke:${dark}}`);
  const hatchings = (Object.keys(STRIPES) as Tone[]).map((tone) => hatching(tone, GROUNDS[tone], STRIPES[tone]));
  return [
    element('style', {}, `@media (prefers-color-scheme:dark){${[...fills, ...strokes].join('')}}`),
    element('defs', {}, ...hatchings),
  ].join('\n');
}

function hatching(id: string, ground: Paint, stripe: Paint | undefined): Markup {
  return element(
    'pattern',
    { id, width: 10, height: 10, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)' },
    element('rect', { width: 10, height: 10, ...filled(ground) }),
    ...(stripe === undefined ? [] : [element('rect', { width: 5, height: 10, ...filled(stripe) })]),
  );
}
