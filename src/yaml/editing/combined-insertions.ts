import { setMember } from '../reading/values.ts';
import type { Insertion } from './key-insertion.ts';

/**
 * Merges every insertion that leads into another insertion's value into that value. The remaining insertions then write
 * only into existing mappings. Values are copied through JSON.
 */
export function combineInsertions(insertions: readonly Insertion[]): Insertion[] {
  const combined: Insertion[] = [];
  const hosts = new Map<string, Insertion>();
  for (const insertion of insertions) {
    const { path, key } = insertion;
    const copy = { ...insertion, value: jsonCopy(insertion.value) };
    const depth = path.findIndex((_step, index) => hosts.has(placeName(path.slice(0, index + 1))));
    const host = depth === -1 ? undefined : hosts.get(placeName(path.slice(0, depth + 1)));
    if (host !== undefined) {
      insertIntoValue(host.value, { ...copy, path: path.slice(depth + 1) });
      continue;
    }
    combined.push(copy);
    hosts.set(placeName([...path, key]), copy);
  }
  return combined;
}

/** Returns the same name for `0` and `'0'`, because both steps lead to the same place. */
function placeName(path: readonly (string | number)[]): string {
  return JSON.stringify(path.map(String));
}

/**
 * Sets a key of a mapping inside a JSON value. The value is changed in place.
 *
 * @throws Error when the path leads to no mapping, or the key already has a value other than null
 */
export function insertIntoValue(root: unknown, { path, key, value }: Insertion): void {
  let parent = root;
  for (const step of path) parent = memberOf(parent, step);
  if (!isObject(parent)) throw new Error(`there is no mapping at ${pointer(path)}`);
  const present: unknown = memberOf(parent, key);
  if (present !== undefined && present !== null) throw new Error(`${pointer([...path, key])} has a value already`);
  setMember(parent, key, value);
}

function memberOf(parent: unknown, step: string | number): unknown {
  if (Array.isArray(parent)) return parent[Number(step)];
  return isObject(parent) && Object.hasOwn(parent, step) ? parent[step] : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function jsonCopy(value: unknown): unknown {
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) throw new Error(`${typeof value} is no value that JSON has`);
  return JSON.parse(text);
}

function pointer(path: readonly (string | number)[]): string {
  return path.length === 0 ? 'the root' : path.map((step) => `/${step}`).join('');
}
