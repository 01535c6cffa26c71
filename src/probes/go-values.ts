import { isJsonObject, member } from './json.ts';
import type { JsonObject } from './json.ts';

/*
 * A JSON object's members as Go sees them once decoded: absent and null are the type's zero value. So is a member of the wrong type,
 * which a Pod that passed the decode stage does not have; reading it must not throw.
 */

export function goString(object: JsonObject, field: string): string {
  const value = member(object, field);
  return typeof value === 'string' ? value : '';
}

export function goInteger(object: JsonObject, field: string): number {
  const value = member(object, field);
  // JSON can say -0, which an integer cannot.
  return typeof value === 'number' ? value + 0 : 0;
}

/** True for a text that Go's strings.TrimSpace leaves nothing of, and the trim() of CEL: a byte order mark is a character to both. */
export function isBlank(text: string): boolean {
  return /^\p{White_Space}*$/u.test(text);
}

/** A slice of objects; a null element is an empty object. */
export function goObjects(object: JsonObject, field: string): JsonObject[] {
  const value = member(object, field);
  return Array.isArray(value) ? value.map((element: unknown) => (isJsonObject(element) ? element : {})) : [];
}

/** The length of a slice. */
export function goLength(object: JsonObject, field: string): number {
  const value = member(object, field);
  return Array.isArray(value) ? value.length : 0;
}

/** True for a pointer or slice that is not nil: whatever is there and not null. */
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
