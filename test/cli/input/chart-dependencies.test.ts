import { mkdir, readdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { TreeCopy } from '../../../src/base/files/tree-copy.ts';
import { treeOf } from '../../../src/base/files/tree.ts';
import { ChartsOfTrees, dependenciesIn, linkDependencies } from '../../../src/cli/input/chart-dependencies.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

let directory: string;
beforeEach(async () => {
  directory = await realpath(await temporaryDirectory());
  await mkdir(join(directory, '.git'));
});
const at = (...names: string[]): string => join(directory, ...names);

/** Charts, each with its version and what it depends on: `name version repository`. */
async function write(charts: Readonly<Record<string, readonly string[]>>, file = 'Chart.yaml'): Promise<void> {
  for (const [path, [version = '', ...dependencies]] of Object.entries(charts)) {
    const listed = dependencies.map((each) => {
      const [name, range, repository, alias] = each.split(' ');
      return { name, version: range, ...(repository && { repository }), ...(alias && { alias }) };
    });
    await mkdir(at(path), { recursive: true });
    await writeFile(at(path, 'Chart.yaml'), '');
    const chart = { name: path.split('/').at(-1), version };
    if (file !== 'Chart.yaml') await writeFile(at(path, 'Chart.yaml'), JSON.stringify(chart));
    await writeFile(at(path, file), JSON.stringify({ ...chart, dependencies: listed }));
  }
}

/** The directories of the dependencies of a chart, by the way that Helm prints. */
async function dependenciesOf(chart: string): Promise<Readonly<Record<string, string>>> {
  const { directories } = await dependenciesIn(at(chart), await treeOf(at(chart)), new ChartsOfTrees());
  return Object.fromEntries(Array.from(directories, ([way, path]) => [way, relative(directory, path)]));
}

it('a dependency is the chart at its path, by its alias if it has one', async () => {
  await write({ web: ['1.0.0', 'lib ^1 file://../lib', 'lib 1.x file://../lib own'], lib: ['1.2.0'] });
  expect(await dependenciesOf('web')).toEqual({ 'charts/lib': 'lib', 'charts/own': 'lib' });
  await write({ web: ['1.0.0', `lib ^1 file://${at('lib')}`] });
  expect(await dependenciesOf('web')).toEqual({ 'charts/lib': 'lib' });
});

it('a dependency with another repository is the nearest chart of the tree with its name and a version in its range', async () => {
  await write({
    'a/web': [
      '1.0.0',
      'lib ^1 https://example.test',
      'cache ^1 oci://example.test/charts',
      'web ^1 https://example.test',
    ],
    'a/lib': ['1.2.0'],
    'b/deep/lib': ['1.9.0'],
    'a/cache': ['2.0.0'],
  });
  expect(await dependenciesOf('a/web')).toEqual({ 'charts/lib': 'a/lib' });
});

it('dependencies of a dependency with an alias are below the alias', async () => {
  await write({ web: ['1.0.0', 'api * file://../api own'], api: ['1.0.0', 'lib * file://../lib x'], lib: ['1.0.0'] });
  expect(await dependenciesOf('web')).toEqual({ 'charts/own': 'api', 'charts/own/charts/x': 'lib' });
});

it('dependencies of dependencies are found, and those of the old file requirements.yaml', async () => {
  await write({ web: ['1.0.0', 'api * file://../api'], lib: ['1.0.0'] });
  await write({ api: ['1.0.0', 'lib * file://../lib'] }, 'requirements.yaml');
  expect(await dependenciesOf('web')).toEqual({ 'charts/api': 'api', 'charts/api/charts/lib': 'lib' });
});

it('a dependency stays missing when it is there, out of range, no chart, without a repository, or no name', async () => {
  await write({
    web: [
      '1.0.0',
      ...['there * file://../there', 'packed * file://../packed', 'old ^2 file://../old', 'none * file://../none'],
      ...['own * ', '../x * file://../x', '.. * file://../x', 'far * https://example.test'],
    ],
    'web/charts/there': ['1.0.0'],
    there: ['1.0.0'],
    packed: ['1.0.0'],
    old: ['1.0.0'],
    own: ['1.0.0'],
  });
  await writeFile(at('web/charts/packed-1.0.0.tgz'), '');
  expect(await dependenciesOf('web')).toEqual({});
});

it('charts that depend on each other are refused, and more dependencies than anybody has', async () => {
  await write({ a: ['1.0.0', 'b * file://../b'], b: ['1.0.0', 'a * file://../a'] });
  await expect(dependenciesOf('a')).rejects.toThrow('depend on each other');
  const layers = Array.from({ length: 9 }, (_, index) =>
    ['l', 'r'].map((side) => [
      `${side}${index}`,
      ['1.0.0', ...['l', 'r'].map((below) => `${below}${index + 1} * file://../${below}${index + 1}`)],
    ]),
  );
  await write(Object.fromEntries(layers.flat()) as Record<string, readonly string[]>);
  await expect(dependenciesOf('l0')).rejects.toThrow('more than 200 dependencies');
});

it('a copy of a chart has links to copies of its dependencies, and the tree has none', async () => {
  await write({ web: ['1.0.0', 'lib * file://../lib'], lib: ['1.0.0'] });
  await mkdir(at('lib/templates'), { recursive: true });
  await symlink('../Chart.yaml', at('lib/templates/link'));
  const tree = await treeOf(at('web'));
  const copy = new TreeCopy([tree]);
  const found = await dependenciesIn(at('web'), tree, new ChartsOfTrees());
  await Promise.all([linkDependencies(found, copy), linkDependencies(found, copy)]);
  const web = await copy.at(at('web'));
  expect((await readdir(join(web, 'charts/lib'))).toSorted()).toEqual(['Chart.yaml', 'templates']);
  expect(await readdir(at('web'))).toEqual(['Chart.yaml']);
  expect(dirname(await realpath(join(web, 'charts/lib')))).toBe(dirname(web));
  await copy.remove();
});
