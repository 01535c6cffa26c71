import { existsSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { readUtf8File } from '../../base/files/regular-file.ts';
import { isWithin } from '../../base/files/yaml-files.ts';
import { isJsonObject, stringMember } from '../../base/json/json-value.ts';
import { parseYamlDocuments, type Position } from '../../yaml/reading/documents.ts';
import { outputOf, shellPath } from './rendering-tool.ts';
import type { ManifestText } from './manifest.ts';

export const CHART_FILE = 'Chart.yaml';

interface Chart {
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

/** The note about a chart that is not rendered. Its templates are no YAML. */
export function unrenderedChart(chart: Chart): string {
  return `chart ${chart.name}: not rendered; helm template ${releaseName(chart)} ${shellPath(chart.directory)}`;
}

/**
 * Renders a chart with the `helm` of the PATH. A text for each template, in the order of Helm.
 *
 * @param namespace the namespace of the release
 * @throws Error with Helm's reason
 */
export async function renderChart(chart: Chart, namespace: string): Promise<readonly ManifestText[]> {
  const { directory } = chart;
  // A path that begins with a dash would be a flag.
  const args = ['template', releaseName(chart), resolve(directory), '--namespace', namespace, '--skip-tests'];
  const texts = textsByFile(await outputOf('helm', args), chart);
  return await Promise.all(texts.map(placed));
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
async function placed({ file, text }: ManifestText): Promise<ManifestText> {
  const template = await readUtf8File(file).catch(() => '');
  return { file, text, placeOf: placesIn(template, text) };
}

/**
 * The directory of the nearest chart above a path, if the path is a part of the chart that Helm renders: a template, a
 * subchart's file, or values.
 */
export function chartAbove(path: string): string | undefined {
  const directory = directoriesAbove(path).find((above) => existsSync(join(above, CHART_FILE)));
  return directory !== undefined && isRendered(relative(directory, path)) ? directory : undefined;
}

function isRendered(path: string): boolean {
  return path === CHART_FILE || /^values[^/]*\.ya?ml$/.test(path) || /^(?:templates|charts)(?:\/|$)/.test(path);
}

/**
 * Finds lines of a rendered text in the template. A rendered line and the keys above the line are looked up in the
 * template, in order, from the document's `kind` down. The last line that is found is the place: the field itself, or
 * the nearest key above the field that is not computed. Without such a line, the place is the template's start.
 */
function placesIn(templateText: string, renderedText: string): (position: Position) => Position {
  const [template, rendered] = [linesOf(templateText), linesOf(renderedText)];
  return ({ line }) => {
    let found = -1;
    for (const { text } of linesAbove(rendered, line - 1)) {
      const next = template.findIndex((each, index) => index > found && each.text === text);
      if (next >= 0) found = next;
    }
    return { line: Math.max(found, 0) + 1, column: (template[found]?.indent ?? 0) + 1 };
  };
}

function linesAbove(rendered: readonly Line[], index: number): readonly Line[] {
  const start = rendered.findLastIndex(({ text }, at) => at <= index && text === '---') + 1;
  const document = rendered.slice(start, index + 1);
  let least = Infinity;
  const above = document.toReversed().filter(({ indent, text }) => {
    if (text === '' || text.startsWith('#') || indent >= least) return false;
    least = indent;
    return true;
  });
  const kind = document.find(({ indent, text }) => indent === 0 && text.startsWith('kind:'));
  return [...(kind === undefined ? [] : [kind]), ...above.reverse()];
}

interface Line {
  readonly indent: number;
  readonly text: string;
}

/** A list item counts as indented below its key, also when the dash is not. */
function linesOf(text: string): readonly Line[] {
  return text.split('\n').map((line) => {
    const trimmed = line.trim();
    const indent = line.search(/\S/);
    return { indent: indent + (trimmed.startsWith('- ') ? 0.5 : 0), text: trimmed };
  });
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
