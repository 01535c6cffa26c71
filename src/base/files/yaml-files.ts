import { readdir, realpath, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { BigIntStats } from 'node:fs';

const YAML_FILE = /\.(ya?ml|json)$/i;

/** A file with its path and a version. The version changes whenever the content of the file may have changed. */
export interface FoundFile {
  readonly path: string;
  readonly version: string;
}

/**
 * The YAML and JSON files below a directory, sorted by path. Follows symbolic links, because mounted ConfigMaps consist
 * of links. Skips names that start with a dot: the mount's own `..data` would list every file twice. Lists each
 * directory once, even if several links lead to the directory. A directory below the given one is listed under its own
 * path. So a link to a parent directory ends, and links between directories do not multiply files. A FIFO or a device
 * with the name of a YAML file is listed too, and the read reports the type. A file in the place of the directory is
 * the only one.
 *
 * @param selection leaves out files and directories
 */
export async function findYamlFiles(directory: string, selection: FileSelection = {}): Promise<FoundFile[]> {
  const { links } = selection;
  const named = await stat(directory, { bigint: true });
  if (named.isFile()) return [foundFile(directory, named)];
  const root = links?.root ?? (await realpath(directory));
  const mayFollow = async (link: string): Promise<boolean> => {
    if (links === undefined || (await isInTree(root, link))) return true;
    links.outside(link);
    return false;
  };
  const found: Found = { files: [], links: [directory], visited: new Set(), mayFollow, selection };
  // New links are added at the end of the list. So every directory is reached without links before the directory is
  // reached through links.
  for (const link of found.links) await walk(link, found);
  return found.files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** The files and directories below a directory that are left out. */
export interface FileSelection {
  /**
   * Receives the links that are not followed. Without `links`, all links are followed, and a broken link is an error.
   */
  readonly links?: LinkReport;
  /** True for a file or a directory that is left out, with everything below the directory. */
  readonly isExcluded?: (path: string) => boolean;
  /** True for the name of a file that is listed. Without it: YAML and JSON by their extension. */
  readonly isWanted?: (name: string) => boolean;
  /** True for a directory whose files are listed. Receives the names of the files in the directory, in order. */
  readonly isListed?: (directory: string, names: readonly string[]) => boolean;
}

/** Receives the links below a directory that are not followed, each link once. */
export interface LinkReport {
  /** The real path of the directory that links may lead to. Without it: the directory that is listed. */
  readonly root?: string;
  /** A link that leads out of the root, or to Git's own files. */
  readonly outside: (link: string) => void;
  /** A link whose target is missing or not accessible. */
  readonly broken: (link: string, error: unknown) => undefined;
}

interface Found {
  readonly files: FoundFile[];
  /** Links to directories. A directory behind a link may already be visited. */
  readonly links: string[];
  /** The real paths of the visited directories. */
  readonly visited: Set<string>;
  readonly mayFollow: (link: string) => Promise<boolean>;
  readonly selection: FileSelection;
}

/** True for a directory itself, and for a path below it. The file system is not asked. */
export function isWithin(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== '..' && !way.startsWith(`..${sep}`);
}

/**
 * True for a path whose file is really below a directory, and for a path that leads nowhere. Git's own files do not
 * belong to a tree: a job may keep a token in `.git/config`.
 *
 * @param root the real path of the directory
 */
export async function isInTree(root: string, path: string): Promise<boolean> {
  const real = await realpath(path).catch(() => root);
  return isWithin(root, real) && !relative(root, real).split(sep).some(isGit);
}

/** True for the name of the directory with Git's own files, also on a file system that ignores case. */
export function isGit(name: string): boolean {
  return name.toLowerCase() === '.git';
}

/** True for the name of a YAML or JSON file. */
export function isYamlFile(name: string): boolean {
  return YAML_FILE.test(name);
}

function foundFile(path: string, stats: BigIntStats): FoundFile {
  return { path, version: `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}` };
}

async function walk(directory: string, found: Found): Promise<void> {
  const real = await realpath(directory);
  if (found.visited.has(real)) return;
  found.visited.add(real);
  // Sorted, because only the first of two links to one directory counts.
  const entries = (await readdir(directory, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1));
  const { links, isExcluded, isListed, isWanted = isYamlFile } = found.selection;
  const names = entries.flatMap((entry) => (entry.isDirectory() ? [] : [entry.name]));
  if (isListed?.(directory, names) === false) return;
  for (const entry of entries) {
    const { name } = entry;
    if (name.startsWith('.') || (entry.isFile() && !isWanted(name))) continue;
    const path = join(directory, name);
    if (isExcluded?.(path) === true) continue;
    const isLink = entry.isSymbolicLink();
    const stats = await stat(path, { bigint: true }).catch((error: unknown) =>
      isLink && links !== undefined ? links.broken(path, error) : unlessGone(directory, name, error),
    );
    if (stats === undefined) continue;
    const isDirectory = stats.isDirectory();
    if ((!isDirectory && !isWanted(name)) || (isLink && !(await found.mayFollow(path)))) continue;
    if (!isDirectory) found.files.push(foundFile(path, stats));
    else if (isLink) found.links.push(path);
    else await walk(path, found);
  }
}

/**
 * Another process may delete a file between the listing and the `stat` call, so a missing file is skipped. A broken
 * link is an error, because a skipped link would lose a policy. A directory that was renamed away is an error, too:
 * all of its files would seem to be deleted.
 */
async function unlessGone(directory: string, name: string, error: unknown): Promise<undefined> {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || (await readdir(directory)).includes(name)) throw error;
}

/** A value that changes whenever the set of files, or the content of a file, may have changed. */
export function filesVersion(files: readonly FoundFile[]): string {
  return files.map(({ path, version }) => `${path}\n${version}`).join('\n');
}
