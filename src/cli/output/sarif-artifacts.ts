import { isAbsolute, relative, sep } from 'node:path';

/** The name of the working directory in SARIF. GitHub takes relative URIs as relative to the repository's root. */
export const SOURCE_ROOT = '%SRCROOT%';

/**
 * Returns where SARIF finds a file. A file below the working directory gets a URI relative to that directory, also when
 * the command line names the file by an absolute path.
 */
export function artifactLocation(file: string): { readonly uri: string; readonly uriBaseId?: string } {
  if (!isAbsolute(file)) return { uri: uriPath(file), uriBaseId: SOURCE_ROOT };
  const below = relative('', file);
  return below === '..' || below.startsWith(`..${sep}`) || below === ''
    ? { uri: `file://${uriPath(file.replace(/^\/+/, '/'))}` }
    : { uri: uriPath(below), uriBaseId: SOURCE_ROOT };
}

/** Encodes a path. A relative path begins without `./`, because GitHub compares paths as texts. */
function uriPath(path: string): string {
  return path
    .toWellFormed()
    .replace(/^(?:\.\/+)+/, '')
    .split('/')
    .map(encodeURIComponent)
    .join('/');
}
