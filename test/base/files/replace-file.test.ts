import { chmod, lstat, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { replaceFile } from '../../../src/base/files/replace-file.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'replace-'));
});
afterEach(() => rm(directory, { recursive: true }));

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o7777;

it('the file has exactly the mode, whatever the umask takes away', async () => {
  const path = join(directory, 'a');
  // The usual umasks take away some of these bits at creation.
  for (const mode of [0o600, 0o666, 0o777, 0o640]) {
    await replaceFile(path, 'new', mode);
    expect((await modeOf(path)).toString(8)).toBe(mode.toString(8));
  }
});

it('a file is replaced as a whole, and nothing else is left', async () => {
  const path = join(directory, 'a');
  await writeFile(path, 'a longer text');
  await chmod(path, 0o400);
  await replaceFile(path, 'new', 0o600);
  expect([await readFile(path, 'utf8'), await readdir(directory)]).toEqual(['new', ['a']]);
});

it('a symbolic link is replaced, and its target stays', async () => {
  const [target, path] = [join(directory, 'target'), join(directory, 'link')];
  await writeFile(target, 'old');
  await symlink(target, path);
  await replaceFile(path, 'new');
  expect([await readFile(target, 'utf8'), await readFile(path, 'utf8')]).toEqual(['old', 'new']);
  expect((await lstat(path)).isSymbolicLink()).toBe(false);
});

it('a file that cannot be replaced leaves no half file behind', async () => {
  // No file can replace a directory.
  await expect(replaceFile(directory, 'new')).rejects.toThrow();
  expect(await readdir(directory)).toEqual([]);
});
