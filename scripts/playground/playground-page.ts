import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { build } from 'esbuild';
import { pageStyle } from '../page-style.ts';
import { escapeXml } from '../../src/base/text/visible.ts';
import { thirdPartyLicences } from '../package/third-party-licences.ts';
import { playgroundExamples } from './examples.ts';

const SOURCES = 'pages/playground';

/** The playground as one HTML page. The same sources give the same bytes. The bundle fails where a module of Node is imported. */
export async function playgroundPage(): Promise<string> {
  const { code, licences } = await script();
  const style = await pageStyle(SOURCES);
  const policy = [
    "default-src 'none'",
    `style-src ${sourceOf(style)}`,
    `script-src ${sourceOf(code)}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
  const values: Readonly<Record<string, string>> = {
    policy,
    style,
    script: code,
    version: escapeXml(version),
    // A data block ends at the first "</script".
    examples: JSON.stringify(playgroundExamples()).replaceAll('<', '\\u003c'),
  };
  const page = readFileSync(`${SOURCES}/page.html`, 'utf8').replace(
    /\{\{(\w+)\}\}/g,
    (place, name: string) => values[name] ?? place,
  );
  // A comment ends at the first "-->", and may not hold "--!>".
  return `${page}<!--\n${licences.replaceAll('--', '- -')}-->\n`;
}

async function script(): Promise<{ code: string; licences: string }> {
  const { outputFiles, metafile } = await build({
    entryPoints: [`${SOURCES}/script.ts`],
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'iife',
    target: 'es2022',
    charset: 'ascii',
    // The licences of all packages are at the end of the page.
    legalComments: 'none',
    metafile: true,
    write: false,
    outdir: 'dist',
  });
  return { code: (outputFiles[0]?.text ?? '').trim(), licences: thirdPartyLicences(metafile) };
}

/** The source of a text in a Content-Security-Policy. */
function sourceOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
