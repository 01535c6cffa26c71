/** A JSON object off the wire: nothing is known of its members until they are looked at. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** True for a JSON object: not null, not an array, not a scalar. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * An object's own member. A key such as `constructor` that the document does not have is absent, not something inherited.
 */
export function member(object: JsonObject, key: string): unknown {
  const value = object[key];
  // What is inherited is a function, which JSON does not have, or the prototype itself. To ask for own keys only takes three times as long.
  if (typeof value !== 'function' && key !== '__proto__') return value;
  return Object.hasOwn(object, key) ? value : undefined;
}

/** An object's own member when it is an object itself; undefined for anything else. */
export function objectMember(object: JsonObject, key: string): JsonObject | undefined {
  const value = member(object, key);
  return isJsonObject(value) ? value : undefined;
}

/** An object's own member when it is a string; undefined for anything else. */
export function stringMember(object: JsonObject, key: string): string | undefined {
  const value = member(object, key);
  return typeof value === 'string' ? value : undefined;
}

/** The string values of a member that maps names to strings (labels, annotations); members of another type are left out. */
export function stringMap(object: JsonObject, key: string): ReadonlyMap<string, string> {
  const map = objectMember(object, key);
  if (map === undefined) return emptyStringMap;
  const strings = new Map<string, string>();
  // Object.entries would make a list of every one of them.
  for (const name of Object.keys(map)) {
    const value = map[name];
    if (typeof value === 'string') strings.set(name, value);
  }
  return strings;
}

/** The same without a map of its own: an object may have hundreds of thousands of labels, of which few are asked for. */
export function stringMembers(object: JsonObject, key: string): { readonly get: (name: string) => string | undefined } {
  const map = objectMember(object, key);
  return { get: (name) => (map === undefined ? undefined : stringMember(map, name)) };
}

const emptyStringMap: ReadonlyMap<string, string> = new Map();
