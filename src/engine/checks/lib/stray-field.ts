import { isJsonObject, member } from '../../../base/json/json-value.ts';
import type { FieldEdit } from '../../../base/json/field-edit.ts';
import type { FieldPath } from '../../../base/json/field-path.ts';
import type { JsonObject } from '../../../base/json/json-value.ts';

/** A field that the API server drops, with its container. */
export interface StrayField extends Stray {
  readonly container: string;
  readonly path: FieldPath;
  readonly message: string;
}

/** The advice for such a field. */
export interface Stray {
  readonly remedy?: string;
  readonly edits?: readonly FieldEdit[];
}

/** Makes the finding about a field that no API version knows at its place. */
export function strayField(container: string, path: FieldPath, stray: Stray): StrayField {
  return { container, path, message: 'unknown field, which the API server drops', ...stray };
}

/**
 * Advises to move a field. There are no edits if a value is written at the new place already, because then nobody knows
 * which value counts.
 *
 * @param owner the object that holds both places
 * @param path the path of the owner in the document
 */
export function movedFrom(
  owner: JsonObject,
  path: FieldPath,
  from: readonly string[],
  to: readonly string[],
  remedy: string,
): Stray {
  if (fieldBelow(owner, to) !== undefined) return { remedy };
  return {
    remedy,
    edits: [
      { path: [...path, ...from], value: null },
      { path: [...path, ...to], value: fieldBelow(owner, from) ?? null },
    ],
  };
}

/** Returns the value at a path of own members. Undefined when a member is missing. */
export function fieldBelow(owner: JsonObject, path: readonly string[]): unknown {
  let value: unknown = owner;
  for (const step of path) {
    if (!isJsonObject(value)) return undefined;
    value = member(value, step);
  }
  return value;
}
