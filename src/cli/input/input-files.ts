import { stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, matchesGlob, relative, resolve } from 'node:path';
import { findYamlFiles, isWithin, type LinkReport } from '../../base/files/yaml-files.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { CHART_FILE, chartAbove, directoriesAbove } from './charts.ts';
import { isKustomizationFile, type FoundInput } from './kustomizations.ts';
import type { PassedOver } from './passed-over.ts';
import type { FileProblem } from '../../cluster/sources/policy-documents.ts';

/** Finds the inputs that names of files and directories lead to. Charts and kustomizations are found once. */
export class InputFiles {
  readonly problems: FileProblem[] = [];
  /** Links that lead nowhere. */
  readonly passedOver: PassedOver[] = [];
  /** The directories above the names. A kustomization there may use a named file as a patch. */
  readonly directoriesAbove = new Set<string>();
  readonly #exclusions: Exclusions;
  readonly #seen = new Set<string>();

  constructor(exclusions: Exclusions) {
    this.#exclusions = exclusions;
  }

  async find(name: string): Promise<readonly FoundInput[]> {
    if (this.#exclusions.named(name)) return [];
    try {
      const isDirectory = (await stat(name)).isDirectory();
      const chart = chartAbove(name);
      const found = chart === undefined ? await this.#findOutsideCharts(name, isDirectory) : [chartIn(chart)];
      return found.filter((input) => this.#isNew(input));
    } catch (error) {
      this.problems.push(unreadable(name, error));
      return [];
    }
  }

  async #findOutsideCharts(name: string, isDirectory: boolean): Promise<readonly FoundInput[]> {
    for (const directory of directoriesAbove(name)) this.directoriesAbove.add(directory);
    return isDirectory ? await this.#walk(name) : [fileInput(name)];
  }

  async #walk(directory: string): Promise<readonly FoundInput[]> {
    const found: FoundInput[] = [];
    const files = await findYamlFiles(directory, {
      links: {
        ...linksOf(directory, this.problems),
        broken: (link) => void this.passedOver.push({ file: link, reason: 'link' }),
      },
      isExcluded: (path) => this.#exclusions.below(directory, path),
      isListed: (path, names) => {
        if (names.includes(CHART_FILE)) found.push(chartIn(path));
        else if (names.includes('Kustomization')) found.push(fileInput(join(path, 'Kustomization')));
        return !names.includes(CHART_FILE);
      },
    });
    const below = files.map(({ path }) => ({ ...fileInput(path), isFound: true }));
    return [...found, ...below].sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  #isNew({ kind, path }: FoundInput): boolean {
    if (kind === 'file') return true;
    const key = resolve(path);
    if (this.#seen.has(key)) return false;
    this.#seen.add(key);
    return true;
  }
}

function chartIn(directory: string): FoundInput {
  return { kind: 'chart', path: directory };
}

function fileInput(path: string): FoundInput {
  return { kind: isKustomizationFile(path) ? 'kustomization' : 'file', path };
}

/** The problem of an input that cannot be read. */
export function unreadable(file: string, error: unknown): FileProblem {
  return { file, line: 1, column: 1, message: `cannot be read: ${messageOf(error)}` };
}

/**
 * Reports the links below a directory that are not followed. Links out of the directory are not followed, as the author
 * of the directory may lack the right to read what the links lead to.
 */
export function linksOf(directory: string, problems: FileProblem[]): LinkReport {
  return {
    outside: (link) => {
      const advice = 'name the file itself to have it read';
      const message = `is a symbolic link that leads out of ${directory}, and is skipped; ${advice}`;
      problems.push({ file: link, line: 1, column: 1, message });
    },
    broken: (link, error) => void problems.push(unreadable(link, error)),
  };
}

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
    if (!isWithin('', path)) return this.#matches(path, [fromHere]);
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
