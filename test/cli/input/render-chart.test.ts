import { readFile, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { ChartsOfTrees } from '../../../src/cli/input/chart-dependencies.ts';
import { readChart, type ChartValues } from '../../../src/cli/input/charts.ts';
import { LACKS_DEPENDENCY, renderChart } from '../../../src/cli/input/render-chart.ts';
import { TreeCopy } from '../../../src/base/files/tree-copy.ts';
import { treeOf } from '../../../src/base/files/tree.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { writeFiles } from '../../support/write-files.ts';
import { withTools } from '../tools-on-path.ts';
import type { ManifestText } from '../../../src/cli/input/manifest.ts';

let directory: string;

beforeEach(async () => {
  directory = await temporaryDirectory();
});

const at = (...names: string[]): string => join(directory, ...names);
const OFF = { 'no-render-charts': false, 'allow-remote-bases': false, values: [], set: [] };

const write = (files: Readonly<Record<string, string>>): Promise<void> => writeFiles(directory, files);

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
    const chart = await readChart(at('web'), await treeOf(directory));
    const restorePath = await withTools(directory, { helm });
    const flags = { ...OFF, namespace: 'shop', 'kubernetes-version': version };
    const rendering = { flags, copy: new TreeCopy([chart.tree]), charts: new ChartsOfTrees() };
    const texts = await renderChart(chart, values, rendering).finally(restorePath);
    return { texts, args: (await readFile(at('args'), 'utf8')).trimEnd().split('\n') };
  }
  const source = (name: string, text: string): string => `---\n# Source: ${name}\n${text}\n`;

  it('gets namespace, version and values as Helm takes them, with absolute paths', async () => {
    await write({ 'web/Chart.yaml': 'name: web' });
    const start = ['template', 'web', at('web'), '--namespace', 'shop', '--skip-tests', '--skip-schema-validation'];
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

  it('has the place of a line in its template, and no line without the template', async () => {
    await write({
      'web/Chart.yaml': 'name: web',
      'web/templates/a.yaml': '{{ if true }}\nkind: A\nspec: 1\n{{ end }}\n',
    });
    const rendered =
      source('web/templates/a.yaml', 'kind: A\nspec: 1') + source('web/charts/s/templates/b.yaml', 'b: 1');
    const { texts } = await render(rendered);
    const places = texts.map(({ placeOf }) => placeOf?.({ line: 4, column: 1 }));
    expect(places).toEqual([
      { file: at('web/templates/a.yaml'), line: 3, column: 1 },
      { file: at('web/charts/s/templates/b.yaml'), line: 0, column: 0 },
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

  it('names no value that is wanted with other quotes alone: those are the template’s', async () => {
    await write({
      'web/Chart.yaml': 'name: web',
      'web/templates/a.yaml': 'kind: A\nspec:\n  port: {{ .Values.port | quote }}\n',
      'web/values.yaml': 'port: 80\n',
    });
    const { texts } = await render(source('web/templates/a.yaml', 'kind: A\nspec:\n  port: "80"'));
    const valueFor = (wanted?: unknown) => texts[0]?.chartValueOf?.({ line: 5, column: 1 }, ['spec', 'port'], wanted);
    expect(await valueFor(80)).toBeUndefined();
    expect(await valueFor('80')).toBeUndefined();
    for (const other of [8080, null, undefined])
      expect(await valueFor(other)).toMatchObject({ text: `port in ${at('web/values.yaml')}:1` });
  });

  it('names the value of a subchart in the values of the chart', async () => {
    await write({
      'web/Chart.yaml': 'name: web',
      'web/charts/sub/templates/a.yaml': TEMPLATE,
      'web/values.yaml': 'sub:\n  port: 80\nprobe: {}\n',
    });
    expect(await valuesIn('charts/sub/templates/a.yaml')).toEqual([
      ['sub.probe.path in web/values.yaml:1', 'web/values.yaml'],
      ['sub.port in web/values.yaml:2', 'web/values.yaml'],
      undefined,
    ]);
  });
});

it('the words of Helm for a missing dependency name the dependency', () => {
  const words = 'helm: Error: found in Chart.yaml, but missing in charts/ directory: redis, mysql';
  expect(LACKS_DEPENDENCY.exec(words)?.[1]).toBe('redis, mysql');
});
