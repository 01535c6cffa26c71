import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

const YAML_FILE = /\.(ya?ml|json)$/i;

/** A file as it was found: its path, and a value that changes whenever its content may have. */
export interface FoundFile {
  readonly path: string;
  readonly version: string;
}

/**
 * The YAML and JSON files below a directory, by path. Symbolic links are followed, as mounted ConfigMaps are made of them; names that
 * start with a dot are left out, as the mount's own `..data` would show every file twice. A directory that several links lead to is
 * there once, under its own path if that is below the one given: links back up end, and links across do not multiply. What has the
 * name of such a file and is none (a FIFO, a device) is there too: reading it reports what it is.
 *
 * @param links is given the links that are not followed; without it links lead anywhere, and one to nowhere is an error
 */
export async function findYamlFiles(directory: string, links?: LinkReport): Promise<FoundFile[]> {
  const root = await realpath(directory);
  const mayFollow = async (link: string): Promise<boolean> => {
    if (links === undefined || isWithin(root, await realpath(link).catch(() => root))) return true;
    links.outside(link);
    return false;
  };
  const found: Found = { files: [], links: [directory], visited: new Set(), mayFollow, broken: links?.broken };
  // What is found on the way joins the end, so that every directory is reached without links before it is reached with them.
  for (const link of found.links) await walk(link, found);
  return found.files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Is given the links below a directory that are not followed, each once. */
export interface LinkReport {
  /** A link that leads out of the directory. */
  readonly outside: (link: string) => void;
  /** A link whose target is not there, or may not be looked at. */
  readonly broken: (link: string, error: unknown) => undefined;
}

interface Found {
  readonly files: FoundFile[];
  /** Links to directories, which may have been visited already. */
  readonly links: string[];
  /** By their real paths. */
  readonly visited: Set<string>;
  readonly mayFollow: (link: string) => Promise<boolean>;
  readonly broken: LinkReport['broken'] | undefined;
}

function isWithin(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== '..' && !way.startsWith(`..${sep}`);
}

async function walk(directory: string, found: Found): Promise<void> {
  const real = await realpath(directory);
  if (found.visited.has(real)) return;
  found.visited.add(real);
  // In order, as of two links to one directory the first counts.
  const entries = (await readdir(directory, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const { name } = entry;
    if (name.startsWith('.')) continue;
    const path = join(directory, name);
    const isLink = entry.isSymbolicLink();
    const stats = await stat(path, { bigint: true }).catch((error: unknown) =>
      isLink && found.broken !== undefined ? found.broken(path, error) : unlessGone(path, error),
    );
    if (stats === undefined) continue;
    const isDirectory = stats.isDirectory();
    if ((!isDirectory && !YAML_FILE.test(name)) || (isLink && !(await found.mayFollow(path)))) continue;
    if (!isDirectory)
      found.files.push({ path, version: `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}` });
    else if (isLink) found.links.push(path);
    else await walk(path, found);
  }
}

/** A file may go between the listing and the look at it: then it is simply not there. A link to nowhere, however, is a policy lost. */
async function unlessGone(path: string, error: unknown): Promise<undefined> {
  const isThere = await lstat(path).then(
    () => true,
    () => false,
  );
  if (isThere || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}

/** A value that changes whenever the set of files or the content of one may have. */
export function versionOf(files: readonly FoundFile[]): string {
  return files.map(({ path, version }) => `${path}\n${version}`).join('\n');
}
