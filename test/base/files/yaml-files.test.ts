import { execFileSync } from 'node:child_process';
import { renameSync, rmSync } from 'node:fs';
import { mkdir, symlink, utimes, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { findYamlFiles, type FileSelection, type LinkReport } from '../../../src/base/files/yaml-files.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

let directory: string;

beforeEach(async () => {
  directory = await temporaryDirectory();
});

/** Writes files, empty or with a text, and the directories that they stand in. */
async function write(...names: string[]): Promise<void> {
  for (const name of names) {
    await mkdir(join(directory, name, '..'), { recursive: true });
    await writeFile(join(directory, name), '');
  }
}

/** Collects the links that are not followed, from the directory on. */
function reportTo(links: string[]): LinkReport {
  const add = (link: string): undefined => void links.push(relative(directory, link));
  return { outside: add, broken: add };
}

/** The paths that are found, from the directory on. */
async function found(): Promise<string[]> {
  return (await findYamlFiles(directory)).map(({ path }) => relative(directory, path));
}

describe('the YAML files below a directory', () => {
  it('are those with the extensions of YAML and JSON, by path, hidden ones left out', async () => {
    await write('b.yaml', 'a/c.yml', 'D.JSON', 'notes.txt', '.hidden.yaml', '.git/e.yaml');
    expect(await found()).toEqual(['D.JSON', 'a/c.yml', 'b.yaml']);
  });

  it('are those of a selection: without what is excluded, and of directories that are listed', async () => {
    await write('a.yaml', 'b.yaml', 'c/a.yaml', 'd/a.yaml', 'd/b.yaml', 'd/e/a.yaml');
    const select = async (selection: FileSelection): Promise<string[]> =>
      (await findYamlFiles(directory, selection)).map(({ path }) => relative(directory, path));
    const excluded = ['b.yaml', 'c'].map((name) => join(directory, name));
    expect(await select({ isExcluded: (path) => excluded.includes(path) })).toEqual([
      ...['a.yaml', 'd/a.yaml', 'd/b.yaml', 'd/e/a.yaml'],
    ]);
    const asked: string[] = [];
    const isListed = (path: string, names: readonly string[]): boolean => {
      asked.push(`${relative(directory, path)}: ${names.join()}`);
      return relative(directory, path) !== 'd';
    };
    expect(await select({ isListed })).toEqual(['a.yaml', 'b.yaml', 'c/a.yaml']);
    expect(asked).toEqual([': a.yaml,b.yaml', 'c: a.yaml', 'd: a.yaml,b.yaml']);
  });

  it('are the one file that is named in the place of a directory', async () => {
    await write('notes.txt');
    const file = join(directory, 'notes.txt');
    expect((await findYamlFiles(file)).map(({ path }) => path)).toEqual([file]);
  });

  it('have another version after each write, also one that keeps the size of the file', async () => {
    const file = join(directory, 'a.yaml');
    const versions: string[] = [];
    for (const seconds of [1, 2]) {
      await writeFile(file, `a: ${seconds}`);
      await utimes(file, seconds, seconds);
      for (const named of [file, directory])
        for (const { version } of await findYamlFiles(named)) versions.push(version);
    }
    expect([versions[0] === versions[1], versions[2] === versions[3], new Set(versions).size]).toEqual([true, true, 2]);
  });

  it('are there once when directories link to one another in a ladder, whose ways double with every step', async () => {
    for (let step = 0; step < 40; step += 1) {
      await mkdir(join(directory, `d${step}`));
      for (const name of ['x', 'y']) await symlink(`../d${step + 1}`, join(directory, `d${step}`, name));
    }
    await write('d40/a.yaml');
    expect(await found()).toEqual(['d40/a.yaml']);
  });

  it('stand under the path without links where there is one, and under the first link elsewhere', async () => {
    await write('..data/sub/a.yaml', 'real/b.yaml');
    await symlink('real', join(directory, 'also'));
    await symlink('..data/sub', join(directory, 'sub'));
    await symlink('..data/sub', join(directory, 'tub'));
    expect(await found()).toEqual(['real/b.yaml', 'sub/a.yaml']);
  });

  it('are found when a link leads back up', async () => {
    await write('a/b.yaml');
    await symlink('..', join(directory, 'a', 'up'));
    expect(await found()).toEqual(['a/b.yaml']);
  });

  it('of a mounted ConfigMap are found under their own names', async () => {
    await write('..2026/a.yaml');
    await symlink('..2026', join(directory, '..data'));
    await symlink('..data/a.yaml', join(directory, 'a.yaml'));
    expect(await found()).toEqual(['a.yaml']);
  });

  it('are also those that links outside lead to, or these are reported and not followed', async () => {
    const outside = await temporaryDirectory();
    await writeFile(join(outside, 'secret.yaml'), '');
    await write('..data/a.yaml', 'sub/b.yaml');
    await symlink(outside, join(directory, 'away'));
    await symlink(join(outside, 'secret.yaml'), join(directory, 'sub', 'c.yaml'));
    await symlink('..data/a.yaml', join(directory, 'a.yaml'));
    await symlink('sub', join(directory, 'inside'));
    expect(await found()).toEqual(['a.yaml', 'away/secret.yaml', 'sub/b.yaml', 'sub/c.yaml']);
    const links: string[] = [];
    const files = await findYamlFiles(directory, { links: reportTo(links) });
    expect(files.map(({ path }) => relative(directory, path))).toEqual(['a.yaml', 'sub/b.yaml']);
    expect(links).toEqual(['away', 'sub/c.yaml']);
  });

  it('are inside also when the directory itself is named by a link', async () => {
    await write('real/a.yaml', 'real/..data/b.yaml');
    await symlink('..data/b.yaml', join(directory, 'real', 'b.yaml'));
    await symlink('real', join(directory, 'link'));
    const links: string[] = [];
    const files = await findYamlFiles(join(directory, 'link'), { links: reportTo(links) });
    expect(files.map(({ path }) => relative(directory, path))).toEqual(['link/a.yaml', 'link/b.yaml']);
    expect(links).toEqual([]);
  });

  it('are not hidden by a link to nowhere when that is reported; otherwise it is an error, as a policy could be lost', async () => {
    await write('a.yaml');
    await symlink('nowhere', join(directory, 'b.yaml'));
    await expect(found()).rejects.toThrow('ENOENT');
    const links: string[] = [];
    const files = await findYamlFiles(directory, { links: reportTo(links) });
    expect([files.map(({ path }) => relative(directory, path)), links]).toEqual([['a.yaml'], ['b.yaml']]);
  });

  it('are there when they are no files, so that reading them reports what they are', async () => {
    execFileSync('mkfifo', [join(directory, 'a.yaml'), join(directory, 'notes.txt')]);
    expect(await found()).toEqual(['a.yaml']);
  });

  it('leave out a file that is deleted during the listing, but are unknown if the whole directory is renamed away', async () => {
    await write('policies/a.yaml', 'policies/b.yaml');
    const below = join(directory, 'policies');
    const deleted = findYamlFiles(below, {
      isListed: () => {
        rmSync(join(below, 'a.yaml'));
        return true;
      },
    });
    expect((await deleted).map(({ path }) => relative(below, path))).toEqual(['b.yaml']);
    const renamed = findYamlFiles(below, {
      isListed: () => {
        renameSync(below, `${below}-away`);
        return true;
      },
    });
    await expect(renamed).rejects.toThrow('ENOENT');
  });
});
