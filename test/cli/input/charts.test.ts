import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  chartAbove,
  directoriesAbove,
  helmCommand,
  isChart,
  LACKS_DEPENDENCY,
  readChart,
  renderChart,
  type ChartValues,
} from '../../../src/cli/input/charts.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { withTools } from '../tools-on-path.ts';
import type { ManifestText } from '../../../src/cli/input/manifest.ts';
import { describeCommands } from '../command-cases.ts';

describeCommands('test/cli/input/charts.test.ts');

let directory: string;

beforeEach(async () => {
  directory = await temporaryDirectory();
});

const at = (...names: string[]): string => join(directory, ...names);

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(at(name)), { recursive: true });
    await writeFile(at(name), text);
  }
}

describe('a chart', () => {
  it('has the name and the type of Chart.yaml', async () => {
    await write({ 'a/Chart.yaml': 'name: web\ntype: library\n', 'b/Chart.yaml': 'name: api\ntype: application\n' });
    expect([await readChart(at('a')), await readChart(at('b'))]).toEqual([
      { directory: at('a'), file: at('a/Chart.yaml'), name: 'web', isLibrary: true },
      { directory: at('b'), file: at('b/Chart.yaml'), name: 'api', isLibrary: false },
    ]);
  });

  it.each([['- name'], ['name: 3'], ['a: ['], ['']])(
    'has the name of its directory for Chart.yaml %j',
    async (text) => {
      await write({ 'own/Chart.yaml': text });
      expect(await readChart(at('own'))).toMatchObject({ name: 'own', isLibrary: false });
      expect((await readChart(at('none/..', 'none'))).name).toBe('none');
    },
  );

  it('is a directory with a file Chart.yaml', async () => {
    await write({ 'a/Chart.yaml': '', 'b/Chart.yaml/x': '' });
    expect(['a', 'b', 'none', 'a/Chart.yaml'].map((name) => isChart(at(name)))).toEqual([true, false, false, false]);
  });

  it.each([
    ['web', 'web'],
    ['a-1', 'a-1'],
    ['a', 'a'],
    ['a'.repeat(53), 'a'.repeat(53)],
    ['a'.repeat(54), 'release'],
    ['Web', 'release'],
    ['web-', 'release'],
    ['-web', 'release'],
    ['web.api', 'release'],
    ['', 'release'],
  ])('of the name %j has a release of the name %s', (name, release) =>
    expect(helmCommand({ directory: 'my charts', file: '', name, isLibrary: false })).toBe(
      `helm template ${release} 'my charts'`,
    ),
  );
});

describe('the chart above a path', () => {
  it.each([
    ['templates/web.yaml', true],
    ['templates', true],
    ['charts/sub/values.yaml', true],
    ['charts', true],
    ['Chart.yaml', true],
    ['values.yaml', true],
    ['values-prod.yml', true],
    ['templates.yaml', false],
    ['charted/a.yaml', false],
    ['values.json', false],
    ['values/a.yaml', false],
    ['my-values.yaml', false],
    ['ci/test.yaml', false],
  ])('is the chart that Helm renders %s for: %s', async (path, isPart) => {
    await write({ 'web/Chart.yaml': '' });
    expect(chartAbove(at('web', path))).toBe(isPart ? at('web') : undefined);
    expect(chartAbove(relative('', at('web', path)))).toBe(isPart ? relative('', at('web')) : undefined);
  });

  it('is the nearest, and none for the chart itself', async () => {
    await write({ 'web/Chart.yaml': '', 'web/charts/sub/Chart.yaml': '' });
    expect(chartAbove(at('web/charts/sub/templates/a.yaml'))).toBe(at('web/charts/sub'));
    expect(chartAbove(at('web/charts/sub/other/a.yaml'))).toBeUndefined();
    expect(chartAbove(at('web'))).toBeUndefined();
  });
});

describe('the directories above a path', () => {
  it('are relative for a relative path, the nearest first, up to the root', () => {
    const above = directoriesAbove('src/cli/input.ts');
    expect(above.slice(0, 4)).toEqual(['src/cli', 'src', '.', '..']);
    expect(resolve(above.at(-1) ?? '')).toBe('/');
  });

  it('are absolute for an absolute path, and none for the root', () => {
    expect(directoriesAbove('/a/b/c.yaml')).toEqual(['/a/b', '/a', '/']);
    expect(directoriesAbove('/')).toEqual([]);
  });
});

describe('a rendered chart', () => {
  const NO_VALUES: ChartValues = { values: [], set: [] };

  /** Renders the chart `web` with a helm that prints this and keeps its arguments. */
  async function render(
    output: string,
    values = NO_VALUES,
    version?: string,
  ): Promise<{ readonly texts: readonly ManifestText[]; readonly args: readonly string[] }> {
    await writeFile(at('output'), output);
    const helm = `printf '%s\\n' "$@" > '${at('args')}'; cat '${at('output')}'\n`;
    const chart = await readChart(at('web'));
    const restorePath = await withTools(directory, { helm });
    const texts = await renderChart(chart, values, 'shop', version).finally(restorePath);
    return { texts, args: (await readFile(at('args'), 'utf8')).trimEnd().split('\n') };
  }
  const source = (name: string, text: string): string => `---\n# Source: ${name}\n${text}\n`;

  it('gets namespace, version and values as Helm takes them, with absolute paths', async () => {
    await write({ 'web/Chart.yaml': 'name: web' });
    const start = ['template', 'web', at('web'), '--namespace', 'shop', '--skip-tests'];
    const { args } = await render('', { values: ['-a.yaml', at('b.yaml')], set: ['x=1', 'y=2'] }, '1.33');
    expect(args).toEqual([
      ...start,
      ...['--kube-version', '1.33', '--values', resolve('-a.yaml'), '--values', at('b.yaml')],
      ...['--set', 'x=1', '--set', 'y=2'],
    ]);
    expect((await render('')).args).toEqual(start);
  });

  it('is a text for each template; documents without a source belong to the one before', async () => {
    await write({ 'web/Chart.yaml': 'name: web' });
    const { texts } = await render(
      [
        source('web/templates/a.yaml', 'kind: A'),
        source('web/templates/a.yaml', 'kind: B'),
        '---\nkind: C\n',
        source('web/templates/empty.yaml', ''),
        source('web/charts/sub/templates/b.yaml', 'kind: D'),
      ].join(''),
    );
    expect(texts.map(({ file, text }) => [relative(at('web'), file), text.match(/kind: \w/g)])).toEqual([
      ['templates/a.yaml', ['kind: A', 'kind: B', 'kind: C']],
      ['templates/empty.yaml', null],
      ['charts/sub/templates/b.yaml', ['kind: D']],
    ]);
  });

  it('has no text for the lines before the first document and between documents', async () => {
    await write({ 'web/Chart.yaml': 'name: web' });
    expect((await render('\n---\n\n---\n')).texts).toEqual([]);
    const { texts } = await render(`\n${source('web/templates/a.yaml', 'kind: A')}`);
    expect(texts.map(({ file }) => relative(at('web'), file))).toEqual(['templates/a.yaml']);
    const { texts: forged } = await render('kind: A\n');
    expect(forged.map(({ file, text }) => [relative(at('web'), file), text])).toEqual([['Chart.yaml', 'kind: A\n']]);
  });

  it('has no place outside of the chart, which only a forged comment can name', async () => {
    await write({ 'web/Chart.yaml': 'name: web' });
    for (const name of ['web/../../secret.yaml', 'other/templates/a.yaml', 'templates/web/']) {
      const { texts } = await render(source(name, 'kind: A'));
      expect(texts.map(({ file }) => relative(at('web'), file))).toEqual(['Chart.yaml']);
    }
  });

  it('has the place of a line in its template, and the first line without the template', async () => {
    await write({
      'web/Chart.yaml': 'name: web',
      'web/templates/a.yaml': '{{ if true }}\nkind: A\nspec: 1\n{{ end }}\n',
    });
    const rendered =
      source('web/templates/a.yaml', 'kind: A\nspec: 1') + source('web/charts/s/templates/b.yaml', 'b: 1');
    const { texts } = await render(rendered);
    const places = texts.map(({ placeOf }) => placeOf?.({ line: 4, column: 1 }));
    expect(places).toMatchObject([
      { line: 3, column: 1 },
      { line: 1, column: 1 },
    ]);
  });

  const TEMPLATE =
    'kind: A\nspec:\n  probe:\n    {{- toYaml .Values.probe | nindent 4 }}\n  port: {{ .Values.port }}\n  own: 1\n';
  const OUTPUT = 'kind: A\nspec:\n  probe:\n    path: /a\n  port: 80\n  own: 1';

  /** The values that write `spec.probe.path`, `spec.port` and `spec.own`. */
  async function valuesIn(template: string, values = NO_VALUES): Promise<readonly unknown[]> {
    const { texts } = await render(source(`web/${template}`, OUTPUT), values);
    const [text] = texts;
    const fields = [
      [6, ['spec', 'probe', 'path']],
      [7, ['spec', 'port']],
      [8, ['spec', 'own']],
    ] as const;
    const found = fields.map(async ([line, path]) => await text?.chartValueOf?.({ line, column: 1 }, path));
    return (await Promise.all(found)).map((each) =>
      each === undefined ? undefined : [each.text, each.file].map((one) => one.replaceAll(`${directory}/`, '')),
    );
  }

  it('names the value that writes a field, with the last file that sets it or an object around it', async () => {
    await write({
      'web/Chart.yaml': 'name: web',
      'web/templates/a.yaml': TEMPLATE,
      'web/values.yaml': '# why\nport: 80\nprobe:\n  path: /\n',
      'over.yaml': 'probe:\n  port: 1\n',
      'last.yaml': 'other: 1\n',
    });
    expect(await valuesIn('templates/a.yaml')).toEqual([
      ['probe.path in web/values.yaml:4', 'web/values.yaml'],
      ['port in web/values.yaml:2', 'web/values.yaml'],
      undefined,
    ]);
    const over = { values: [at('over.yaml'), at('last.yaml')], set: [] };
    expect((await valuesIn('templates/a.yaml', over))[0]).toEqual(['probe.path in over.yaml:1', 'over.yaml']);
  });

  it('names the value alone where no file sets it, and the file to set it in', async () => {
    await write({ 'web/Chart.yaml': 'name: web', 'web/templates/a.yaml': TEMPLATE });
    expect(await valuesIn('templates/a.yaml')).toEqual([
      ['probe.path', 'web/values.yaml'],
      ['port', 'web/values.yaml'],
      undefined,
    ]);
  });

  it('names the value of a subchart in the values of the chart first, and then in its own', async () => {
    await write({
      'web/Chart.yaml': 'name: web',
      'web/charts/sub/templates/a.yaml': TEMPLATE,
      'web/values.yaml': 'sub:\n  port: 80\nprobe: {}\n',
    });
    const expected = [
      ['sub.probe.path in web/values.yaml:1', 'web/values.yaml'],
      ['sub.port in web/values.yaml:2', 'web/values.yaml'],
      undefined,
    ];
    expect(await valuesIn('charts/sub/templates/a.yaml')).toEqual(expected);
    await write({ 'web/values.yaml': '', 'web/charts/sub/values.yaml': 'port: 80\n' });
    expect(await valuesIn('charts/sub/templates/a.yaml')).toEqual([
      ['sub.probe.path', 'web/values.yaml'],
      ['port in web/charts/sub/values.yaml:1', 'web/charts/sub/values.yaml'],
      undefined,
    ]);
  });
});

it('the words of Helm for a missing dependency name the dependency', () => {
  const words = 'helm: Error: found in Chart.yaml, but missing in charts/ directory: redis, mysql';
  expect(LACKS_DEPENDENCY.exec(words)?.[1]).toBe('redis, mysql');
});
