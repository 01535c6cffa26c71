import { basename, dirname, isAbsolute, matchesGlob, relative, resolve, sep } from 'node:path';

/** A directory of packages has no manifests of its own. The walk also skips names with a dot first, such as `.git`. */
const PACKAGES = 'node_modules';

/**
 * The files and directories that globs exclude. A glob without a slash matches a name at any depth. A glob with a slash
 * matches a path from the working directory or from the directory that the command line names.
 */
export class Exclusions {
  readonly #names: readonly string[];
  readonly #paths: readonly string[];

  constructor(globs: readonly string[]) {
    const all = globs.map(normalized);
    this.#names = all.filter((glob) => !glob.includes('/'));
    const paths = all.filter((glob) => glob.includes('/'));
    // `charts/**` also excludes the directory `charts`, so no chart is reported there.
    this.#paths = paths.flatMap((glob) => (glob.endsWith('/**') ? [glob, glob.slice(0, -3)] : [glob]));
  }

  /** True for a file or directory below a directory that the command line names. */
  below(directory: string, path: string): boolean {
    return basename(path) === PACKAGES || this.#matches(path, [relative('', path), relative(directory, path)]);
  }

  /** True for a file or directory that the command line names. A directory above the path counts too. */
  named(path: string): boolean {
    const fromHere = relative('', path);
    const isInside = fromHere !== '..' && !fromHere.startsWith(`..${sep}`) && !isAbsolute(fromHere);
    if (!isInside) return this.#matches(path, [fromHere]);
    for (let above = fromHere; above !== '' && above !== '.'; above = dirname(above))
      if (this.#matches(above, [above])) return true;
    return false;
  }

  #matches(path: string, candidates: readonly string[]): boolean {
    const name = basename(path);
    return (
      this.#names.some((glob) => matchesGlob(name, glob)) ||
      this.#paths.some((glob) =>
        isAbsolute(glob)
          ? matchesGlob(resolve(path), glob)
          : candidates.some((candidate) => matchesGlob(candidate, glob)),
      )
    );
  }
}

function normalized(glob: string): string {
  return glob.replace(/^(?:\.\/+)+/, '').replace(/(?<=^\/|[^/])\/+$/, '');
}
