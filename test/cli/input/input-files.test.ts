import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  findInputs,
  isExcludedBelow,
  isExcludedName,
  unreadable,
  noInputFiles,
  readNamedText,
  type InputFiles,
} from '../../../src/cli/input/input-files.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

/** What these names lead to in a directory with these files; `found` marks what nobody named. */
async function inputsOf(
  files: readonly string[],
  names: readonly string[],
  { exclude = [], links = {} }: { exclude?: readonly string[]; links?: Readonly<Record<string, string>> } = {},
): Promise<{ readonly inputs: readonly string[]; readonly found: InputFiles; readonly directory: string }> {
  const directory = await temporaryDirectory();
  const at = (name: string): string => join(directory, name);
  for (const file of files) {
    await mkdir(dirname(at(file)), { recursive: true });
    await writeFile(at(file), '');
  }
  for (const [link, target] of Object.entries(links)) await symlink(target, at(link));
  const found = noInputFiles();
  for (const name of names) await findInputs(at(name), exclude, found);
  const inputs = found.inputs.map(
    ({ kind, path, isFound }) => `${kind} ${path.slice(directory.length + 1)}${isFound === true ? ' found' : ''}`,
  );
  return { inputs, found, directory };
}

describe('the inputs of a directory', () => {
  it('are its files in the order of their paths, its charts and its kustomizations', async () => {
    const files = ['b.yaml', 'a/z.json', 'a/notes.txt', 'c/Chart.yaml', 'c/templates/x.yaml', 'd/Kustomization'];
    const { inputs, found } = await inputsOf([...files, 'e/kustomization.yaml', 'e/w.yaml'], ['.']);
    expect(inputs).toEqual([
      'file a/z.json found',
      'file b.yaml found',
      'chart c found',
      'kustomization d/Kustomization found',
      'kustomization e/kustomization.yaml found',
      'file e/w.yaml found',
    ]);
    expect([found.problems, found.passedOver]).toEqual([[], []]);
  });

  it('leave out what globs exclude, packages, and names with a dot first', async () => {
    const files = ['a.yaml', 'b.gen.yaml', 'old/c.yaml', 'node_modules/d.yaml', '.git/e.yaml'];
    const { inputs } = await inputsOf(files, ['.'], { exclude: ['*.gen.yaml', 'old/**'] });
    expect(inputs).toEqual(['file a.yaml found']);
  });

  it('pass over what the project file excludes, and say so; what a flag excludes is silent', async () => {
    const directory = await temporaryDirectory();
    for (const name of ['a.yaml', 'old.yaml', 'gen.yaml']) await writeFile(join(directory, name), '');
    const found = noInputFiles();
    await findInputs(directory, ['gen.yaml'], found, ['old.yaml']);
    expect(found.inputs.map(({ path }) => path)).toEqual([join(directory, 'a.yaml')]);
    expect(found.passedOver).toEqual([{ file: join(directory, 'old.yaml'), reason: 'project' }]);
  });

  it('have a problem for a link out of it, and pass over a link that leads nowhere', async () => {
    const { found, directory } = await inputsOf(['in/a.yaml', 'out.yaml'], ['in'], {
      links: { 'in/b.yaml': '../out.yaml', 'in/c.yaml': 'nowhere' },
    });
    expect(found.problems).toEqual([
      {
        file: join(directory, 'in/b.yaml'),
        line: 1,
        column: 1,
        message: `is a symbolic link that leads out of ${join(directory, 'in')}, and is skipped; name the file itself to have it read`,
      },
    ]);
    expect(found.passedOver).toEqual([{ file: join(directory, 'in/c.yaml'), reason: 'link' }]);
  });
});

describe('the input of a name', () => {
  it('is a file, which nobody has to find, however often it is named', async () => {
    const { inputs, found, directory } = await inputsOf(['apps/a.yaml'], ['apps/a.yaml', 'apps/a.yaml']);
    expect(inputs).toEqual(['file apps/a.yaml', 'file apps/a.yaml']);
    expect([...found.directoriesAbove].slice(0, 2)).toEqual([join(directory, 'apps'), directory]);
  });

  it('is the chart above a template or values, once', async () => {
    const files = ['web/Chart.yaml', 'web/values.yaml', 'web/templates/a.yaml', 'web/ci.yaml'];
    const { inputs, found } = await inputsOf(files, ['web', ...files, 'web/']);
    expect(inputs).toEqual(['chart web', 'file web/ci.yaml']);
    expect(found.directoriesAbove.size).toBeGreaterThan(0);
    const { found: ofChart } = await inputsOf(files, ['web']);
    expect(ofChart.directoriesAbove.size).toBe(0);
  });

  it('is a kustomization once, also when a directory above it is named', async () => {
    const { inputs } = await inputsOf(['a/kustomization.yml', 'a/w.yaml'], ['a/kustomization.yml', 'a']);
    expect(inputs).toEqual(['kustomization a/kustomization.yml', 'file a/w.yaml found']);
  });

  it('is nothing for a name that a glob excludes', async () => {
    const { inputs, found } = await inputsOf(['a.yaml', 'b.yaml'], ['a.yaml', 'none.yaml'], { exclude: ['a.yaml'] });
    expect([inputs, found.problems.length]).toEqual([[], 1]);
  });

  it('is a problem where there is no such file, and a chart that is found has its mark', async () => {
    const { inputs, found, directory } = await inputsOf(['c/Chart.yaml', 'c/charts/d/Chart.yaml'], ['none', '.']);
    expect(inputs).toEqual(['chart c found']);
    expect(found.problems).toMatchObject([{ file: join(directory, 'none'), line: 1, column: 1 }]);
    expect(found.problems[0]?.message).toMatch(/^cannot be read: ENOENT/);
    expect(unreadable('a', new Error('no'))).toEqual({ file: 'a', line: 1, column: 1, message: 'cannot be read: no' });
  });
});

describe('a glob of --exclude', () => {
  it.each<[glob: string, path: string, isExcluded: boolean]>([
    ['*.gen.yaml', 'apps/deep/web.gen.yaml', true],
    ['*.gen.yaml', 'apps/web.yaml', false],
    ['vendor', 'apps/vendor', true],
    ['vendor/', 'apps/vendor', true],
    ['vendor', 'apps/vendors', false],
    ['vendor/**', 'apps/vendor', true],
    ['vendor/**', 'apps/vendor/a/b.yaml', true],
    ['./vendor/*.yaml', 'apps/vendor/a.yaml', true],
    ['vendor/*.yaml', 'apps/vendor/a/b.yaml', false],
    ['apps/vendor/**', 'apps/vendor/a/b.yaml', true],
    ['other/vendor/**', 'apps/vendor/a/b.yaml', false],
    ['**/test/**', 'apps/a/test/b.yaml', true],
    ['**/{test,ci}/*.yaml', 'apps/a/ci/b.yaml', true],
    [`${resolve('apps')}/old/**`, 'apps/old/b.yaml', true],
    [`${resolve('apps')}/old/**`, 'apps/new/b.yaml', false],
    ['[', 'apps/b.yaml', false],
  ])('%s below apps: %s is excluded: %s', (glob, path, isExcluded) => {
    expect(isExcludedBelow([glob], 'apps', path)).toBe(isExcluded);
    expect(isExcludedBelow(['nothing', glob], resolve('apps'), resolve(path))).toBe(isExcluded);
  });

  it.each<[glob: string, path: string, isExcluded: boolean]>([
    ['*.gen.yaml', 'apps/web.gen.yaml', true],
    ['vendor', 'vendor/charts/web.yaml', true],
    ['vendor/**', './vendor/charts/web.yaml', true],
    ['charts/**', 'vendor/charts/web.yaml', false],
    ['old', '../old/web.yaml', false],
    ['*', '.', false],
  ])('%s: the named path %s is excluded: %s', (glob, path, isExcluded) =>
    expect(isExcludedName([glob], path)).toBe(isExcluded),
  );

  it('is not needed for node_modules below a directory, which can still be named', () => {
    expect(isExcludedBelow([], 'apps', 'apps/node_modules')).toBe(true);
    expect(isExcludedName([], 'apps/node_modules')).toBe(false);
  });
});

describe('a file that is no UTF-8', () => {
  const MANIFEST = 'apiVersion: v1\nkind: Pod\n';

  it.each([
    ['is a problem where nobody named it and it is meant as a manifest', MANIFEST, true, 'problem'],
    ['is passed over where nobody named it and it is meant as something else', 'a: 1\n', true, 'passed over'],
    ['is a problem where somebody named it', 'a: 1\n', false, 'problem'],
  ])('%s', async (_, text, isFound, wanted) => {
    const file = join(await temporaryDirectory(), 'a.yaml');
    await writeFile(file, Buffer.concat([Buffer.from(text), Buffer.from([0xff])]));
    const { texts, problems = [], passedOver = [] } = await readNamedText(file, undefined, isFound);
    expect([texts, problems.length, passedOver]).toEqual(
      wanted === 'problem' ? [undefined, 1, []] : [undefined, 0, [{ file, reason: 'encoding' }]],
    );
  });
});
