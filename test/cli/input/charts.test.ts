import { join, relative } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { chartAbove, helmCommand, isChart, readChart } from '../../../src/cli/input/charts.ts';
import { treeOf } from '../../../src/base/files/tree.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { writeFiles } from '../../support/write-files.ts';
import { describeCommands } from '../command-cases.ts';

describeCommands('test/cli/input/charts.test.ts');

let directory: string;

beforeEach(async () => {
  directory = await temporaryDirectory();
});

const at = (...names: string[]): string => join(directory, ...names);

const write = (files: Readonly<Record<string, string>>): Promise<void> => writeFiles(directory, files);

describe('a chart', () => {
  it('has the name and the type of Chart.yaml', async () => {
    await write({ 'a/Chart.yaml': 'name: web\ntype: library\n', 'b/Chart.yaml': 'name: api\ntype: application\n' });
    const tree = await treeOf(directory);
    expect([await readChart(at('a'), tree), await readChart(at('b'), tree)]).toEqual([
      { directory: at('a'), tree, file: at('a/Chart.yaml'), name: 'web', isLibrary: true },
      { directory: at('b'), tree, file: at('b/Chart.yaml'), name: 'api', isLibrary: false },
    ]);
  });

  it.each([['- name'], ['name: 3'], ['a: ['], ['']])(
    'has the name of its directory for Chart.yaml %j',
    async (text) => {
      await write({ 'own/Chart.yaml': text });
      expect(await readChart(at('own'), await treeOf(directory))).toMatchObject({ name: 'own', isLibrary: false });
      expect((await readChart(at('none/..', 'none'), await treeOf(directory))).name).toBe('none');
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
    expect(helmCommand({ directory: 'my charts', name })).toBe(`helm template ${release} 'my charts'`),
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
