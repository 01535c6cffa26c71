import { readFileSync } from 'node:fs';
import { transform } from 'esbuild';
import { hatched, PAINTS, tones } from '../src/explain/drawing/colours.ts';

/** The style sheet of a page, minified: the colours of pictures, what all pages share, and the page's own rules. */
export async function pageStyle(folder: string): Promise<string> {
  const sheets = ['pages/base.css', `${folder}/style.css`].map((file) => readFileSync(file, 'utf8'));
  const { code } = await transform([pageColours(), ...sheets].join('\n'), { loader: 'css', minify: true });
  return code.trim();
}

/**
 * The colours as a style sheet for pages: a class for each tone, a custom property for each colour. Printed paper is
 * white.
 */
function pageColours(): string {
  const properties = (scheme: 'light' | 'dark'): string =>
    PAINTS.map((each) => `--${each.name}:${each[scheme]}`).join(';');
  const bars = tones.map((tone) => `.${tone}{--bar:${hatched.includes(tone) ? `url(#${tone})` : `var(--${tone})`}}`);
  const labels = tones.map((tone) => `.${tone}+text{fill:var(--on-${tone})}`);
  return [
    `:root{${properties('light')}}`,
    `@media screen and (prefers-color-scheme:dark){:root{${properties('dark')}}}`,
    ...bars,
    ...labels,
  ].join('\n');
}
