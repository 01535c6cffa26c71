import { isJsonObject, member } from '../../base/json/json-value.ts';
import type { JsonObject } from '../../base/json/json-value.ts';

/*
 * A JSON object's members as Go sees them after decoding: absent and null are the type's zero value. A member of the
 * wrong type is the zero value too; a Pod that passed the decode stage has none, and reading one must not throw.
 */

/** Largest value of an int32 field, which all integers of a probe but its grace period are. */
export const INT32_MAX = 2_147_483_647;

export function goString(object: JsonObject, field: string): string {
  const value = member(object, field);
  return typeof value === 'string' ? value : '';
}

export function goInteger(object: JsonObject, field: string): number {
  const value = member(object, field);
  // JSON can say -0, which an integer cannot.
  return typeof value === 'number' ? value + 0 : 0;
}

/**
 * True for a text of white space only, as Go's strings.TrimSpace and CEL's trim() see it: both take a byte order mark
 * for a character.
 */
export function isBlank(text: string): boolean {
  return /^\p{White_Space}*$/u.test(text);
}

/** A slice of objects; a null element is an empty object. */
export function goObjects(object: JsonObject, field: string): readonly JsonObject[] {
  const value = member(object, field);
  if (!Array.isArray(value)) return NO_OBJECTS;
  // Nearly every list has objects only, and needs no copy.
  const elements = value as readonly unknown[];
  return areObjects(elements) ? elements : elements.map((element) => (isJsonObject(element) ? element : {}));
}

const NO_OBJECTS: readonly JsonObject[] = [];

function areObjects(values: readonly unknown[]): values is readonly JsonObject[] {
  for (const value of values) if (!isJsonObject(value)) return false;
  return true;
}

/** The length of a slice. */
export function goLength(object: JsonObject, field: string): number {
  const value = member(object, field);
  return Array.isArray(value) ? value.length : 0;
}

/** True for a pointer or slice that is not nil: the field is present and not null. */
export function isSet(object: JsonObject, field: string): boolean {
  const value = member(object, field);
  return value !== undefined && value !== null;
}

/** A pointer to a struct; undefined when it is nil. */
export function goPointer(object: JsonObject, field: string): JsonObject | undefined {
  const value = member(object, field);
  if (value === undefined || value === null) return undefined;
  return isJsonObject(value) ? value : {};
}
