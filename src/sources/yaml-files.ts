import { lstat, readdir, readFile, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { utf8Text } from './utf8.ts';
import type { PolicyText } from './policy-documents.ts';

const YAML_FILE = /\.(ya?ml|json)$/i;

/** A file as it was found: its path, and a value that changes whenever its content may have. */
export interface FoundFile {
  readonly path: string;
  readonly version: string;
}

/**
 * The YAML and JSON files below a directory, by path. Symbolic links are followed, as mounted ConfigMaps are made of them; names that
 * start with a dot are left out, as the mount's own `..data` would show every file twice. A directory that several links lead to is
 * there once, under its own path if that is below the one given: links back up end, and links across do not multiply.
 */
export async function findYamlFiles(directory: string): Promise<FoundFile[]> {
  const found: Found = { files: [], links: [directory], visited: new Set() };
  // What is found on the way joins the end, so that every directory is reached without links before it is reached with them.
  for (const link of found.links) await walk(link, found);
  return found.files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

interface Found {
  readonly files: FoundFile[];
  /** Links to directories, which may have been visited already. */
  readonly links: string[];
  /** By their real paths. */
  readonly visited: Set<string>;
}

async function walk(directory: string, found: Found): Promise<void> {
  const real = await realpath(directory);
  if (found.visited.has(real)) return;
  found.visited.add(real);
  // In order, as of two links to one directory the first counts.
  for (const name of (await readdir(directory)).sort()) {
    if (name.startsWith('.')) continue;
    const path = join(directory, name);
    const stats = await stat(path, { bigint: true }).catch((error: unknown) => unlessGone(path, error));
    if (stats === undefined) continue;
    if (stats.isDirectory()) await enter(path, found);
    else if (stats.isFile() && YAML_FILE.test(name)) {
      found.files.push({ path, version: `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}` });
    }
  }
}

async function enter(path: string, found: Found): Promise<void> {
  if ((await lstat(path)).isSymbolicLink()) found.links.push(path);
  else await walk(path, found);
}

/** A file may go between the listing and the look at it: then it is simply not there. A link to nowhere, however, is a policy lost. */
async function unlessGone(path: string, error: unknown): Promise<undefined> {
  const isThere = await lstat(path).then(
    () => true,
    () => false,
  );
  if (isThere || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}

/**
 * The files' texts, in the same order.
 *
 * @throws Error naming the file that cannot be read, or is not UTF-8
 */
export async function readYamlFiles(files: readonly FoundFile[]): Promise<PolicyText[]> {
  return Promise.all(files.map(async ({ path }) => ({ file: path, text: await readNamed(path) })));
}

async function readNamed(path: string): Promise<string> {
  const bytes = await readFile(path);
  try {
    return utf8Text(bytes);
  } catch (error) {
    throw new Error(`${path}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

/** A value that changes whenever the set of files or the content of one may have. */
export function versionOf(files: readonly FoundFile[]): string {
  return files.map(({ path, version }) => `${path}\n${version}`).join('\n');
}
