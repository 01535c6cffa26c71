import { join, sep } from 'node:path';
import { readUtf8File } from '../../base/files/regular-file.ts';
import { formatPath, valueAt, type FieldPath } from '../../base/json/field-path.ts';
import { parseYamlDocuments, type YamlDocument } from '../../yaml/reading/documents.ts';
import type { Chart } from './charts.ts';
import type { Dependencies } from './chart-dependencies.ts';
import type { ChartValue } from './manifest.ts';

/** The values of a chart in their files. A file is read once, and only when a finding asks. */
export class ValuesOfChart {
  readonly #chart: Chart;
  /** Of the command line. A later file wins. */
  readonly #files: readonly string[];
  readonly #dependencies: Dependencies;
  readonly #read = new Map<string, Promise<YamlDocument | undefined>>();

  constructor(chart: Chart, files: readonly string[], dependencies: Dependencies) {
    this.#chart = chart;
    this.#files = files;
    this.#dependencies = dependencies;
  }

  /**
   * A value as people look for it, with the last file that sets the value or an object around it. Undefined for a value
   * that cannot exist.
   *
   * @param way the way from the chart to the template that reads the value
   */
  async placeOf(way: string, name: FieldPath): Promise<ChartValue | undefined> {
    const { directory } = this.#chart;
    const parts = way.split(sep);
    const subcharts = parts.flatMap((part, index) => (part === 'charts' ? [parts[index + 1] ?? ''] : []));
    const ways = subcharts.flatMap((subchart) => ['charts', subchart]);
    const own = this.#dependencies.directories.get(ways.join(sep)) ?? join(directory, ...ways);
    // The names of subcharts are the first keys of a subchart's values.
    const path = [...subcharts, ...name];
    const files = [join(directory, 'values.yaml'), ...this.#files].map((file) => ({ file, steps: path })).reverse();
    const ofSubchart = subcharts.length === 0 ? [] : [{ file: join(own, 'values.yaml'), steps: name }];
    for (const { file, steps } of [...files, ...ofSubchart]) {
      const document = await this.#documentOf(file);
      if (document === undefined || valueAt(document.value, steps.slice(0, 1)) === undefined) continue;
      // A number has no members: the template writes the field in a way that its text does not tell.
      if (steps.some((_, index) => isScalar(valueAt(document.value, steps.slice(0, index))))) return undefined;
      const { line } = document.position(steps, { key: true });
      return { text: `${formatPath(steps)} in ${file}:${line}`, file, value: valueAt(document.value, steps) };
    }
    return { text: formatPath(path), file: join(directory, 'values.yaml') };
  }

  #documentOf(file: string): Promise<YamlDocument | undefined> {
    const parsed = async () => parseYamlDocuments(file, await readUtf8File(file).catch(() => '')).documents[0];
    const document = this.#read.get(file) ?? parsed();
    this.#read.set(file, document);
    return document;
  }
}

function isScalar(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}
