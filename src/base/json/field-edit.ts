import { isJsonObject, member } from './json-value.ts';
import type { FieldPath } from './field-path.ts';

/** An edit of one field: the value that the field gets, with missing objects above it. `null` removes the field. */
export interface FieldEdit {
  readonly path: FieldPath;
  readonly value: unknown;
}

/**
 * Returns a copy of a document with the edits made, in order. An edit in a list element that does not exist changes
 * nothing. An edit right behind the end of a list appends. The removal of an absent field changes nothing.
 */
export function withEdits<Document>(document: Document, edits: readonly FieldEdit[]): Document {
  return edits.reduce<unknown>((edited, { path, value }) => withValueAt(edited, path, value), document) as Document;
}

function withValueAt(document: unknown, [step, ...rest]: FieldPath, value: unknown): unknown {
  if (step === undefined) return value;
  if (typeof step === 'number') {
    const list: readonly unknown[] = Array.isArray(document) ? document : [];
    if (step > list.length || (value === null && step === list.length)) return document;
    if (rest.length === 0 && value === null) return list.filter((_, index) => index !== step);
    const edited = withValueAt(list[step], rest, value);
    return edited === undefined ? document : [...list.slice(0, step), edited, ...list.slice(step + 1)];
  }
  const object = isJsonObject(document) ? document : {};
  if (value === null && member(object, step) === undefined) return document;
  if (rest.length === 0 && value === null) {
    return Object.fromEntries(Object.entries(object).filter(([key]) => key !== step));
  }
  const edited = withValueAt(member(object, step), rest, value);
  return edited === undefined ? document : { ...object, [step]: edited };
}
