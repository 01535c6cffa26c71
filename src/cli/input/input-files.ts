import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { findYamlFiles } from '../../base/files/yaml-files.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { CHART_FILE, ChartSearch } from './charts.ts';
import { directoriesAbove } from './directories-above.ts';
import { isKustomizationFile } from './kustomizations.ts';
import type { LinkReport } from '../../base/files/yaml-files.ts';
import type { FileProblem } from '../../cluster/sources/policy-documents.ts';
import type { Exclusions } from './exclusions.ts';

/** Something that a command line leads to: a file, a directory with a chart, or the file of a kustomization. */
export interface FoundInput {
  readonly kind: 'file' | 'chart' | 'kustomization';
  readonly path: string;
}

/** Finds the inputs that names of files and directories lead to. Charts and kustomizations are found once. */
export class InputFiles {
  /** The inputs that could not be read. */
  readonly problems: FileProblem[] = [];
  /** The directories above the names. A kustomization there may use a named file as a patch. */
  readonly directoriesAbove = new Set<string>();
  readonly #exclusions: Exclusions;
  readonly #charts = new ChartSearch();
  readonly #seen = new Set<string>();

  constructor(exclusions: Exclusions) {
    this.#exclusions = exclusions;
  }

  /** The inputs of one name, sorted by path. */
  async find(name: string): Promise<readonly FoundInput[]> {
    if (this.#exclusions.named(name)) return [];
    try {
      const isDirectory = (await stat(name)).isDirectory();
      const chart = await this.#charts.chartAbove(name);
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
      links: linksOf(directory, this.problems),
      isExcluded: (path) => this.#exclusions.below(directory, path),
      isListed: (path, names) => {
        if (names.includes(CHART_FILE)) found.push(chartIn(path));
        else if (names.includes('Kustomization')) found.push(fileInput(join(path, 'Kustomization')));
        return !names.includes(CHART_FILE);
      },
    });
    return [...found, ...files.map(({ path }) => fileInput(path))].sort((a, b) => (a.path < b.path ? -1 : 1));
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
