import { element, type Attributes } from './svg-elements.ts';
import type { Markup } from '../../base/text/visible.ts';
import type { Tone } from '../timeline/scene.ts';

/** A colour of the picture. An attribute carries the light one; the style sheet replaces it in dark mode. */
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

const PLAIN = [PAPER, INK, MUTED, RULE, RED];

type Shades = readonly [light: string, dark: string];

/** The ground of a tone's bar, text on it, and the stripes of uncertain times. Grounds also differ in lightness. */
const TONES: Readonly<Record<Tone, { readonly ground: Shades; readonly ink: Shades; readonly stripe?: Shades }>> = {
  safe: { ground: ['#2e9f5e', '#2a8f55'], ink: ['#ffffff', '#ffffff'] },
  unsure: { ground: ['#ffc233', '#c78f0a'], ink: ['#3d2c00', '#1a1200'], stripe: ['#f2a100', '#a87300'] },
  stopping: { ground: ['#f9c9cc', '#8c2f37'], ink: ['#6b0d14', '#ffe3e5'], stripe: ['#ef9aa0', '#6e2129'] },
  dead: { ground: ['#5b6069', '#6b7480'], ink: ['#ffffff', '#ffffff'] },
  unnoticed: { ground: ['#d9a78f', '#a8705a'], ink: ['#42210f', '#ffffff'] },
  idle: { ground: ['#dfe3e8', '#30363d'], ink: ['#4a515b', '#c3ccd6'] },
  maybe: { ground: ['#cfe3f5', '#1f4a73'], ink: ['#0d3358', '#e3f0fc'], stripe: ['#9cc6ea', '#2d6296'] },
  serving: { ground: ['#3f86c9', '#3273b3'], ink: ['#ffffff', '#ffffff'] },
};

export const tones = Object.keys(TONES) as Tone[];
export const hatched = tones.filter((tone) => TONES[tone].stripe !== undefined);
const ground = (tone: Tone): Paint => paint(tone, ...TONES[tone].ground);
const stripe = (tone: Tone): Paint => paint(`${tone}-stripe`, ...(TONES[tone].stripe ?? TONES[tone].ground));

/** A colour of text that can be read on the tone's ground. */
export function inkOn(tone: Tone): Paint {
  return paint(`on-${tone}`, ...TONES[tone].ink);
}

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
  return hatched.includes(tone) ? { fill: `url(#${tone})` } : filled(ground(tone));
}

/** All colours, for style sheets. */
export const PAINTS = [...PLAIN, ...tones.map(ground), ...hatched.map(stripe), ...tones.map(inkOn)];

/** The style sheet for dark mode, and the hatchings. */
export function definitions(): Markup {
  const fills = PAINTS.map(({ name, dark }) => `.${name}{fill:${dark}}`);
  const strokes = PLAIN.map(({ name, dark }) => `.${name}-line{stroke:${dark}}`);
  return [
    element('style', {}, `@media (prefers-color-scheme:dark){${[...fills, ...strokes].join('')}}`),
    element('defs', {}, ...hatched.map(hatching)),
  ].join('\n');
}

function hatching(tone: Tone): Markup {
  return element(
    'pattern',
    { id: tone, width: 10, height: 10, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)' },
    element('rect', { width: 10, height: 10, ...filled(ground(tone)) }),
    element('rect', { width: 5, height: 10, ...filled(stripe(tone)) }),
  );
}

/** The hatchings that the classes of tones refer to, as the content of an \`svg\` element. */
export function pageHatchings(): string {
  return hatched
    .map(
      (tone) =>
        `<pattern id="${tone}" width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">` +
        `<rect width="8" height="8" fill="var(--${tone})"/><rect width="4" height="8" fill="var(--${tone}-stripe)"/></pattern>`,
    )
    .join('');
}
