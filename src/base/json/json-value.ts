/** A JSON object from the network. The type of each member is unknown until code checks the member. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** True for a JSON object: not null, not an array, not a scalar. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** False for a value that the API server treats as absent: undefined and null. */
export function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Returns an object's own member. An inherited property such as `constructor` counts as absent. */
export function member(object: JsonObject, key: string): unknown {
  const value = object[key];
  // Inherited values are functions, which JSON does not have, or the prototype itself. Checking every key with hasOwn
  // takes three times as long.
  if (typeof value !== 'function' && key !== '__proto__') return value;
  return Object.hasOwn(object, key) ? value : undefined;
}

/** Returns an object's own member if the member is an object, else undefined. */
export function objectMember(object: JsonObject, key: string): JsonObject | undefined {
  const value = member(object, key);
  return isJsonObject(value) ? value : undefined;
}

/** Returns an object's own member if the member is a string, else undefined. */
export function stringMember(object: JsonObject, key: string): string | undefined {
  const value = member(object, key);
  return typeof value === 'string' ? value : undefined;
}

/** Returns an object's own member if the member is a list, else an empty list. */
export function listMember(object: JsonObject, key: string): readonly unknown[] {
  const value = member(object, key);
  return Array.isArray(value) ? value : [];
}

/** Returns the strings of a member that maps names to strings (labels). Values of other types are skipped. */
export function stringMap(object: JsonObject, key: string): Map<string, string> {
  const strings = new Map<string, string>();
  const map = objectMember(object, key) ?? {};
  // Object.entries would allocate an array for each entry.
  for (const name of Object.keys(map)) {
    const value = map[name];
    if (typeof value === 'string') strings.set(name, value);
  }
  return strings;
}

/** The same without a map: an object may have hundreds of thousands of labels, and callers read a few. */
export function stringMembers(object: JsonObject, key: string): { readonly get: (name: string) => string | undefined } {
  const map = objectMember(object, key);
  return { get: (name) => (map === undefined ? undefined : stringMember(map, name)) };
}

/** The value in a text of JSON. Undefined for any other text. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * True when two JSON values are equal. The order of an object's members is ignored. An undefined member counts as
 * absent. The function recurses without a depth limit of its own, because parsers limit the depth of a document.
 */
export function equalJson(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) || Array.isArray(other)) {
    if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
    return one.every((item, index) => equalJson(item, other[index]));
  }
  const [members, others] = [one as Record<string, unknown>, other as Record<string, unknown>];
  const names = definedMembers(members);
  if (names.length !== definedMembers(others).length) return false;
  return names.every((name) => Object.hasOwn(others, name) && equalJson(members[name], others[name]));
}

function definedMembers(object: Record<string, unknown>): string[] {
  return Object.keys(object).filter((name) => object[name] !== undefined);
}

/** A copy of an object without some of its members. */
export function without<T extends object>(whole: T, ...members: readonly (keyof T)[]): T {
  const copy = { ...whole };
  for (const name of members) Reflect.deleteProperty(copy, name);
  return copy;
}

/**
 * A number as written in a JSON text. Parsing would lose a difference that the API server checks. Go's decoder rejects
 * `1.0` and `1e1` as integers, and 9223372036854775808 is one above the largest signed 64-bit integer.
 */
export class NumberLiteral {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}
