import { chmod, mkdir, mkdtemp, readFile, readdir, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { namedLinks, writeFixedFiles, writeIntoDirectory } from '../../../src/cli/fix/write-files.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import type { CommandIo } from '../../../src/cli/io.ts';
import type { FixedFile } from '../../../src/cli/fix/fix-file.ts';
import type { FileProblem } from '../../../src/cluster/sources/policy-documents.ts';

let directory: string;

beforeEach(async () => {
  directory = await realpath(await temporaryDirectory());
});

const at = (...names: string[]): string => join(directory, ...names);

interface Written {
  readonly stdout: string;
  readonly stderr: string;
  readonly problems: readonly FileProblem[];
}

/** Runs a function of the file under test, and shows the directory of the test as DIR. */
async function written(write: (io: CommandIo) => Promise<FileProblem[]>): Promise<Written> {
  const said = { stdout: '', stderr: '' };
  const stream = (name: 'stdout' | 'stderr') => ({ write: (text: string) => (said[name] += text) });
  const problems = await write({ stdout: stream('stdout'), stderr: stream('stderr') } as unknown as CommandIo);
  const shown = JSON.stringify({ ...said, problems }).replaceAll(directory, 'DIR');
  return JSON.parse(shown) as Written;
}

/** A file with a text on the disk, and the text that it should get. */
async function fixed(file: string, before: string, after: string, changes: Partial<FixedFile> = {}) {
  await writeFile(file, before);
  return { file, before, after, probes: 1, advice: 0, left: [], ...changes } as unknown as FixedFile;
}

const inPlace = (files: readonly FixedFile[], names: readonly string[], leavesEdits = false): Promise<Written> =>
  written((io) => writeFixedFiles(files, names, io, leavesEdits));

const into = (out: string, files: readonly FixedFile[], names: readonly string[]): Promise<Written> =>
  written((io) => writeIntoDirectory(files, names, out, io));

const problem = (file: string, message: string) => ({ file, line: 1, column: 1, message });

describe('a name of the command line', () => {
  const refusal = (name: string, what: string, remedy: string): string =>
    `${name} ${what}, and --write stays in the tree that is named; ${remedy}`;

  it('is refused if it is a symbolic link, with the target to name instead', async () => {
    await writeFile(at('a.yaml'), '');
    await symlink(at('a.yaml'), at('link.yaml'));
    const refused = refusal(at('link.yaml'), 'is a symbolic link', `name ${at('a.yaml')} to change it`);
    expect(await namedLinks([at('a.yaml'), at('link.yaml')])).toEqual([refused]);
  });

  it('is refused if it is a link to a directory with a slash at its end', async () => {
    await mkdir(at('in'));
    await symlink(at('in'), at('link'));
    const refused = refusal(at('link/'), 'is a symbolic link', `name ${at('in')} to change it`);
    expect(await namedLinks([at('link/')])).toEqual([refused]);
  });

  it('is refused if it is a link without a target', async () => {
    await symlink(at('gone.yaml'), at('link.yaml'));
    expect(await namedLinks([at('link.yaml')])).toEqual([
      refusal(at('link.yaml'), 'is a symbolic link', 'its target is missing'),
    ]);
  });

  it('is refused if a directory above it in the working directory is a link', async () => {
    await mkdir('node_modules/.cache', { recursive: true });
    const inside = relative('.', await mkdtemp('node_modules/.cache/links-'));
    onTestFinished(() => rm(inside, { recursive: true }));
    await mkdir(join(inside, 'in/deep'), { recursive: true });
    await symlink(await realpath(join(inside, 'in')), join(inside, 'link'));
    const target = await realpath(join(inside, 'in/deep'));
    const name = join(inside, 'link/deep');
    const refused = refusal(name, 'leads through a symbolic link', `name ${target} to change it`);
    expect(await namedLinks([join(inside, 'in/deep'), name])).toEqual([refused]);
  });

  it('is no link if it is missing, or if a link is above the working directory only', async () => {
    await mkdir(at('in'));
    await writeFile(at('in/a.yaml'), '');
    await symlink(at('in'), at('link'));
    expect(await namedLinks([at('missing.yaml'), at('link/a.yaml'), '.'])).toEqual([]);
  });
});

describe('files that are written in place', () => {
  it('get their new texts, and each gets a line with what changed', async () => {
    const files = [
      await fixed(at('a.yaml'), 'a\n', 'A\n'),
      await fixed(at('b.yaml'), 'b\n', 'B\n', { probes: 2, advice: 1 }),
      await fixed(at('c.yaml'), 'c\n', 'C\n', { probes: 0, advice: 2 }),
      await fixed(at('same.yaml'), 'same\n', 'same\n'),
    ];
    expect(await inPlace(files, [directory])).toEqual({
      stdout:
        'DIR/a.yaml: 1 probe added\nDIR/b.yaml: 2 probes added, 1 piece of advice applied\nDIR/c.yaml: 2 pieces of advice applied\n',
      stderr: '',
      problems: [],
    });
    const texts = ['a.yaml', 'b.yaml', 'c.yaml', 'same.yaml'].map((name) => readFile(at(name), 'utf8'));
    expect(await Promise.all(texts)).toEqual(['A\n', 'B\n', 'C\n', 'same\n']);
  });

  it.each([0o640, 0o755, 0o600])('keep their permissions: %i', async (mode) => {
    const file = await fixed(at('a.yaml'), 'a', 'b');
    await chmod(at('a.yaml'), mode);
    await inPlace([file], [at('a.yaml')]);
    expect((await stat(at('a.yaml'))).mode & 0o7777).toBe(mode);
    expect(await readdir(directory)).toEqual(['a.yaml']);
  });

  it('are written once if two names lead to one file', async () => {
    const file = await fixed(at('a.yaml'), 'a', 'b');
    const ran = await inPlace([file, { ...file, file: `${directory}/./a.yaml` }], [directory]);
    expect(ran).toEqual({ stdout: 'DIR/a.yaml: 1 probe added\n', stderr: '', problems: [] });
  });

  it('may be reached through a link inside of what was named: the link stays', async () => {
    const file = await fixed(at('a.yaml'), 'a', 'b');
    await symlink(at('a.yaml'), at('link.yaml'));
    const ran = await inPlace([{ ...file, file: at('link.yaml') }], [directory]);
    expect(ran.problems).toEqual([]);
    expect(await readFile(at('a.yaml'), 'utf8')).toBe('b');
    expect(await realpath(at('link.yaml'))).toBe(at('a.yaml'));
  });

  it('stay unchanged outside of what was named', async () => {
    await mkdir(at('in'));
    const outside = await fixed(at('outside.yaml'), 'a', 'b');
    await symlink(at('outside.yaml'), at('in/link.yaml'));
    const ran = await inPlace([{ ...outside, file: at('in/link.yaml') }], [at('in')]);
    const message = 'cannot be written: it leads to DIR/outside.yaml, outside of what was named';
    expect(ran).toEqual({ stdout: '', stderr: '', problems: [problem('DIR/in/link.yaml', message)] });
    expect(await readFile(at('outside.yaml'), 'utf8')).toBe('a');
  });

  it('stay unchanged if they changed after they were read, and the others are written', async () => {
    const file = await fixed(at('a.yaml'), 'a', 'b');
    await writeFile(at('a.yaml'), 'somebody else');
    const other = await fixed(at('b.yaml'), 'a', 'b');
    expect(await inPlace([file, other], [at('a.yaml'), at('b.yaml')])).toEqual({
      stdout: 'DIR/b.yaml: 1 probe added\n',
      stderr: '',
      problems: [problem('DIR/a.yaml', 'cannot be written: it changed after it was read')],
    });
    expect(await readFile(at('a.yaml'), 'utf8')).toBe('somebody else');
  });

  it('are a problem if they are gone', async () => {
    const file = { ...(await fixed(at('a.yaml'), 'a', 'b')), file: at('gone.yaml') };
    const { problems, stderr } = await inPlace([file], [at('gone.yaml')]);
    expect(problems).toEqual([problem('DIR/gone.yaml', expect.stringMatching(/^cannot be written: /) as string)]);
    expect(stderr).toBe('');
  });
});

describe('a run that writes no file', () => {
  const finding = { check: 'exec-command' } as unknown as FixedFile['left'][number];

  it('says that no file needs a change, and says it of no file at all', async () => {
    const same = await fixed(at('a.yaml'), 'a', 'a');
    const stderr = 'no file needs a change\n';
    expect(await inPlace([same], [directory])).toEqual({ stdout: '', stderr, problems: [] });
    expect((await inPlace([], [directory])).stderr).toBe(stderr);
  });

  it('says only that no file is changed while a finding of one file is left', async () => {
    const done = await fixed(at('a.yaml'), 'a', 'a');
    const open = await fixed(at('b.yaml'), 'a', 'a', { left: [finding] });
    expect((await inPlace([done, open], [directory])).stderr).toBe('no file is changed\n');
  });

  it('says nothing if another line names edits that are left to a person', async () => {
    const same = await fixed(at('a.yaml'), 'a', 'a');
    expect((await inPlace([same], [directory], true)).stderr).toBe('');
  });
});

describe('files that are written into a directory', () => {
  it('keep their folders below the directory that was named, and all files are written', async () => {
    await mkdir(at('in/deep/er'), { recursive: true });
    const files = [
      await fixed(at('in/a.yaml'), 'a', 'A'),
      await fixed(at('in/deep/er/b.yaml'), 'b', 'b'),
      await fixed(at('c.yaml'), 'c', 'C', { probes: 0, advice: 1 }),
    ];
    expect(await into(at('out/put'), files, [at('in'), at('c.yaml')])).toEqual({
      stdout:
        'DIR/out/put/a.yaml: 1 probe added\nDIR/out/put/deep/er/b.yaml: unchanged\nDIR/out/put/c.yaml: 1 piece of advice applied\n',
      stderr: '',
      problems: [],
    });
    const texts = ['a.yaml', 'deep/er/b.yaml', 'c.yaml'].map((name) => readFile(at('out/put', name), 'utf8'));
    expect(await Promise.all(texts)).toEqual(['A', 'b', 'C']);
    expect(await readFile(at('in/a.yaml'), 'utf8')).toBe('a');
  });

  it('are placed below the innermost directory that was named, whatever the order of names', async () => {
    await mkdir(at('in/deep'), { recursive: true });
    const file = await fixed(at('in/deep/b.yaml'), 'b', 'B');
    const names = [at('in'), at('in/deep'), directory];
    expect((await into(at('one'), [file], names)).stdout).toBe('DIR/one/b.yaml: 1 probe added\n');
    expect((await into(at('two'), [file], names.toReversed())).stdout).toBe('DIR/two/b.yaml: 1 probe added\n');
  });

  it('get their own names if they were named, or if no name holds them', async () => {
    await mkdir(at('in/deep'), { recursive: true });
    const file = await fixed(at('in/deep/b.yaml'), 'b', 'B');
    expect((await into(at('one'), [file], [at('in'), at('in/deep/b.yaml')])).stdout).toContain('DIR/one/b.yaml: ');
    expect((await into(at('three'), [file], [at('in'), `${directory}/in/./deep/b.yaml`])).problems).toEqual([]);
    expect(await readdir(at('three'))).toEqual(['b.yaml']);
    expect((await into(at('two'), [file], [at('other')])).stdout).toBe('DIR/two/b.yaml: 1 probe added\n');
  });

  it('keep their permissions, and the set-user-ID bit is no permission', async () => {
    const file = await fixed(at('a.yaml'), 'a', 'b');
    await chmod(at('a.yaml'), 0o4751);
    await into(at('out'), [file], [at('a.yaml')]);
    expect((await stat(at('out/a.yaml'))).mode & 0o7777).toBe(0o751);
  });

  it('are refused if another file has the same place, and a file that is named twice is written', async () => {
    await mkdir(at('one'));
    await mkdir(at('two'));
    const [one, two] = [await fixed(at('one/a.yaml'), 'a', 'A'), await fixed(at('two/a.yaml'), 'b', 'B')];
    const names = [one.file, two.file];
    const { stdout, problems } = await into(
      at('out'),
      [{ ...one, file: `${directory}/./one/a.yaml` }, one, two],
      names,
    );
    expect(stdout).toBe('DIR/out/a.yaml: 1 probe added\n'.repeat(2));
    const message = 'cannot be written: DIR/out/a.yaml is already written from DIR/one/a.yaml';
    expect(problems).toEqual([problem('DIR/two/a.yaml', message)]);
    expect(await readFile(at('out/a.yaml'), 'utf8')).toBe('A');
  });

  it('never replace the input, and replace a file of an earlier run', async () => {
    await mkdir(at('out'));
    const file = await fixed(at('a.yaml'), 'a', 'b');
    expect((await into(directory, [file], [file.file])).problems).toEqual([
      problem('DIR/a.yaml', 'cannot be written: DIR/a.yaml is the input itself; use --write to change files in place'),
    ]);
    await writeFile(at('out/a.yaml'), 'earlier');
    expect((await into(at('out'), [file], [file.file])).problems).toEqual([]);
    expect(await readFile(at('out/a.yaml'), 'utf8')).toBe('b');
    expect(await readFile(at('a.yaml'), 'utf8')).toBe('a');
  });

  it('stay in the directory where a link leads out of it, and may follow a link inside', async () => {
    await mkdir(at('in/deep'), { recursive: true });
    await mkdir(at('out/real'), { recursive: true });
    await mkdir(at('elsewhere'));
    await symlink(at('elsewhere'), at('out/deep'));
    const file = await fixed(at('in/deep/b.yaml'), 'b', 'B');
    const message = 'cannot be written: DIR/out/deep is a symbolic link that leads out of DIR/out';
    expect((await into(at('out'), [file], [at('in')])).problems).toEqual([problem('DIR/in/deep/b.yaml', message)]);
    expect(await readdir(at('elsewhere'))).toEqual([]);
    await symlink(at('out'), at('link'));
    const twice = await into(at('link'), [{ ...file, file: at('in/deep/b.yaml') }], [at('in/deep')]);
    expect(twice.problems).toEqual([]);
    expect(await readFile(at('out/b.yaml'), 'utf8')).toBe('B');
  });

  it('are a problem if a file has the name of a folder', async () => {
    await mkdir(at('in/deep'), { recursive: true });
    await mkdir(at('out'));
    await writeFile(at('out/deep'), '');
    const file = await fixed(at('in/deep/b.yaml'), 'b', 'B');
    const { problems, stdout } = await into(at('out'), [file], [at('in')]);
    expect([problems.length, stdout]).toEqual([1, '']);
    expect(problems[0]?.message).toMatch(/^cannot be written: /);
  });

  it('may be named by relative paths', async () => {
    const file = await fixed(at('a.yaml'), 'a', 'b');
    const name = relative('.', at('a.yaml'));
    expect((await into(at('out'), [{ ...file, file: name }], [name])).stdout).toBe('DIR/out/a.yaml: 1 probe added\n');
  });
});
