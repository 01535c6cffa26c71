import { constants, type Dirent, type Stats } from 'node:fs';
import { copyFile, lstat, mkdir, mkdtemp, readdir, realpath, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, parse, relative } from 'node:path';
import { isGit, isInTree } from './yaml-files.ts';
import type { Tree } from './tree.ts';

/**
 * A copy of directories, for programs that read all files of a directory or that need another file there. Files keep
 * their places to each other. Git's own files and links out of the trees are left out, and nothing of the trees is
 * written. Each file is copied once, however many directories lead to it.
 */
export class TreeCopy {
  readonly #trees: readonly Tree[];
  #made: Promise<string> | undefined;
  /** Ends when all that was asked for before is copied: two copies of one directory would be in each other's way. */
  #last: Promise<unknown> = Promise.resolve();
  readonly #copied = new Set<string>();

  constructor(trees: readonly Tree[]) {
    this.#trees = trees;
  }

  /** Copies a directory with everything below, and what links there lead to. Returns its path in the copy. */
  async at(directory: string): Promise<string> {
    const [root, real] = await Promise.all([this.#root(), realpath(directory)]);
    await this.#inTurn(() => this.#copy(root, [real]));
    return inCopy(root, real);
  }

  /** Copies some files of a directory, as far as it has them. Returns the path of the directory in the copy. */
  async withFiles(directory: string, files: readonly string[]): Promise<string> {
    const [root, real] = await Promise.all([this.#root(), realpath(directory)]);
    await this.#inTurn(async () => {
      for (const file of files) {
        const path = join(real, file);
        const [folder, stats] = await Promise.all([
          realpath(dirname(path)).catch(() => real),
          lstat(path).catch(() => undefined),
        ]);
        if (stats === undefined || stats.isDirectory() || !(await this.#isInside(folder))) continue;
        await this.#copy(root, await this.#entry(root, join(folder, basename(path)), stats));
      }
    });
    return inCopy(root, real);
  }

  /** A text of a program that read the copy, with the paths of the trees. */
  async withoutCopy(text: string): Promise<string> {
    if (this.#made === undefined) return text;
    const root = await this.#made;
    const named = this.#trees.reduce((shown, tree) => shown.replaceAll(inCopy(root, tree.root), tree.shown), text);
    return named.replaceAll(root, '');
  }

  /** Deletes the copy. */
  async remove(): Promise<void> {
    if (this.#made !== undefined) await rm(await this.#made, { recursive: true, force: true });
    this.#made = undefined;
  }

  #root(): Promise<string> {
    this.#made ??= mkdtemp(join(tmpdir(), 'probewright-')).then((path) => realpath(path));
    return this.#made;
  }

  async #inTurn(copy: () => Promise<void>): Promise<void> {
    const copied = this.#last.then(copy);
    this.#last = copied.catch(() => undefined);
    await copied;
  }

  async #copy(root: string, starts: readonly string[]): Promise<void> {
    // The loop also visits what is added meanwhile. The paths are real ones, so links in a circle end.
    const paths = [...starts];
    for (const path of paths) {
      if (this.#copied.has(path)) continue;
      this.#copied.add(path);
      if (!(await stat(path)).isDirectory()) {
        await copiedFile(path, inCopy(root, path));
        continue;
      }
      await mkdir(inCopy(root, path), { recursive: true });
      for (const entry of await readdir(path, { withFileTypes: true }))
        paths.push(...(await this.#entry(root, join(path, entry.name), entry)));
    }
  }

  /** Copies a file or a link. Returns what is to be copied for it: a directory, or the target of a link. */
  async #entry(root: string, path: string, type: Dirent | Stats): Promise<readonly string[]> {
    const copy = inCopy(root, path);
    if (isGit(basename(path))) return [];
    if (type.isDirectory()) return [path];
    if (type.isFile()) await copiedFile(path, copy);
    if (!type.isSymbolicLink()) return [];
    const target = await this.#target(path);
    if (target === undefined) return [];
    await mkdir(dirname(copy), { recursive: true });
    await symlink(relative(dirname(copy), inCopy(root, target)) || '.', copy).catch(unlessThere);
    return [target];
  }

  /** The real path of what a link leads to. Undefined for what is no file or directory of a tree. */
  async #target(link: string): Promise<string | undefined> {
    const target = await realpath(link).catch(() => undefined);
    if (target === undefined) return undefined;
    const stats = await stat(target);
    if (!stats.isFile() && !stats.isDirectory()) return undefined;
    return (await this.#isInside(target)) ? target : undefined;
  }

  async #isInside(real: string): Promise<boolean> {
    return (await Promise.all(this.#trees.map(({ root }) => isInTree(root, real)))).includes(true);
  }
}

function inCopy(root: string, real: string): string {
  return join(root, relative(parse(real).root, real));
}

/** A file that is there stays, because a program may need it changed. */
async function copiedFile(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE).catch(unlessThere);
}

function unlessThere(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
}
