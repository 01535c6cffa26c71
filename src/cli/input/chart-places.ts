import { join, relative, sep } from 'node:path';
import { isWithin } from '../../base/files/yaml-files.ts';
import { ValuesOfChart } from './chart-values.ts';
import { CHART_FILE, type Chart } from './charts.ts';
import { documentSources, textFilesIn } from './document-sources.ts';
import type { Position } from '../../yaml/reading/documents.ts';
import type { Dependencies } from './chart-dependencies.ts';
import type { ManifestText } from './manifest.ts';

/** What Helm rendered of one template. */
interface TemplateText {
  readonly file: string;
  /** The way from the chart to the template: `charts/cache/templates/web.yaml`. */
  readonly way: string;
  readonly text: string;
}

/**
 * The output of Helm, a text for each template, with the places of lines in the files of the chart and the values that
 * write their fields.
 */
export async function placedTexts(
  output: string,
  chart: Chart,
  values: readonly string[],
  dependencies: Dependencies,
): Promise<readonly ManifestText[]> {
  const texts = textsByFile(output, chart, dependencies);
  const valuesOfChart = new ValuesOfChart(chart, values, dependencies);
  const directories = new Set([chart.directory, ...dependencies.directories.values()]);
  let read: Promise<Awaited<ReturnType<typeof textFilesIn>>> | undefined;
  const others = () => (read ??= Promise.all([...directories].map(textFilesIn)).then((all) => all.flat()));
  const placed = async ({ file, way, text }: TemplateText): Promise<ManifestText> => {
    const sourceAt = await documentSources(text, file, others);
    return {
      file,
      text,
      placeOf: (position) => {
        const source = sourceAt(position);
        if (source === undefined) return { file, ...NO_LINE };
        const { line, column } = source.placeOf(position);
        return { file: source.file, line, column };
      },
      chartValueOf: async (position, path, wanted) => {
        const value = sourceAt(position)?.placeOf(position).valueOf(path);
        const found = value && (await valuesOfChart.placeOf(way, [...value.name, ...value.below]));
        // `{{ .Values.port | quote }}` has the number, and `{{ .Values.name }}` the text, with other quotes.
        const isQuoting = ['string', 'number'].includes(typeof wanted) && value?.below.length === 0;
        return isQuoting && String(found?.value) === String(wanted) ? undefined : found;
      },
    };
  };
  return await Promise.all(texts.map(placed));
}

/** The place in a file of which no line is known. */
const NO_LINE: Position = { line: 0, column: 0 };

/** Helm writes `# Source: CHART/templates/web.yaml` below the `---` of each document. */
function textsByFile(output: string, { directory, name }: Chart, dependencies: Dependencies): readonly TemplateText[] {
  const texts: { file: string; way: string; text: string }[] = [];
  for (const text of output.split(/^(?=---$)/m)) {
    const source = /^---\n# Source: (.*)$/m.exec(text)?.[1];
    const way = source === undefined ? undefined : wayOf(source, name, directory);
    const last = texts.at(-1);
    if (last !== undefined && (way === undefined || way === last.way)) last.text += text;
    else texts.push({ ...placeOfWay(way ?? CHART_FILE, directory, dependencies), text });
  }
  return texts.filter(({ text }) => text.split('\n').some((line) => line !== '' && line !== '---'));
}

/** The way from a chart to a template. Undefined for a path outside the chart, which only a forged comment can name. */
function wayOf(source: string, name: string, directory: string): string | undefined {
  const start = `${name}/`;
  const path = join(directory, source.slice(start.length));
  return source.startsWith(start) && isWithin(directory, path) ? relative(directory, path) : undefined;
}

/** A template of a dependency is a file of the dependency's own chart. */
function placeOfWay(way: string, directory: string, { directories }: Dependencies): Omit<TemplateText, 'text'> {
  const steps = way.split(sep);
  const length = steps.findLastIndex((_, index) => directories.has(steps.slice(0, index).join(sep)));
  const own = directories.get(steps.slice(0, length).join(sep));
  return { way, file: own === undefined ? join(directory, way) : join(own, ...steps.slice(length)) };
}
