import { constants } from 'node:fs';
import { access, lstat, mkdir, readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { replaceFile } from '../../base/files/replace-file.ts';
import { directoriesAbove } from '../../base/files/tree.ts';
import { isWithin } from '../../base/files/yaml-files.ts';
import { count } from '../../base/text/cut.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { printLine, type CommandIo } from '../io.ts';
import type { FileProblem } from '../../cluster/sources/policy-documents.ts';
import type { FixedFile } from './fix-file.ts';

/**
 * Refuses symbolic links among the names of the command line: who names a link may not know which tree it leads to. In
 * the working directory, a link is refused above a name too, because `*\/*.yaml` also leads through links.
 *
 * @returns the refusal of each link, with the name to write instead
 */
export async function namedLinks(names: readonly string[]): Promise<string[]> {
  const refusals = await Promise.all(
    names.map(async (name) => {
      const links = await Promise.all(stepsTo(name).map((step) => isLink(step)));
      if (!links.includes(true)) return [];
      const target = await realpath(name).catch(() => undefined);
      const what = links[0] === true ? 'is a symbolic link' : 'leads through a symbolic link';
      const remedy = target === undefined ? 'its target is missing' : `name ${target} to change it`;
      return [`${name} ${what}, and --write stays in the tree that is named; ${remedy}`];
    }),
  );
  return refusals.flat();
}

/** The path of a name, without a slash at its end, and the directories above it in the working directory. */
function stepsTo(name: string): readonly string[] {
  const here = resolve();
  const above = directoriesAbove(resolve(name)).filter((path) => path !== here && isWithin(here, path));
  return [resolve(name), ...above];
}

async function isLink(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  return stats?.isSymbolicLink() === true;
}

/**
 * Writes changed files in place, and returns the files that could not be written.
 *
 * @param names the files and directories of the command line; nothing outside of them is written
 * @param leavesEdits true when a person has to edit files, which a line names
 */
export async function writeFixedFiles(
  files: readonly FixedFile[],
  names: readonly string[],
  io: CommandIo,
  leavesEdits: boolean,
): Promise<FileProblem[]> {
  const roots = await Promise.all(names.map((name) => realpath(name).catch(() => resolve(name))));
  // Two names may lead to one file.
  const written = new Set<string>();
  const changed = files.filter(({ before, after }) => before !== after);
  const problems = await writeEach(changed, io, async ({ file, before, after }) => {
    const real = await realpath(file);
    if (written.has(real)) return undefined;
    if (!roots.some((root) => isWithin(root, real))) throw new Error(`it leads to ${real}, outside of what was named`);
    await rewriteFile(real, before, after);
    written.add(real);
    return file;
  });
  const isDone = files.every(({ left }) => left.length === 0);
  if (written.size === 0 && problems.length === 0 && !leavesEdits)
    printLine(io.stderr, isDone ? 'no file needs a change' : 'no file is changed');
  return problems;
}

/**
 * Writes all files, changed or not, into a directory. Files of a named directory keep their folders.
 *
 * @param names the files and directories of the command line
 */
export async function writeIntoDirectory(
  files: readonly FixedFile[],
  names: readonly string[],
  directory: string,
  io: CommandIo,
): Promise<FileProblem[]> {
  const sources = new Map<string, string>();
  return await writeEach(files, io, async ({ file, after }) => {
    const place = join(directory, placeBelow(file, names));
    const earlier = sources.get(place);
    if (earlier !== undefined && resolve(earlier) !== resolve(file))
      throw new Error(`${place} is already written from ${earlier}`);
    sources.set(place, file);
    const present = await realpath(place).catch(() => undefined);
    if (present !== undefined && present === (await realpath(file)))
      throw new Error(`${place} is the input itself; use --write to change files in place`);
    await makeFolderWithin(directory, dirname(place));
    await replaceFile(place, after, (await stat(file)).mode & 0o777);
    return place;
  });
}

/** @param write returns the path that was written; undefined for a file that needs no line */
async function writeEach(
  files: readonly FixedFile[],
  io: CommandIo,
  write: (fixed: FixedFile) => Promise<string | undefined>,
): Promise<FileProblem[]> {
  const problems: FileProblem[] = [];
  for (const fixed of files)
    try {
      const place = await write(fixed);
      if (place !== undefined) printLine(io.stdout, `${place}: ${changesOf(fixed)}`);
    } catch (error) {
      problems.push({ file: fixed.file, line: 1, column: 1, message: `cannot be written: ${messageOf(error)}` });
    }
  return problems;
}

/** The path of a file below the directory that the command line names, or the file's own name. */
function placeBelow(file: string, names: readonly string[]): string {
  const [parent] = names
    .filter((name) => isWithin(resolve(name), resolve(file)))
    .toSorted((one, other) => resolve(other).length - resolve(one).length);
  return relative(parent ?? file, file) || basename(file);
}

/**
 * Makes a folder below the output directory.
 *
 * @throws Error when a symbolic link leads out of the directory
 */
async function makeFolderWithin(directory: string, folder: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  const root = await realpath(directory);
  let path = directory;
  for (const step of relative(directory, folder).split(sep)) {
    path = join(path, step);
    await mkdir(path).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    });
    if (!isWithin(root, await realpath(path)))
      throw new Error(`${path} is a symbolic link that leads out of ${directory}`);
  }
}

function changesOf({ before, after, probes, advice }: FixedFile): string {
  if (before === after) return 'unchanged';
  const changes = [
    ...(probes > 0 ? [`${count(probes, 'probe')} added`] : []),
    ...(advice > 0 ? [`${count(advice, 'piece')} of advice applied`] : []),
  ];
  return changes.join(', ');
}

/**
 * Replaces the text of a file that was read before. The file keeps its permissions and, if possible, its owner. No
 * reader sees half of the text.
 *
 * @param real the path without links: a symbolic link stays, and the file behind the link gets the text
 * @throws Error when the file is read-only, or has changed since `before` was read
 */
async function rewriteFile(real: string, before: string, after: string): Promise<void> {
  await access(real, constants.W_OK);
  const { mode, uid, gid } = await stat(real);
  if (!(await readFile(real)).equals(Buffer.from(before))) throw new Error('it changed after it was read');
  await replaceFile(real, after, mode & 0o7777, { uid, gid });
}
