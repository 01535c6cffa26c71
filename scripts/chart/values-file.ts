import { parse } from 'yaml';
import { isJsonObject, type JsonObject } from '../../src/base/json/json-value.ts';

/** A key of values.yaml as its comment documents it. */
export interface ValueEntry {
  /** The heading that it stands under. */
  readonly section: string;
  readonly path: readonly string[];
  /** The comment above it, in one line; '' when there is none. */
  readonly description: string;
  /** What its "@schema" line adds to the schema. */
  readonly schema: JsonObject;
  readonly value: unknown;
}

/**
 * Reads the keys of values.yaml with the comments above them. `# == Heading` begins a section and a line `# @schema {...}` is for the schema.
 * Only block mappings are descended into: what stands below an `@schema` line is one value.
 */
export function readValuesFile(text: string): ValueEntry[] {
  const values: unknown = parse(text);
  const entries: ValueEntry[] = [];
  let section = '';
  let comment: string[] = [];
  let path: { readonly key: string; readonly indent: number }[] = [];
  /** Below this the lines belong to a value that is documented as a whole. */
  let whole = Infinity;
  for (const line of text.split('\n')) {
    const [, indentation = '', rest = ''] = /^( *)(.*)$/.exec(line) ?? [];
    const indent = indentation.length;
    const remark = /^# ?(.*)$/.exec(rest)?.[1];
    if (rest === '') comment = [];
    else if (remark?.startsWith('== ') === true) section = remark.slice(3);
    else if (remark !== undefined) comment.push(remark);
    else if (indent <= whole) {
      const key = /^([\w.-]+):/.exec(rest)?.[1];
      if (key === undefined) throw new Error(`values.yaml: not the line of a key: ${line}`);
      path = [...path.filter((step) => step.indent < indent), { key, indent }];
      const keys = path.map((step) => step.key);
      const schemaLine = comment.find((remarkLine) => remarkLine.startsWith('@schema '));
      const schema: unknown = schemaLine === undefined ? {} : parse(schemaLine.slice('@schema '.length));
      if (!isJsonObject(schema)) throw new Error(`values.yaml: ${keys.join('.')}: @schema is no object`);
      const description = comment.filter((remarkLine) => remarkLine !== schemaLine).join(' ');
      entries.push({ section, path: keys, description, schema, value: valueAt(values, keys) });
      whole = schemaLine === undefined ? Infinity : indent;
      comment = [];
    }
  }
  return entries;
}

/** Entries that stand directly below a key; those of the file itself below []. */
export function entriesBelow(entries: readonly ValueEntry[], path: readonly string[]): ValueEntry[] {
  return entries.filter(
    (entry) => entry.path.length === path.length + 1 && path.every((key, index) => entry.path[index] === key),
  );
}

function valueAt(values: unknown, [key, ...rest]: readonly string[]): unknown {
  if (key === undefined) return values;
  return isJsonObject(values) ? valueAt(values[key], rest) : undefined;
}
