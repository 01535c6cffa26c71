import { formatPath, type FieldEdit, type FieldPath } from '../../base/json/field-path.ts';
import { isJsonObject } from '../../base/json/json-value.ts';
import { jsonText } from '../../base/text/visible.ts';
import { linePlace } from '../../cluster/sources/policy-documents.ts';
import { parseYamlDocuments } from '../../yaml/reading/documents.ts';
import { describeManifest, namespaceOf, type ManifestText } from '../input/manifest.ts';
import { STDIN_NAME } from '../input/standard-input.ts';
import type { FixedFile } from './fix-file.ts';

const SOURCE = /^# Source: (.*)$/gm;

/** True for a text that a tool rendered: no file has the text, so no patch of the text can be applied. */
export function isRendered({ file, text, placeOf }: ManifestText): boolean {
  return placeOf !== undefined || (file === STDIN_NAME && text.search(SOURCE) >= 0);
}

/** A change that a person has to make. */
export interface EditByHand {
  readonly line: string;
  /** The file to edit. */
  readonly file: string;
}

/**
 * What to change by hand in place of a rendered text: a line for each field, with the place in the template, and the
 * value of the chart that the template writes there.
 */
export async function editsByHand(
  { source: { placeOf, chartValueOf, manifests }, file, before, after }: FixedFile,
  namespace: string,
): Promise<readonly EditByHand[]> {
  if (after === before) return [];
  // The manifests lack the fields of documents that no rule concerns, so both texts are read as a whole.
  const [original, edited] = [valuesOf(file, before), valuesOf(file, after)];
  const edits: EditByHand[] = [];
  const origin = placeOf !== undefined && chartValueOf === undefined ? 'in the base or in a patch' : 'in the template';
  for (const document of new Set(manifests.map((manifest) => manifest.document)))
    for (const { path, value: wanted } of differences(original.get(document.index), edited.get(document.index), [])) {
      const at = document.placeOf(path, { key: true });
      const template = placeOf === undefined ? sourceAbove(before, at.line) : at.file;
      const place = placeOf === undefined ? template : linePlace(at);
      const { value: object } = document;
      const what = isJsonObject(object) ? describeManifest(object, namespaceOf(object) ?? namespace) : 'object';
      const chartValue = await document.chartValueOf?.(path, wanted);
      const value = chartValue && `value ${chartValue.text}`;
      const edit =
        wanted === undefined
          ? `remove ${value ?? `it ${origin}`}`
          : `write ${jsonText(wanted)} ${value === undefined ? origin : `as ${value}`}`;
      const line = `${place}: ${what}: ${formatPath(path)}: ${edit}`;
      edits.push({ line, file: chartValue?.file ?? template });
    }
  return edits;
}

/** The documents of a text, by index. */
function valuesOf(file: string, text: string): ReadonlyMap<number, unknown> {
  return new Map(parseYamlDocuments(file, text).documents.map(({ index, value }) => [index, value]));
}

/** The template that helm names above a line of its output. */
function sourceAbove(text: string, line: number): string {
  const above = text.split('\n').slice(0, line).join('\n');
  return [...above.matchAll(SOURCE)].at(-1)?.[1] ?? STDIN_NAME;
}

/**
 * The fields that differ, each as deep as possible, with the value after the change. Undefined = the field is gone.
 * A list with another number of elements differs as a whole.
 */
function differences(before: unknown, after: unknown, path: FieldPath): readonly FieldEdit[] {
  if (isJsonObject(before) && isJsonObject(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return keys.flatMap((key) => differences(before[key], after[key], [...path, key]));
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length)
    return before.flatMap((each, index) => differences(each, after[index], [...path, index]));
  return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ path, value: after }];
}
