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

/** Returns the strings of a member that maps names to strings (labels). Values of other types are skipped. */
export function stringMap(object: JsonObject, key: string): ReadonlyMap<string, string> {
  const map = objectMember(object, key);
  if (map === undefined) return emptyStringMap;
  const strings = new Map<string, string>();
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

const emptyStringMap: ReadonlyMap<string, string> = new Map();
