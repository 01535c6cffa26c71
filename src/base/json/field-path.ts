import { jsonText } from '../text/visible.ts';
import { isJsonObject, member, type JsonObject } from './json-value.ts';

/** A step into a document: a key or an index. */
export type PathStep = string | number;

/** The path of a value from the top of a document. */
export type FieldPath = readonly PathStep[];

/** Formats a path as people write it: `spec.containers[0]`, `metadata.annotations["a/b"]`. */
export function formatPath(path: FieldPath): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else if (/^[A-Za-z_][\w-]*$/.test(step)) text += text === '' ? step : `.${step}`;
    else text += `[${jsonText(step)}]`;
  }
  return text;
}

/**
 * A place in a document, held as one small object. The full path is built only to report a problem. Most objects have
 * no problem, so code that walks through them builds no paths.
 */
export class FieldPlace {
  readonly parent: FieldPlace | FieldPath;
  readonly step: PathStep;

  /** @param parent the place above, or the path to it */
  constructor(parent: FieldPlace | FieldPath, step: PathStep) {
    this.parent = parent;
    this.step = step;
  }

  /** Returns the place one step below. */
  at(step: PathStep): FieldPlace {
    return new FieldPlace(this, step);
  }

  /** Returns the path from the top of the document to this place, extended by these steps. */
  path(...steps: readonly PathStep[]): FieldPath {
    const above = this.parent instanceof FieldPlace ? this.parent.path() : this.parent;
    return [...above, this.step, ...steps];
  }
}

/** Returns the value at a path of own members and elements. Undefined when a step is missing. */
export function valueAt(document: unknown, path: FieldPath): unknown {
  let value = document;
  for (const step of path) {
    if (Array.isArray(value) && typeof step === 'number') value = value[step] as unknown;
    else if (isJsonObject(value) && typeof step === 'string') value = member(value, step);
    else return undefined;
  }
  return value;
}

/** A value with its path. */
export interface PlacedValue {
  readonly value: unknown;
  readonly path: FieldPath;
}

/** Returns each value that a pattern leads to; `*` stands for every element of a list. */
export function valuesAt(document: unknown, [step, ...rest]: readonly string[], above: FieldPath = []): PlacedValue[] {
  if (step === undefined) return [{ value: document, path: above }];
  if (step !== '*') return isJsonObject(document) ? valuesAt(member(document, step), rest, [...above, step]) : [];
  const elements: readonly unknown[] = Array.isArray(document) ? document : [];
  return elements.flatMap((element, index) => valuesAt(element, rest, [...above, index]));
}

/** Returns the string at a path. Undefined for any other value. */
export function textAt(document: unknown, ...path: FieldPath): string | undefined {
  const value = valueAt(document, path);
  return typeof value === 'string' ? value : undefined;
}

/** Returns the objects in the list at a path; none when there is no list. */
export function objectsAt(document: unknown, ...path: FieldPath): readonly JsonObject[] {
  const value = valueAt(document, path);
  return Array.isArray(value) ? (value as readonly unknown[]).filter(isJsonObject) : [];
}

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
