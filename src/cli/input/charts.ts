import { statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { readUtf8File } from '../../base/files/regular-file.ts';
import { isWithin } from '../../base/files/yaml-files.ts';
import { isJsonObject, stringMember } from '../../base/json/json-value.ts';
import { formatPath, valueAt, type PathStep } from '../../base/json/field-path.ts';
import { parseYamlDocuments, type YamlDocument } from '../../yaml/reading/documents.ts';
import { outputOfFirst, shellPath } from './rendering-tool.ts';
import { placesIn } from './template-places.ts';
import type { ChartValue, ManifestText } from './manifest.ts';

export const CHART_FILE = 'Chart.yaml';

export interface Chart {
  readonly directory: string;
  readonly file: string;
  readonly name: string;
  readonly isLibrary: boolean;
}

const RELEASE_NAME = /^(?=.{1,53}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;

/** Reads the name and the type of a chart. A chart that cannot be read has the name of its directory. */
export async function readChart(directory: string): Promise<Chart> {
  const file = join(directory, CHART_FILE);
  const text = await readUtf8File(file).catch(() => '');
  const value = parseYamlDocuments(CHART_FILE, text).documents[0]?.value;
  const chart = isJsonObject(value) ? value : {};
  return {
    directory,
    file,
    name: stringMember(chart, 'name') ?? basename(resolve(directory)),
    isLibrary: stringMember(chart, 'type') === 'library',
  };
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

/** The command that renders a chart, for people. */
export function helmCommand(chart: Chart): string {
  return `helm template ${releaseName(chart)} ${shellPath(chart.directory)}`;
}

/** Helm's words for a dependency that is in Chart.yaml and not in charts/. */
export const LACKS_DEPENDENCY = /missing in charts\/ directory: (.*)$/;

/**
 * Renders a chart with the `helm` of the PATH. A text for each template, in the order of Helm.
 *
 * @param namespace the namespace of the release
 * @param kubernetesVersion the version that templates see
 * @throws NoRenderingTool when there is no `helm`
 * @throws Error with Helm's reason
 */
export async function renderChart(
  chart: Chart,
  { values, set }: ChartValues,
  namespace: string,
  kubernetesVersion: string | undefined,
): Promise<readonly ManifestText[]> {
  const { directory } = chart;
  // A path that begins with a dash would be a flag, and Helm downloads a path that is an address.
  const files = values.map((file) => resolve(file));
  const args = [
    ...['template', releaseName(chart), resolve(directory), '--namespace', namespace, '--skip-tests'],
    ...(kubernetesVersion === undefined ? [] : ['--kube-version', kubernetesVersion]),
    ...files.flatMap((file) => ['--values', file]),
    ...set.flatMap((assignment) => ['--set', assignment]),
  ];
  const texts = textsByFile(await outputOfFirst([['helm', args]]), chart);
  const valuesIn = valuesReader();
  return await Promise.all(texts.map((text) => placed(text, chart, values, valuesIn)));
}

/** The first document of a file. */
type ValuesReader = (file: string) => Promise<YamlDocument | undefined>;

/** Reads each file of values once, because every finding may ask. */
function valuesReader(): ValuesReader {
  const read = new Map<string, ReturnType<ValuesReader>>();
  return (file) => {
    const parsed = async () => parseYamlDocuments(file, await readUtf8File(file).catch(() => '')).documents[0];
    const values = read.get(file) ?? parsed();
    read.set(file, values);
    return values;
  };
}

function releaseName({ name }: Chart): string {
  return RELEASE_NAME.test(name) ? name : 'release';
}

/** Helm writes `# Source: CHART/templates/web.yaml` below the `---` of each document. */
function textsByFile(output: string, { directory, name }: Chart): readonly ManifestText[] {
  const texts: { file: string; text: string }[] = [];
  for (const text of output.split(/^(?=---$)/m)) {
    const source = /^---\n# Source: (.*)$/m.exec(text)?.[1];
    const file = source === undefined ? undefined : templateFile(source, name, directory);
    const last = texts.at(-1);
    if (last !== undefined && (file === undefined || file === last.file)) last.text += text;
    else texts.push({ file: file ?? join(directory, CHART_FILE), text });
  }
  return texts.filter(({ text }) => text.split('\n').some((line) => line !== '' && line !== '---'));
}

/** The path of a template. Undefined for a path outside the chart, which only a forged comment can name. */
function templateFile(source: string, name: string, directory: string): string | undefined {
  const start = `${name}/`;
  const path = join(directory, source.slice(start.length));
  return source.startsWith(start) && isWithin(directory, path) ? path : undefined;
}

/** A template of a packed subchart is no file. Its findings have the first line. */
async function placed(
  { file, text }: ManifestText,
  chart: Chart,
  values: readonly string[],
  valuesIn: ValuesReader,
): Promise<ManifestText> {
  const placeOf = placesIn(await readUtf8File(file).catch(() => ''), text);
  const parts = relative(chart.directory, file).split(sep);
  const subcharts = parts.flatMap((part, index) => (part === 'charts' ? [parts[index + 1] ?? ''] : []));
  return {
    file,
    text,
    placeOf,
    chartValueOf: async (position, path) => {
      const { key, value } = placeOf(position);
      if (value === undefined) return undefined;
      const below = key === undefined ? [] : path.slice(path.lastIndexOf(key) + 1);
      const steps = [...value.split('.'), ...(path.includes(key ?? '') ? below : [])];
      return await valuePlace([...subcharts, ...steps], values, chart, subcharts, valuesIn);
    },
  };
}

/** The value of a chart as people look for it, with the last file that sets the value or an object around it. */
async function valuePlace(
  path: readonly PathStep[],
  values: readonly string[],
  { directory }: Chart,
  subcharts: readonly string[],
  valuesIn: ValuesReader,
): Promise<ChartValue> {
  const own = join(directory, ...subcharts.flatMap((name) => ['charts', name]));
  const ofSubchart = { file: join(own, 'values.yaml'), steps: path.slice(subcharts.length) };
  const files = [join(directory, 'values.yaml'), ...values].map((file) => ({ file, steps: path })).reverse();
  for (const { file, steps } of subcharts.length === 0 ? files : [...files, ofSubchart]) {
    const document = await valuesIn(file);
    if (document === undefined || valueAt(document.value, steps.slice(0, 1)) === undefined) continue;
    return { text: `${formatPath(steps)} in ${file}:${document.position(steps, { key: true }).line}`, file };
  }
  return { text: formatPath(path), file: join(directory, 'values.yaml') };
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

/** The directories above a path, the nearest first, each as a path of the same form: relative or absolute. */
export function directoriesAbove(path: string): readonly string[] {
  const directories: string[] = [];
  let below = resolve(path);
  for (let directory = dirname(below); directory !== below; directory = dirname(below)) {
    directories.push(isAbsolute(path) ? directory : relative('', directory) || '.');
    below = directory;
  }
  return directories;
}
