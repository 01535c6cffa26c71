import { readdirSync, readFileSync } from 'node:fs';
import { PNG } from 'pngjs';
import { describe, expect, it } from 'vitest';
import { PAGE_SIZES } from '../../scripts/images/page-sizes.ts';
import { readmePictures } from '../../scripts/images/pictures.ts';
import { terminalSvg } from '../../scripts/images/terminal.ts';
import { runProbewright } from '../cli/run-probewright.ts';

const readme = readFileSync('README.md', 'utf8');

describe("the README's pictures", () => {
  it('show what the program says today; else run npm run generate:images', async () => {
    const pictures = await readmePictures();
    const drawn = readdirSync('docs/images').filter((name) => name.endsWith('.svg'));
    expect(drawn.sort()).toEqual([...pictures.keys()].sort());
    for (const [name, svg] of pictures) expect(readFileSync(`docs/images/${name}`, 'utf8'), name).toBe(svg);
  });

  it('are all in the README or in a page', () => {
    const pages = readdirSync('docs').filter((name) => name.endsWith('.md'));
    const texts = [readme, ...pages.map((name) => readFileSync(`docs/${name}`, 'utf8'))].join('');
    const shown = [...texts.matchAll(/!\[[^\]]+\]\((?:docs\/)?images\/([\w-]+\.\w+)\)/g)].map(([, name]) => name);
    const drawn = readdirSync('docs/images').filter((name) => /\.(svg|png)$/.test(name));
    expect([...new Set(shown)].sort()).toEqual(drawn.sort());
  });

  it.each(Object.entries(PAGE_SIZES))('show the page in %s in its size, with less than 200 kB', (name, size) => {
    const file = readFileSync(`docs/images/${name}`);
    const { width, height } = PNG.sync.read(file);
    expect({ width, height }).toEqual(size);
    expect(file.length).toBeLessThan(200_000);
  });

  it('have one file for each page', () => {
    const pictures = readdirSync('docs/images').filter((name) => name.endsWith('.png'));
    expect(pictures.sort()).toEqual(Object.keys(PAGE_SIZES).sort());
  });

  it.each([
    ['commands.md', 'report.png'],
    ['playground.md', 'playground.png'],
  ])('are in the README and in docs/%s: %s', (page, picture) => {
    expect(readme).toContain(`](docs/images/${picture})`);
    expect(readFileSync(`docs/${page}`, 'utf8')).toContain(`](images/${picture})`);
  });

  it('escape the lines of a terminal, and wrap only long ones', () => {
    const svg = terminalSvg('<t>', [
      { style: 'output', text: '    <b> & "c"' },
      { style: 'error', text: 'word '.repeat(30).trimEnd() },
    ]);
    expect(svg).toContain('>    &lt;b&gt; &amp; ');
    expect(svg.match(/class="error"/g)).toHaveLength(2);
  });
});

describe("the README's example", () => {
  it('has the policy that the README shows', () => {
    const [, shown = ''] = /```yaml\n(apiVersion: probewright[\s\S]*?)```/.exec(readme) ?? [];
    const file = readFileSync('examples/quick-start/policy.yaml', 'utf8');
    expect(file.slice(file.indexOf('apiVersion'))).toBe(shown);
  });

  it('gets all probes from its policy, without a finding or a note', async () => {
    const { code, stdout } = await runProbewright(['check', 'examples/quick-start', '--min-level', 'note']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/\n1 workload in 2 objects: 0 errors, 0 warnings, 0 notes\n$/);
    expect((await runProbewright(['fix', 'examples/quick-start'])).stderr).toBe('');
  });
});

describe('the README', () => {
  it('has at most 120 lines', () => expect(readme.split('\n').length).toBeLessThanOrEqual(121));

  it('has the test command that .ci/run calls', () => {
    expect(readme).toContain('```sh\nnpm ci && npm test\n```');
    expect(readFileSync('.ci/run', 'utf8')).toMatch(/^\(npm ci && npm test\)/m);
  });
});
