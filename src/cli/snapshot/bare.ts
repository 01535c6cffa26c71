import { isJsonObject, member } from '../../base/json/json-value.ts';
import { NumberLiteral } from '../../base/json/number-literal.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { GoStruct, GoType } from '../../engine/probe/api-schema.ts';

/**
 * Returns an empty value of the same JSON type. The API server's answer to a value of a wrong type depends on the type
 * only, so the verdict stays the same.
 */
export function bare(value: unknown): unknown {
  if (Array.isArray(value)) return [];
  if (value instanceof NumberLiteral) return 0;
  if (typeof value === 'object') return value === null ? null : {};
  if (typeof value === 'string') return '';
  return typeof value === 'number' ? 0 : value;
}

/** Returns the value without fields that the API does not have. A value of a wrong type becomes empty. */
export function declaredPart(value: unknown, type: GoType): unknown {
  if (value instanceof NumberLiteral) return value;
  if (type.kind === 'struct') return isJsonObject(value) ? declaredFields(value, type) : bare(value);
  if (type.kind === 'list')
    return Array.isArray(value)
      ? (value as unknown[]).map((element) => declaredPart(element, type.element))
      : bare(value);
  return scalar(value);
}

/** Returns a text, a number or a boolean. A value of another type becomes empty. */
export function scalar(value: unknown): unknown {
  return typeof value !== 'object' || value instanceof NumberLiteral ? value : bare(value);
}

function declaredFields(object: JsonObject, { fields }: GoStruct): JsonObject {
  const part: Record<string, unknown> = {};
  for (const [name, field] of fields) {
    const value = member(object, name);
    if (value !== undefined) part[name] = declaredPart(value, field.type);
  }
  return part;
}

/** Returns the members of an object that have these names and are no objects or lists. */
export function scalarMembers(object: JsonObject, names: readonly string[]): Record<string, unknown> {
  const part: Record<string, unknown> = {};
  for (const name of names) {
    const value = member(object, name);
    if (value !== undefined) part[name] = scalar(value);
  }
  return part;
}

/**
 * Returns a list with a part of each of its objects. A value of another type becomes empty. Elements keep their places.
 */
export function partOfEach(list: unknown, part: (element: JsonObject, index: number) => unknown): unknown {
  if (!Array.isArray(list)) return bare(list);
  return (list as unknown[]).map((element, index) => (isJsonObject(element) ? part(element, index) : bare(element)));
}
