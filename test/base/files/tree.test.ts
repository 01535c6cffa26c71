import { mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { directoriesAbove, holdsGit, refuseLinksOut, refuseNamedLink, treeOf } from '../../../src/base/files/tree.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

let directory = '';
beforeEach(async () => {
  directory = await realpath(await temporaryDirectory());
});
const at = (...names: string[]): string => join(directory, ...names);
async function write(...names: readonly string[]): Promise<void> {
  for (const name of names) {
    await mkdir(dirname(at(name)), { recursive: true });
    await writeFile(at(name), name);
  }
}

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

describe('the tree of a name', () => {
  it.each(['repo', 'repo/a/b', 'repo/a/b/c.yaml', 'repo/a/none.yaml'])(
    'is the git work tree that holds it: %s',
    async (name) => {
      await write('repo/.git/config', 'repo/a/b/c.yaml');
      expect(await treeOf(at(name))).toEqual({ root: at('repo'), shown: at('repo'), isWorkTree: true });
    },
  );

  it('is the nearest work tree, also where .git is a file', async () => {
    await write('repo/.git/config', 'repo/sub/.git', 'repo/sub/a.yaml');
    expect((await treeOf(at('repo/sub/a.yaml'))).root).toBe(at('repo/sub'));
  });

  it('is without git the named directory, or that of the file', async () => {
    await write('a/b/c.yaml');
    for (const name of ['a/b', 'a/b/c.yaml'])
      expect(await treeOf(at(name))).toEqual({ root: at('a/b'), shown: at('a/b'), isWorkTree: false });
    await symlink('a/b', at('link'));
    expect((await treeOf(at('link'))).root).toBe(at('a/b'));
  });

  it('of a relative name is shown relative', async () => {
    expect((await treeOf('test/base')).shown).toBe('.');
  });
});

describe('a named link', () => {
  it('out of its work tree is refused with the target to name; others are not', async () => {
    await write('repo/.git/config', 'repo/a.yaml', 'out/b.yaml', 'other/.git/config', 'other/c.yaml');
    const links = { in: 'a.yaml', out: '../out/b.yaml', folder: '../out', other: '../other', gone: 'nowhere' };
    for (const [name, target] of Object.entries(links)) await symlink(target, at('repo', name));
    for (const name of ['repo', 'repo/a.yaml', 'repo/in', 'repo/gone', 'out/b.yaml'])
      await expect(refuseNamedLink(at(name)), name).resolves.toBeUndefined();
    for (const [name, target] of [
      ['out', 'out/b.yaml'],
      ['folder', 'out'],
      ['folder/b.yaml', 'out/b.yaml'],
      ['other', 'other'],
    ] as const)
      await expect(refuseNamedLink(at('repo', name))).rejects.toThrow(
        `${at('repo', name)} leads out of the git work tree ${at('repo')}; name ${at(target)} itself`,
      );
  });

  it('without a work tree is what the user named', async () => {
    await write('out/b.yaml', 'in/a.yaml');
    await symlink('../out/b.yaml', at('in/link'));
    await expect(refuseNamedLink(at('in/link'))).resolves.toBeUndefined();
  });
});

describe('the links below a directory', () => {
  const refused = async (): Promise<string> =>
    await refuseLinksOut(at('repo/web'), await treeOf(at('repo'))).then(
      () => '',
      (error: unknown) => relative(at('repo/web'), (error as Error).message.split(' ')[0] ?? ''),
    );

  it('may lead anywhere in the tree, and in circles', async () => {
    await write('repo/.git/config', 'repo/web/a/b', 'repo/shared/c');
    await symlink('../shared', at('repo/web/shared'));
    await symlink(at('repo/shared/c'), at('repo/web/c'));
    await symlink('..', at('repo/web/a/loop'));
    await symlink('nowhere', at('repo/web/gone'));
    expect(await refused()).toBe('');
  });

  it.each([
    ['a file outside', 'a/link', '../../../out/a'],
    ['a directory outside', 'link', '../../out'],
    ['the directory above the tree', 'link', '../..'],
    ["Git's own file", 'link', '../.git/config'],
    ["Git's own directory", '.git', '../.git'],
    ["the directory with Git's own files", 'link', '..'],
    ['a link that leads out', 'link', '../first'],
  ])('may not lead to %s', async (_, name, target) => {
    await write('repo/.git/config', 'repo/web/a/b', 'out/a');
    await symlink('../out/a', at('repo/first'));
    await symlink(target, at('repo/web', name));
    expect(await refused()).toBe(name);
  });

  it('are looked for behind links, too', async () => {
    await write('repo/.git/config', 'repo/web/a', 'repo/shared/c', 'out/a');
    await symlink('../shared', at('repo/web/shared'));
    await symlink('../../out/a', at('repo/shared/d'));
    expect(await refused()).toBe('shared/d');
  });
});

describe("a directory with Git's own files", () => {
  it('has a directory .git somewhere below; a file .git has only a path', async () => {
    await write('repo/.git/config', 'repo/web/a', 'repo/sub/.git', 'repo/deep/er/.git/config');
    const holders = await Promise.all(['repo', 'repo/web', 'repo/sub', 'repo/deep'].map((name) => holdsGit(at(name))));
    expect(holders).toEqual([true, false, false, true]);
  });
});
