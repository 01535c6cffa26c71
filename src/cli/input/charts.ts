import { statSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { readUtf8File } from '../../base/files/regular-file.ts';
import { directoriesAbove, type Tree } from '../../base/files/tree.ts';
import { isInTree } from '../../base/files/yaml-files.ts';
import { isJsonObject, stringMember, type JsonObject } from '../../base/json/json-value.ts';
import { parseYamlDocuments } from '../../yaml/reading/documents.ts';
import { shellPath } from '../../base/text/shell-word.ts';

export const CHART_FILE = 'Chart.yaml';

export interface Chart {
  readonly directory: string;
  readonly tree: Tree;
  readonly file: string;
  readonly name: string;
  readonly isLibrary: boolean;
}

const RELEASE_NAME = /^(?=.{1,53}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;

/** The name and the type of a chart. A chart that cannot be read has the name of its directory. */
export async function readChart(directory: string, tree: Tree): Promise<Chart> {
  const file = join(directory, CHART_FILE);
  const chart = (await isInTree(tree.root, file)) ? await firstDocument(file) : {};
  return {
    directory,
    tree,
    file,
    name: stringMember(chart, 'name') ?? basename(resolve(directory)),
    isLibrary: stringMember(chart, 'type') === 'library',
  };
}

/** The first object of a file; an empty one where the file has none, or cannot be read. */
export async function firstDocument(file: string): Promise<JsonObject> {
  const value = parseYamlDocuments(file, await readUtf8File(file).catch(() => '')).documents[0]?.value;
  return isJsonObject(value) ? value : {};
}

/** Values for a chart, as Helm's flags of these names take them. */
export interface ChartValues {
  /** Files. A later one wins. */
  readonly values: readonly string[];
  /** `KEY=VALUE`, over the files. */
  readonly set: readonly string[];
}

/** The values of a chart in a project file. */
export interface ChartOfProject extends ChartValues {
  /** The directory of the chart. */
  readonly path: string;
}

/** A project file as a command line: the texts of flags, and the values of charts. */
export interface ProjectSettings {
  readonly file: string;
  /** The globs as the file has them. */
  readonly exclude: readonly string[];
  /** By the name of the flag. Paths and globs are relative to the working directory, or absolute. */
  readonly flags: ReadonlyMap<string, readonly string[]>;
  readonly charts: readonly ChartOfProject[];
}

/** A project file beside a command line. */
export interface ProjectInForce extends ProjectSettings {
  /** What the file sets, and no flag overrides: `--namespace shop`. */
  readonly sets: readonly string[];
}

/** The command that renders a chart, for people. */
export function helmCommand(chart: Pick<Chart, 'directory' | 'name'>): string {
  return `helm template ${releaseName(chart)} ${shellPath(chart.directory)}`;
}

/** The name of the release that a chart is rendered as. */
export function releaseName({ name }: Pick<Chart, 'name'>): string {
  return RELEASE_NAME.test(name) ? name : 'release';
}

/**
 * The directory of the nearest chart above a path, if the path is a part of the chart that Helm renders: a template, a
 * subchart's file, or values.
 */
export function chartAbove(path: string): string | undefined {
  const directory = directoriesAbove(path).find(isChart);
  return directory !== undefined && isRendered(relative(directory, path)) ? directory : undefined;
}

/** True for a directory with a chart. */
export function isChart(directory: string): boolean {
  return statSync(join(directory, CHART_FILE), { throwIfNoEntry: false })?.isFile() === true;
}

function isRendered(path: string): boolean {
  return path === CHART_FILE || /^values[^/]*\.ya?ml$/.test(path) || /^(?:templates|charts)(?:\/|$)/.test(path);
}
