import { GROUNDS, INK, INKS, MUTED, PAPER, RED, RULE, STRIPES } from './svg-colours.ts';
import type { Tone } from '../timeline/scene.ts';
import type { Paint } from './svg-colours.ts';

/**
 * The colours of pictures as a style sheet for pages: a class for each tone, and a custom property for each colour. In
 * print, paper is white whatever the scheme of the screen is.
 */
export function pageColours(): string {
  const paints: readonly Paint[] = [
    PAPER,
    INK,
    MUTED,
    RULE,
    RED,
    ...Object.values(GROUNDS),
    ...Object.values(INKS),
    ...Object.values(STRIPES),
  ];
  const properties = (scheme: 'light' | 'dark'): string =>
    paints.map((paint) => `--${paint.name}:${paint[scheme]}`).join(';');
  const tones = Object.keys(GROUNDS) as Tone[];
  const bars = tones.map(
    (tone) => `.${tone}{--bar:${STRIPES[tone] === undefined ? `var(--${tone})` : `url(#${tone})`}}`,
  );
  const labels = tones.map((tone) => `.on-${tone}{fill:var(--on-${tone})}`);
  return [
    `:root{${properties('light')}}`,
    `@media screen and (prefers-color-scheme:dark){:root{${properties('dark')}}}`,
    ...bars,
    ...labels,
  ].join('\n');
}

/** The hatchings that the classes of tones refer to, as the content of an \`svg\` element. */
export function pageHatchings(): string {
  return (Object.keys(STRIPES) as Tone[])
    .map(
      (tone) =>
        `<pattern id="${tone}" width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">` +
        `<rect width="8" height="8" fill="var(--${tone})"/><rect width="4" height="8" fill="var(--${tone}-stripe)"/></pattern>`,
    )
    .join('');
}
