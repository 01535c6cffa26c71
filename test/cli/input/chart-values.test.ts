import { join } from 'node:path';
import { expect, it } from 'vitest';
import { treeOf } from '../../../src/base/files/tree.ts';
import { ValuesOfChart } from '../../../src/cli/input/chart-values.ts';
import { readChart } from '../../../src/cli/input/charts.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { writeFiles } from '../../support/write-files.ts';
import type { FieldPath } from '../../../src/base/json/field-path.ts';

interface Given {
  readonly files: Readonly<Record<string, string>>;
  /** The way to the template that reads the value. */
  readonly way?: string;
  /** The files of the command line. */
  readonly over?: readonly string[];
  /** The directories of dependencies, by their ways. */
  readonly directories?: Readonly<Record<string, string>>;
}

/** The values of the chart `web`, with names of files as they are below its directory. */
async function valuesOf({ files, way = 'templates/a.yaml', over = [], directories = {} }: Given, into?: string) {
  const directory = into ?? (await temporaryDirectory());
  await writeFiles(directory, files);
  const at = (name: string): string => join(directory, name);
  const own = new Map(Object.entries(directories).map(([each, name]) => [each, at(name)]));
  const chart = await readChart(at('web'), await treeOf(directory));
  const values = new ValuesOfChart(chart, over.map(at), { directories: own, links: [] });
  return async (...name: FieldPath) => {
    const found = await values.placeOf(way, name);
    const shown = (text: string): string => text.replace(`${directory}/`, '');
    return found && { ...found, text: shown(found.text), file: shown(found.file) };
  };
}

const OWN = 'web/values.yaml';
const SUB = 'web/charts/sub/values.yaml';
const DEEP = 'web/charts/sub/charts/deep/values.yaml';
const IN_SUB = 'charts/sub/templates/a.yaml';
const IN_DEEP = 'charts/sub/charts/deep/templates/a.yaml';

it.each<[string, Given, FieldPath, string, string, unknown?]>([
  ['its line', { files: { [OWN]: '# why\nport: 80\n' } }, ['port'], 'port in FILE:2', OWN, 80],
  ['the line of its key', { files: { [OWN]: 'a:\n  b: 1' } }, ['a'], 'a in FILE:1', OWN, { b: 1 }],
  ['the line of an object around it', { files: { [OWN]: 'a: 1\nb: {}' } }, ['b', 'c'], 'b.c in FILE:2', OWN],
  ['the line of an empty key around it', { files: { [OWN]: 'a: 1\nb:' } }, ['b', 'c'], 'b.c in FILE:2', OWN],
  ['no line where no file sets it', { files: { [OWN]: 'a: 1' } }, ['b', 'c'], 'b.c', OWN],
  ['no line where there is no file', { files: {} }, ['b', 'c'], 'b.c', OWN],
  ['an element', { files: { [OWN]: 'a:\n  - 1\n  - 2\n' } }, ['a', 1], 'a[1] in FILE:3', OWN, 2],
  ['a false value', { files: { [OWN]: 'a: false' } }, ['a'], 'a in FILE:1', OWN, false],
  [
    'the last file',
    { files: { [OWN]: 'a: 1', b: '\na: 2', c: 'a: 3' }, over: ['c', 'b'] },
    ['a'],
    'a in FILE:2',
    'b',
    2,
  ],
  [
    'the last file that has it',
    { files: { [OWN]: 'a: 1', b: 'a: 2', c: '' }, over: ['b', 'c'] },
    ['a'],
    'a in FILE:1',
    'b',
    2,
  ],
  [
    'a value of a subchart in the chart',
    { files: { [OWN]: 'sub: { a: 1 }', [SUB]: 'a: 2' }, way: IN_SUB },
    ['a'],
    'sub.a in FILE:1',
    OWN,
    1,
  ],
  [
    'a value of a subchart in its file',
    { files: { [OWN]: 'a: 1', [SUB]: 'a: 2' }, way: IN_SUB },
    ['a'],
    'a in FILE:1',
    SUB,
    2,
  ],
  [
    'a value of a subchart in the file of the command line',
    { files: { [SUB]: 'a: 2', b: 'sub: { a: 3 }' }, way: IN_SUB, over: ['b'] },
    ['a'],
    'sub.a in FILE:1',
    'b',
    3,
  ],
  ['a value of a subchart that no file sets', { files: {}, way: IN_SUB }, ['a'], 'sub.a', OWN],
  [
    'a value below two subcharts',
    { files: { [OWN]: 'sub:\n  deep: { a: 1 }' }, way: IN_DEEP },
    ['a'],
    'sub.deep.a in FILE:2',
    OWN,
    1,
  ],
  [
    'a value below two subcharts in its own file',
    { files: { [DEEP]: 'a: 1' }, way: IN_DEEP },
    ['a'],
    'a in FILE:1',
    DEEP,
    1,
  ],
  [
    'a value of a dependency in another directory',
    { files: { 'lib/values.yaml': 'a: 1', [SUB]: 'a: 2' }, way: IN_SUB, directories: { 'charts/sub': 'lib' } },
    ['a'],
    'a in FILE:1',
    'lib/values.yaml',
    1,
  ],
  [
    'no value of another directory for the chart',
    { files: { 'lib/values.yaml': 'a: 1', [OWN]: 'a: 2' }, directories: { 'charts/sub': 'lib' } },
    ['a'],
    'a in FILE:1',
    OWN,
    2,
  ],
])('a value has its place: %s', async (_what, given, name, text, file, value) => {
  expect(await (await valuesOf(given))(...name)).toEqual({ text: text.replace('FILE', file), file, value });
});

it.each([
  ['a number', 'a: 1'],
  ['a text', 'a: x'],
  ['a switch', 'a: true'],
])('a value below %s has no place, for it cannot exist', async (_what, text) => {
  const placeOf = await valuesOf({ files: { [OWN]: `${text}\nb: { c: {} }` } });
  expect(await placeOf('a', 'b')).toBeUndefined();
  expect(await placeOf('a', 'b', 'c')).toBeUndefined();
  expect(await placeOf('a')).toMatchObject({ file: OWN });
  expect(await placeOf('b', 'c', 'd')).toMatchObject({ file: OWN });
});

it('a file is read once, however many values are looked for in it', async () => {
  const directory = await temporaryDirectory();
  const placeOf = await valuesOf({ files: { [OWN]: 'a: 1' } }, directory);
  const first = await placeOf('a');
  await writeFiles(directory, { [OWN]: '\na: 2' });
  expect(await placeOf('a')).toEqual(first);
});
