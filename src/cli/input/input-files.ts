import { stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, matchesGlob, relative, resolve } from 'node:path';
import { directoriesAbove, refuseNamedLink, treeOf, type Tree } from '../../base/files/tree.ts';
import { findYamlFiles, isWithin, isYamlFile, type LinkReport } from '../../base/files/yaml-files.ts';
import { NotUtf8Error, readUtf8File } from '../../base/files/regular-file.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { CHART_FILE, chartAbove, isChart } from './charts.ts';
import { isKustomizationFile, type FoundInput } from './kustomizations.ts';
import { joined, NO_TEXTS, type ReadTexts } from './manifests.ts';
import { isMeantAsManifest, type PassedOver } from './passed-over.ts';
import type { FileProblem } from '../../cluster/sources/policy-documents.ts';

/** What the names of a command line lead to. */
export interface InputFiles {
  readonly inputs: FoundInput[];
  readonly problems: FileProblem[];
  /** Links that lead nowhere, and what the project file excludes. */
  readonly passedOver: PassedOver[];
  /** The directories above the names. A kustomization there may use a file as a patch. */
  readonly directoriesAbove: Set<string>;
  /** The absolute paths of charts and kustomizations among the inputs. */
  readonly seen: Set<string>;
  /** The trees of the names. */
  readonly trees: Tree[];
}

/** Before a name has been looked at. */
export function noInputFiles(): InputFiles {
  return { inputs: [], problems: [], passedOver: [], directoriesAbove: new Set(), seen: new Set(), trees: [] };
}

/**
 * Adds the inputs that the name of a file or a directory leads to. Charts and kustomizations are found once.
 *
 * @param ofProject those of the globs that a project file has: what they leave out is told
 */
export async function findInputs(
  name: string,
  exclude: readonly string[],
  files: InputFiles,
  ofProject: readonly string[] = [],
): Promise<void> {
  if (isExcludedName(ofProject, name)) return void files.passedOver.push({ file: name, reason: 'project' });
  if (isExcludedName(exclude, name)) return;
  try {
    const isDirectory = (await stat(name)).isDirectory();
    await refuseNamedLink(name);
    const chart = isChart(name) ? name : chartAbove(name);
    const tree = await treeOf(chart ?? name);
    files.trees.push(tree);
    if (chart !== undefined) return add({ kind: 'chart', path: chart, tree }, files);
    for (const directory of directoriesAbove(name)) {
      files.directoriesAbove.add(directory);
      if (tree.isWorkTree && resolve(directory) === resolve(tree.shown)) break;
    }
    const inputs = isDirectory ? await inputsBelow(name, tree, exclude, ofProject, files) : [fileInput(name, tree)];
    for (const input of inputs) add(input, files);
  } catch (error) {
    files.problems.push(unreadable(name, error));
  }
}

function add(input: FoundInput, { inputs, seen }: InputFiles): void {
  const path = resolve(input.path);
  if (input.kind === 'file' || !seen.has(path)) inputs.push(input);
  if (input.kind !== 'file') seen.add(path);
}

async function inputsBelow(
  directory: string,
  tree: Tree,
  exclude: readonly string[],
  ofProject: readonly string[],
  files: InputFiles,
): Promise<FoundInput[]> {
  const found: FoundInput[] = [];
  const yamlFiles = await findYamlFiles(directory, {
    links: {
      ...linksOf(tree, files.problems),
      broken: (link) => void files.passedOver.push({ file: link, reason: 'link' }),
    },
    isExcluded: (path) => {
      if (basename(path) === PACKAGES) return true;
      const isOfProject = isExcludedBelow(ofProject, directory, path);
      if (isOfProject) files.passedOver.push({ file: path, reason: 'project' });
      return isOfProject || isExcludedBelow(exclude, directory, path);
    },
    isWanted: (name) => isYamlFile(name) || isKustomizationFile(name),
    isListed: (path, names) => {
      if (names.includes(CHART_FILE)) found.push({ kind: 'chart', path, tree });
      return !names.includes(CHART_FILE);
    },
  });
  const below = [...found, ...yamlFiles.map(({ path }) => fileInput(path, tree))];
  return below.map((input) => ({ ...input, isFound: true })).sort((a, b) => (a.path < b.path ? -1 : 1));
}

function fileInput(path: string, tree: Tree): FoundInput {
  return isKustomizationFile(path) ? { kind: 'kustomization', path, tree } : { kind: 'file', path };
}

/** Reads a file or a stream. A file that nobody named, and that is no text, is passed over. */
export async function readNamedText(
  file: string,
  read: () => Promise<string> = () => readUtf8File(file),
  isFound = false,
): Promise<Partial<ReadTexts>> {
  try {
    return { texts: [{ file, text: await read(), isFound }] };
  } catch (error) {
    const isForeign = isFound && error instanceof NotUtf8Error;
    if (isForeign && !isMeantAsManifest(error.ascii)) return { passedOver: [{ file, reason: 'encoding' }] };
    return { problems: [{ ...unreadable(file, error), ...(isForeign && { isFound }) }] };
  }
}

/** Reads the policies of a regular file, or of every YAML and JSON file below a directory. None without a path. */
export async function readPolicyTexts(path: string | undefined): Promise<ReadTexts> {
  if (path === undefined) return NO_TEXTS;
  const problems: FileProblem[] = [];
  const read: Partial<ReadTexts>[] = [{ problems }];
  for (const file of await policyFiles(path, problems)) read.push(await readNamedText(file));
  return joined(read);
}

/** The policies of several files and directories, together. */
export async function readAllPolicyTexts(paths: readonly string[]): Promise<ReadTexts> {
  const read: ReadTexts[] = [];
  for (const path of paths) read.push(await readPolicyTexts(path));
  return joined(read);
}

async function policyFiles(path: string, problems: FileProblem[]): Promise<readonly string[]> {
  try {
    const isDirectory = (await stat(path)).isDirectory();
    await refuseNamedLink(path);
    if (!isDirectory) return [path];
    return (await findYamlFiles(path, { links: linksOf(await treeOf(path), problems) })).map((file) => file.path);
  } catch (error) {
    problems.push(unreadable(path, error));
    return [];
  }
}

/** The problem of an input that cannot be read. */
export function unreadable(file: string, error: unknown): FileProblem {
  return { file, line: 1, column: 1, message: `cannot be read: ${messageOf(error)}` };
}

/**
 * Reports the links below a directory that are not followed. Links out of the tree are not followed, as the author of
 * the tree may lack the right to read what the links lead to.
 */
export function linksOf({ root, shown }: Tree, problems: FileProblem[]): LinkReport {
  return {
    root,
    outside: (link) => {
      const advice = 'name the file itself to have it read';
      const message = `is a symbolic link that leads out of ${shown}, and is skipped; ${advice}`;
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
