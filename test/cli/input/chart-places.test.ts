import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { placedTexts } from '../../../src/cli/input/chart-places.ts';
import { readChart } from '../../../src/cli/input/charts.ts';
import { treeOf } from '../../../src/base/files/tree.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { writeFiles } from '../../support/write-files.ts';
import type { FieldPath } from '../../../src/base/json/field-path.ts';

let directory: string;
beforeEach(async () => {
  directory = await temporaryDirectory();
});

const write = (files: Readonly<Record<string, string>>): Promise<void> =>
  writeFiles(directory, { 'web/Chart.yaml': 'name: web\n', ...files });

/** The place of the rendered line with a text, and the value of the chart that writes a field. */
async function placeOf(
  rendered: string,
  line: string,
  { template = 'templates/a.yaml', field = [] as FieldPath, directories = {} } = {},
): Promise<readonly [place: string, value: string | undefined]> {
  const chart = await readChart(join(directory, 'web'), await treeOf(directory));
  const own = Object.entries<string>(directories).map(([way, path]) => [way, join(directory, path)] as const);
  const text = `---\n# Source: web/${template}\n${rendered}`;
  const [placed] = await placedTexts(text, chart, [], { directories: new Map(own), links: [] });
  const position = { line: text.split('\n').findIndex((each) => each.trim() === line) + 1, column: 1 };
  expect(position.line, line).toBeGreaterThan(0);
  const place = placed?.placeOf?.(position);
  const value = await placed?.chartValueOf?.(position, field);
  const shown = `${place?.file ?? ''}${place?.line === 0 ? '' : `:${place?.line ?? ''}`}`;
  return [shown, value?.text].map((one) => one?.replaceAll(`${directory}/`, '')) as unknown as [string, string];
}

const DEPLOYMENT = (name: string, port: string): string =>
  `apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: ${name}\nspec:\n  replicas: 1\n  port: ${port}\n`;

describe('a manifest that another file of the chart writes', () => {
  it.each([
    ['a file that .Files reads', '{{ .Files.Get "files/app.yaml" }}', 'files/app.yaml'],
    ['a file that tpl renders', '{{ tpl (.Files.Get "files/app.yaml") . }}', 'files/app.yaml'],
    ['a named template', '{{ include "web.app" . }}', 'templates/_app.tpl'],
  ])('has its place there: %s', async (_what, template, file) => {
    const own = DEPLOYMENT('{{ .Release.Name }}', '{{ .Values.port }}');
    await write({
      'web/templates/a.yaml': template,
      [`web/${file}`]: `{{/* a comment */}}\n${own}`,
      // Another file with many of the lines is no source of these.
      'web/files/aaa.yaml': DEPLOYMENT('other', '81'),
      'web/values.yaml': 'port: 80\n',
    });
    const place = await placeOf(DEPLOYMENT('app', '80'), 'port: 80', { field: ['spec', 'port'] });
    expect(place).toEqual([`web/${file}:8`, 'port in web/values.yaml:1']);
  });

  it('has its place in the file of a library chart that is a dependency', async () => {
    await write({
      'web/templates/a.yaml': '{{ include "lib.app" . }}',
      'lib/templates/_app.tpl': DEPLOYMENT('{{ .Chart.Name }}', '80'),
    });
    const directories = { 'charts/lib': 'lib' };
    expect((await placeOf(DEPLOYMENT('app', '80'), 'port: 80', { directories }))[0]).toBe('lib/templates/_app.tpl:7');
  });

  it('has the template without a line where no file has half of its lines', async () => {
    await write({ 'web/templates/a.yaml': '{{ printf "..." }}', 'web/files/a.yaml': 'kind: Deployment\n' });
    expect(await placeOf(DEPLOYMENT('app', '80'), 'port: 80')).toEqual(['web/templates/a.yaml', undefined]);
    // A packed subchart has no files here.
    const template = 'charts/packed/templates/a.yaml';
    expect((await placeOf(DEPLOYMENT('app', '80'), 'port: 80', { template }))[0]).toBe(`web/${template}`);
  });

  it('has its own place beside a manifest of the template', async () => {
    const service = 'kind: Service\nport: 1\n';
    await write({
      'web/templates/a.yaml': `${service}---\n{{ .Files.Get "files/app.yaml" }}\n`,
      'web/files/app.yaml': DEPLOYMENT('app', '2'),
    });
    const both = `${service}---\n${DEPLOYMENT('app', '2')}`;
    expect((await placeOf(both, 'port: 1'))[0]).toBe('web/templates/a.yaml:2');
    expect((await placeOf(both, 'port: 2'))[0]).toBe('web/files/app.yaml:7');
  });
});

describe('the value of a chart', () => {
  const POD = (probe: string): string => `kind: Pod\nspec:\n  readinessProbe:\n    ${probe}\n`;

  it('is named for a field of a mapping in flow style, and never with a way that does not exist', async () => {
    await write({
      'web/templates/a.yaml': POD('{ httpGet: { path: /, port: {{ .Values.port }} } }'),
      'web/values.yaml': 'port: 80\n',
    });
    const line = '{ httpGet: { path: /, port: 80 } }';
    const valueAt = async (...field: FieldPath) => (await placeOf(POD(line), line, { field }))[1];
    expect(await valueAt('spec', 'readinessProbe', 'httpGet', 'port')).toBe('port in web/values.yaml:1');
    expect(await valueAt('spec', 'readinessProbe', 'httpGet', 'path')).toBeUndefined();
    expect(await valueAt('spec', 'readinessProbe')).toBeUndefined();
  });

  it('is not named below a number or a text, which has no members', async () => {
    await write({
      'web/templates/a.yaml': POD('{{- include "probe" .Values.port }}'),
      'web/values.yaml': 'port: 80\n',
    });
    const field = ['spec', 'readinessProbe', 'port'];
    expect((await placeOf(POD('port: 80'), 'port: 80', { field }))[1]).toBeUndefined();
    await write({ 'web/values.yaml': 'port: { port: 80 }\n' });
    expect((await placeOf(POD('port: 80'), 'port: 80', { field }))[1]).toBe('port.port in web/values.yaml:1');
  });
});
