import { readFileSync } from 'node:fs';
import { transform } from 'esbuild';
import { pageColours } from '../src/explain/drawing/colours.ts';

/** The style sheet of a page, minified: the colours of pictures, what all pages share, and the page's own rules. */
export async function pageStyle(folder: string): Promise<string> {
  const sheets = ['pages/base.css', `${folder}/style.css`].map((file) => readFileSync(file, 'utf8'));
  const { code } = await transform([pageColours(), ...sheets].join('\n'), { loader: 'css', minify: true });
  return code.trim();
}
