import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findYamlFiles, readYamlFiles } from '../../src/sources/yaml-files.ts';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'probewright-files-'));
});

afterEach(async () => {
  await rm(directory, { recursive: true });
});

/** Writes files, empty or with a text, and the directories that they stand in. */
async function write(...names: string[]): Promise<void> {
  for (const name of names) {
    await mkdir(join(directory, name, '..'), { recursive: true });
    await writeFile(join(directory, name), '');
  }
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

  it('are refused when they are not UTF-8, by name, with the line', async () => {
    const path = join(directory, 'a.yaml');
    const read = async (bytes: string | Buffer): Promise<unknown> => {
      await writeFile(path, bytes);
      return (await readYamlFiles(await findYamlFiles(directory)))[0]?.text;
    };
    expect(await read('\uFEFF# \uFFFD\n')).toBe('\uFEFF# \uFFFD\n');
    await expect(read(Buffer.from('# \uFFFD\nx: \xe9\n', 'latin1'))).rejects.toThrow(
      `${path}: it is not UTF-8: byte 0xfd in line 1`,
    );
    await expect(read(Buffer.concat([Buffer.from('# \uFFFD\r\n\nx: '), Buffer.of(0xc3)]))).rejects.toThrow(
      `${path}: it is not UTF-8: byte 0xc3 in line 3`,
    );
    await expect(read(Buffer.from('\uFEFFa: 1\n', 'utf16le'))).rejects.toThrow(
      `${path}: it is UTF-16, and must be UTF-8`,
    );
    await expect(read(Buffer.of(0xff))).rejects.toThrow('byte 0xff in line 1');
  });
});
