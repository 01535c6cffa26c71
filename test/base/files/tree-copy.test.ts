import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, readlink, realpath, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TreeCopy } from '../../../src/base/files/tree-copy.ts';
import { treeOf } from '../../../src/base/files/tree.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

let directory = '';
let copy: TreeCopy;
beforeEach(async () => {
  directory = await realpath(await temporaryDirectory());
  await write('repo/.git/config', 'repo/web/a', 'repo/web/deep/b', 'repo/shared/c', 'out/secret');
  copy = new TreeCopy([await treeOf(at('repo'))]);
});
afterEach(async () => {
  await copy.remove();
});
const at = (...names: string[]): string => join(directory, ...names);
async function write(...names: readonly string[]): Promise<void> {
  for (const name of names) {
    await mkdir(dirname(at(name)), { recursive: true });
    await writeFile(at(name), name);
  }
}
const filesOf = async (path: string): Promise<readonly string[]> =>
  (await readdir(path, { recursive: true })).toSorted();

describe('the copy of a directory', () => {
  it('has all files below, at their places to each other, and none of Git', async () => {
    await write('repo/web/.git/config', 'repo/web/deep/.GIT/config');
    const web = await copy.at(at('repo/web'));
    expect(web).not.toBe(at('repo/web'));
    expect(await filesOf(web)).toEqual(['a', 'deep', 'deep/b']);
    const shared = await copy.at(at('repo/shared'));
    expect(await readFile(join(web, '../shared/c'), 'utf8')).toBe('repo/shared/c');
    expect(shared).toBe(join(web, '../shared'));
  });

  it('has the files that links lead to, and no link out of the tree', async () => {
    await symlink('../shared', at('repo/web/relative'));
    await symlink(at('repo/shared/c'), at('repo/web/absolute'));
    await symlink('..', at('repo/web/deep/loop'));
    await symlink('../../out/secret', at('repo/web/outside'));
    await symlink('../.git/config', at('repo/web/git'));
    await symlink('nowhere', at('repo/web/gone'));
    const web = await copy.at(at('repo/web'));
    expect(await readdir(web)).toEqual(expect.arrayContaining(['relative', 'absolute']));
    for (const name of ['outside', 'git', 'gone']) expect(existsSync(join(web, name))).toBe(false);
    for (const name of ['relative/c', 'absolute', 'deep/loop/relative/c'])
      expect(await readFile(join(web, name), 'utf8')).toBe('repo/shared/c');
    expect(await readlink(join(web, 'absolute'))).toBe('../shared/c');
  });

  it('has no FIFO, which nobody could read to its end', async () => {
    execFileSync('mkfifo', [at('repo/web/fifo')]);
    expect(await filesOf(await copy.at(at('repo/web')))).toEqual(['a', 'deep', 'deep/b']);
  });

  it('keeps a file that was changed in it, however many directories lead there', async () => {
    await symlink('../web/a', at('repo/shared/link'));
    const web = await copy.at(at('repo/web'));
    await writeFile(join(web, 'a'), 'changed');
    await Promise.all([copy.at(at('repo/shared')), copy.at(at('repo')), copy.at(at('repo/web'))]);
    expect(await readFile(join(web, 'a'), 'utf8')).toBe('changed');
    expect(await readFile(at('repo/web/a'), 'utf8')).toBe('repo/web/a');
  });
});

describe('the copy of some files', () => {
  it('has these, as far as they are there, and what they link to', async () => {
    await symlink('../shared/c', at('repo/web/link'));
    const web = await copy.withFiles(at('repo/web'), ['link', 'deep/b', 'none', '../../out/secret', '.git', 'deep']);
    expect(await filesOf(web)).toEqual(['deep', 'deep/b', 'link']);
    expect(await readFile(join(web, 'link'), 'utf8')).toBe('repo/shared/c');
  });
});

it('a text about the copy has the paths of the tree', async () => {
  expect(await copy.withoutCopy('nothing')).toBe('nothing');
  const web = await copy.at(at('repo/web'));
  expect(await copy.withoutCopy(`${web}/a fails`)).toBe(`${at('repo')}/web/a fails`);
});

it('a removed copy leaves nothing behind', async () => {
  const web = await copy.at(at('repo/web'));
  await copy.remove();
  await copy.remove();
  expect(existsSync(web)).toBe(false);
});
