import { equalJson } from '../../base/json/equal-json.ts';
import { readYamlStream } from '../reading/trees.ts';
import { treeValue } from '../reading/values.ts';
import type { ChunkContent } from '../reading/trees.ts';

/** The values of a document, or the reason why the document cannot be read. */
export type Reading = { readonly value: unknown; readonly duplicateKeys: number } | { readonly fault: string };

/** Returns a new copy of the values at each call. */
export function read(content: ChunkContent): Reading {
  if (content.kind === 'empty') return { fault: 'it is empty' };
  if (content.kind === 'faulty') return { fault: content.fault.message };
  let duplicateKeys = 0;
  const reading = treeValue(content.tree, () => (duplicateKeys += 1));
  return 'fault' in reading ? { fault: reading.fault.message } : { value: reading.value, duplicateKeys };
}

/** Returns the values of every document of a text. */
export function readings(text: string): Reading[] {
  return readYamlStream(text)
    .filter(({ index }) => index !== undefined)
    .map(({ content }) => read(content));
}

/** True when a text has exactly these documents. */
export function readsAs(text: string, expected: readonly Reading[]): boolean {
  return firstDifference(readings(text), expected) === undefined;
}

/** Returns the index of the first document with unexpected values. Undefined when all documents are as expected. */
export function firstDifference(found: readonly Reading[], expected: readonly Reading[]): number | undefined {
  const count = Math.max(found.length, expected.length);
  for (let index = 0; index < count; index++) if (!agrees(found[index], expected[index])) return index;
  return undefined;
}

function agrees(found: Reading | undefined, expected: Reading | undefined): boolean {
  if (found === undefined || expected === undefined) return false;
  if ('fault' in found || 'fault' in expected) return equalJson(found, expected);
  return found.duplicateKeys <= expected.duplicateKeys && equalJson(found.value, expected.value);
}
