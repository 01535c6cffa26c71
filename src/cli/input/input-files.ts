import { stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, matchesGlob, relative, resolve } from 'node:path';
import { findYamlFiles, isWithin, type LinkReport } from '../../base/files/yaml-files.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { CHART_FILE, chartAbove, directoriesAbove, isChart } from './charts.ts';
import { isKustomizationFile, type FoundInput } from './kustomizations.ts';
import type { PassedOver } from './passed-over.ts';
import type { FileProblem } from '../../cluster/sources/policy-documents.ts';

/** What the names of a command line lead to. */
export interface InputFiles {
  readonly inputs: FoundInput[];
  readonly problems: FileProblem[];
  /** Links that lead nowhere. */
  readonly passedOver: PassedOver[];
  /** The directories above the names. A kustomization there may use a file as a patch. */
  readonly directoriesAbove: Set<string>;
  /** The absolute paths of charts and kustomizations among the inputs. */
  readonly seen: Set<string>;
}

/** Adds the inputs that the name of a file or a directory leads to. Charts and kustomizations are found once. */
export async function findInputs(name: string, exclude: readonly string[], files: InputFiles): Promise<void> {
  if (isExcludedName(exclude, name)) return;
  try {
    const isDirectory = (await stat(name)).isDirectory();
    const chart = isChart(name) ? name : chartAbove(name);
    if (chart !== undefined) return add(chartIn(chart), files);
    for (const directory of directoriesAbove(name)) files.directoriesAbove.add(directory);
    for (const input of isDirectory ? await inputsBelow(name, exclude, files) : [fileInput(name)]) add(input, files);
  } catch (error) {
    files.problems.push(unreadable(name, error));
  }
}

function add(input: FoundInput, { inputs, seen }: InputFiles): void {
  const path = resolve(input.path);
  if (input.kind === 'file' || !seen.has(path)) inputs.push(input);
  if (input.kind !== 'file') seen.add(path);
}

async function inputsBelow(directory: string, exclude: readonly string[], files: InputFiles): Promise<FoundInput[]> {
  const found: FoundInput[] = [];
  const yamlFiles = await findYamlFiles(directory, {
    links: {
      ...linksOf(directory, files.problems),
      broken: (link) => void files.passedOver.push({ file: link, reason: 'link' }),
    },
    isExcluded: (path) => isExcludedBelow(exclude, directory, path),
    isListed: (path, names) => {
      if (names.includes(CHART_FILE)) found.push(chartIn(path));
      else if (names.includes('Kustomization')) found.push(fileInput(join(path, 'Kustomization')));
      return !names.includes(CHART_FILE);
    },
  });
  const below = [...found, ...yamlFiles.map(({ path }) => fileInput(path))];
  return below.map((input) => ({ ...input, isFound: true })).sort((a, b) => (a.path < b.path ? -1 : 1));
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

/** True for a file or directory that globs exclude below a directory that the command line names. */
export function isExcludedBelow(globs: readonly string[], directory: string, path: string): boolean {
  return basename(path) === PACKAGES || matches(globs, path, [relative('', path), relative(directory, path)]);
}

/** True for a file or directory that the command line names, and globs exclude. A directory above it counts too. */
export function isExcludedName(globs: readonly string[], path: string): boolean {
  const fromHere = relative('', path);
  if (!isWithin('', path)) return matches(globs, path, [fromHere]);
  for (let above = fromHere; above !== '' && above !== '.'; above = dirname(above))
    if (matches(globs, above, [above])) return true;
  return false;
}

/**
 * A glob without a slash matches a name at any depth. A glob with a slash matches a path from the working directory or
 * from the directory that the command line names.
 */
function matches(globs: readonly string[], path: string, candidates: readonly string[]): boolean {
  return globs.some((given) => {
    const glob = given.replace(/^(?:\.\/+)+/, '').replace(/(?<=^\/|[^/])\/+$/, '');
    if (!glob.includes('/')) return matchesGlob(basename(path), glob);
    const paths = isAbsolute(glob) ? [resolve(path)] : candidates;
    // `charts/**` also excludes the directory `charts`, so no chart is reported there.
    const forms = glob.endsWith('/**') ? [glob, glob.slice(0, -3)] : [glob];
    return forms.some((form) => paths.some((each) => matchesGlob(each, form)));
  });
}
