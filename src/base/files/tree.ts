import { existsSync } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { isGit, isInTree } from './yaml-files.ts';

/** The directory whose files are read for something that is named. A stranger may have written all of them. */
export interface Tree {
  /** The real path of the git work tree that holds what is named, else of the named directory. */
  readonly root: string;
  /** The root as a path of the same form as the name. */
  readonly shown: string;
  readonly isWorkTree: boolean;
}

/**
 * The tree that a name belongs to. Git is not asked, because the configuration of a repository can run programs.
 *
 * @throws Error for a name without a directory
 */
export async function treeOf(name: string): Promise<Tree> {
  const isDirectory = (await stat(name).catch(() => undefined))?.isDirectory() === true;
  const named = isDirectory ? name : dirname(name);
  const workTree = [named, ...directoriesAbove(named)].find((directory) => existsSync(join(directory, '.git')));
  const shown = workTree ?? named;
  return { root: await realpath(shown), shown, isWorkTree: workTree !== undefined };
}

/** The directories above a path, the nearest first, each as a path of the same form: relative or absolute. */
export function directoriesAbove(path: string): readonly string[] {
  const directories: string[] = [];
  let below = resolve(path);
  for (let directory = dirname(below); directory !== below; directory = dirname(below)) {
    directories.push(isAbsolute(path) ? directory : relative('', directory) || '.');
    below = directory;
  }
  return directories;
}

/** @throws Error for a path that leads out of a tree */
export async function refuseOutside(path: string, { root, shown }: Tree): Promise<void> {
  if (!(await isInTree(root, path))) throw new Error(`it leads out of ${shown}`);
}

/**
 * Refuses a named link that leads out of its git work tree: who names a path of a pull request does not choose what the
 * pull request puts there.
 *
 * @throws Error with the target to name instead
 */
export async function refuseNamedLink(name: string): Promise<void> {
  const { root, shown, isWorkTree } = await treeOf(dirname(resolve(name)));
  if (isWorkTree && !(await isInTree(root, name)))
    throw new Error(`${name} leads out of the git work tree ${shown}; name ${await realpath(name)} itself`);
}

/**
 * Refuses a link below a directory that leads out of the tree, or to a directory with Git's own files. For programs
 * that read all files of a directory and follow links.
 *
 * @throws Error with the link
 */
export async function refuseLinksOut(directory: string, tree: Tree): Promise<void> {
  // The loop also visits what is added meanwhile. Real paths end it, also when links lead in a circle.
  const directories = new Map([[await realpath(directory), directory]]);
  for (const at of directories.values())
    for (const entry of await readdir(at, { withFileTypes: true })) {
      const path = join(at, entry.name);
      const isDirectory = (await stat(path).catch(() => undefined))?.isDirectory() === true;
      if (entry.isSymbolicLink() && (!(await isInTree(tree.root, path)) || (isDirectory && (await holdsGit(path)))))
        throw new Error(`${path} is a symbolic link that leads out of ${tree.shown}, or to its .git`);
      if (isDirectory && !isGit(entry.name)) directories.set(await realpath(path), path);
    }
}

/**
 * True for a directory with Git's own files somewhere below. A work tree of `git worktree`, and a submodule, have a
 * file `.git` with a path only.
 */
export async function holdsGit(directory: string): Promise<boolean> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries.some((entry) => isGit(entry.name) && entry.isDirectory());
}
