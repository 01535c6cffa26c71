import { lstat, readdir, readFile, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { PolicyText } from './policy-documents.ts';

const YAML_FILE = /\.(ya?ml|json)$/i;

/** A file as it was found: its path, and a value that changes whenever its content may have. */
export interface FoundFile {
  readonly path: string;
  readonly version: string;
}

/**
 * The YAML and JSON files below a directory, by path. Symbolic links are followed, as mounted ConfigMaps are made of them; names that
 * start with a dot are left out, as the mount's own `..data` would show every file twice.
 */
export async function findYamlFiles(directory: string): Promise<FoundFile[]> {
  const files: FoundFile[] = [];
  await walk(directory, files, new Set());
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function walk(directory: string, files: FoundFile[], above: ReadonlySet<string>): Promise<void> {
  const real = await realpath(directory);
  if (above.has(real)) return; // a link back up
  for (const name of await readdir(directory)) {
    if (name.startsWith('.')) continue;
    const path = join(directory, name);
    const stats = await stat(path, { bigint: true }).catch((error: unknown) => unlessGone(path, error));
    if (stats === undefined) continue;
    if (stats.isDirectory()) await walk(path, files, new Set([...above, real]));
    else if (stats.isFile() && YAML_FILE.test(name)) {
      files.push({ path, version: `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}` });
    }
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

/** The files' texts, in the same order. */
export async function readYamlFiles(files: readonly FoundFile[]): Promise<PolicyText[]> {
  return Promise.all(files.map(async ({ path }) => ({ file: path, text: await readFile(path, 'utf8') })));
}

/** A value that changes whenever the set of files or the content of one may have. */
export function versionOf(files: readonly FoundFile[]): string {
  return files.map(({ path, version }) => `${path}\n${version}`).join('\n');
}
