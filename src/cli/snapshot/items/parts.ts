import { NumberLiteral, isJsonObject, member, type JsonObject } from '../../../base/json/json-value.ts';
import type { GoType } from '../../../engine/probe/api-schema.ts';

/** Returns the part of a value that leaves a cluster. Undefined = nothing leaves. `index` is the place in a list. */
export type ItemPart = (value: unknown, index: number) => unknown;

/** The parts of the members of an object. A member that is not listed never leaves. */
export type Parts = Readonly<Record<string, ItemPart>>;

/**
 * An empty value of the same JSON type. The API server's answer to a value of a wrong type depends on the type only, so
 * the verdict stays the same.
 */
export const bare: ItemPart = (value) => {
  if (Array.isArray(value)) return [];
  if (value instanceof NumberLiteral) return 0;
  if (typeof value === 'object') return value === null ? null : {};
  if (typeof value === 'string') return '';
  return typeof value === 'number' ? 0 : value;
};

/** A text, a number or a boolean. A value of another type becomes empty. */
export const scalar: ItemPart = (value) =>
  typeof value !== 'object' || value instanceof NumberLiteral ? value : bare(value, 0);

/** The members of an object. A value of another type becomes empty. */
export function objectPart(parts: Parts): ItemPart {
  return (value) => (isJsonObject(value) ? pick(value, parts) : bare(value, 0));
}

/** The elements of a list, each at its place. A value of another type becomes empty. */
export function listPart(part: ItemPart): ItemPart {
  return (value) => (Array.isArray(value) ? (value as unknown[]).map(part) : bare(value, 0));
}

/** The fields that the API has. A value of a wrong type becomes empty. */
export function declaredPart(type: GoType): ItemPart {
  const part = partOfType(type);
  return (value, index) => (value instanceof NumberLiteral ? value : part(value, index));
}

function partOfType(type: GoType): ItemPart {
  if (typeof type === 'string') return scalar;
  if (!('fields' in type)) return listPart(declaredPart(type[0]));
  return objectPart(Object.fromEntries(Array.from(type.fields, ([name, field]) => [name, declaredPart(field)])));
}

/** The same part for members of these names. */
export function scalars(...names: readonly string[]): Parts {
  return Object.fromEntries(names.map((name) => [name, scalar]));
}

/** Returns the members that leave, in the order of the parts. */
export function pick(object: JsonObject, parts: Parts): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const [name, part] of Object.entries(parts)) {
    const value = part(member(object, name), 0);
    if (value !== undefined) picked[name] = value;
  }
  return picked;
}
