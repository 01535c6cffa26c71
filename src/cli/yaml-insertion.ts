import { isDeepStrictEqual } from 'node:util';
import { readYamlStream } from '../sources/yaml-trees.ts';
import type { ChunkContent, StreamPart } from '../sources/yaml-trees.ts';
import { treeValue } from '../sources/yaml-values.ts';
import { combineInsertions, insertIntoValue } from './insertion-values.ts';
import { editInPlace } from './yaml-in-place.ts';
import { rewriteDocument } from './yaml-rewriting.ts';

/** One key to write into a mapping of a YAML or JSON text. */
export interface Insertion {
  /** As YamlDocument.index in the same text. */
  readonly document: number;
  /** To the mapping that gets the new key; it may lead into the value of an earlier insertion. */
  readonly path: readonly (string | number)[];
  /** A key that the mapping does not have, or has with a null value. */
  readonly key: string;
  /** JSON-like. */
  readonly value: unknown;
}

export interface InsertionResult {
  readonly text: string;
  /** Documents that could not be edited in place: they were printed anew, without aliases. In ascending order. */
  readonly rewritten: readonly number[];
}

/**
 * Writes keys into the documents of a text and keeps every other byte: comments, order, quoting, indentation, line endings. A
 * document in which that would change other places as well (the mapping is shared through an anchor) is printed anew.
 *
 * What comes out is parsed again: its values are those that went in plus the insertions, or this throws.
 *
 * @throws Error naming the document (counted from 1) when it cannot be read, has no mapping at the path, or has a value already
 */
export function insertIntoYaml(text: string, insertions: readonly Insertion[]): InsertionResult {
  if (insertions.length === 0) return { text, rewritten: [] };
  const parts = readYamlStream(text, { keepSourceTokens: true });
  const wanted = Map.groupBy(insertions, ({ document }) => document);
  const rewritten: number[] = [];
  const expected: Reading[] = [];
  const pieces = parts.map((part) => {
    const { chunk, index, content } = part;
    if (index === undefined) return chunk.text;
    const own = wanted.get(index);
    wanted.delete(index);
    const edited = own && inDocument(index, () => editPart(part, own, lineEnding(text)));
    expected.push(edited?.reading ?? read(content));
    if (edited?.rewritten === true) rewritten.push(index);
    return edited?.text ?? chunk.text;
  });
  for (const index of wanted.keys()) throw new Error(`document ${index + 1}: there is no such document`);
  const result = pieces.join('');
  // The only piece has been read again already.
  if (pieces.length > 1) verify(result, expected);
  return { text: result, rewritten };
}

interface EditedPart {
  readonly text: string;
  /** What it says now. */
  readonly reading: Reading;
  readonly rewritten: boolean;
}

function editPart({ chunk, content }: StreamPart, insertions: readonly Insertion[], eol: string): EditedPart {
  const reading = read(content);
  if (content.kind !== 'tree' || 'fault' in reading)
    throw new Error('fault' in reading ? reading.fault : 'it is empty');
  const combined = combineInsertions(insertions);
  for (const insertion of combined) insertIntoValue(reading.value, insertion);
  for (const edit of [editInPlace, rewriteDocument]) {
    const text = edit(chunk.text, content.tree, combined, eol);
    if (text !== undefined && readsAs(text, [reading])) return { text, reading, rewritten: edit === rewriteDocument };
  }
  throw new Error('no way was found to write into it without changing something else');
}

/** What a document says, or why it cannot be read. */
type Reading = { readonly value: unknown; readonly duplicateKeys: number } | { readonly fault: string };

/** A fresh copy of the values at each call. */
function read(content: ChunkContent): Reading {
  if (content.kind === 'empty') return { fault: 'it is empty' };
  if (content.kind === 'faulty') return { fault: content.fault.message };
  let duplicateKeys = 0;
  const reading = treeValue(content.tree, () => (duplicateKeys += 1));
  return 'fault' in reading ? { fault: reading.fault.message } : { value: reading.value, duplicateKeys };
}

function readings(text: string): Reading[] {
  return readYamlStream(text)
    .filter(({ index }) => index !== undefined)
    .map(({ content }) => read(content));
}

function readsAs(text: string, expected: readonly Reading[]): boolean {
  return firstDifference(readings(text), expected) === undefined;
}

/** The chunks were right one by one; this is about the text as a whole, read as everyone else reads it. */
function verify(result: string, expected: readonly Reading[]): void {
  const different = firstDifference(readings(result), expected);
  if (different !== undefined) throw new Error(`document ${different + 1}: it came out changed`);
}

/** The first document that does not say what it should; undefined when all do. */
function firstDifference(found: readonly Reading[], expected: readonly Reading[]): number | undefined {
  const count = Math.max(found.length, expected.length);
  for (let index = 0; index < count; index++) if (!agrees(found[index], expected[index])) return index;
  return undefined;
}

function agrees(found: Reading | undefined, expected: Reading | undefined): boolean {
  if (found === undefined || expected === undefined) return false;
  if ('fault' in found || 'fault' in expected) return isDeepStrictEqual(found, expected);
  return found.duplicateKeys <= expected.duplicateKeys && isDeepStrictEqual(found.value, expected.value);
}

function inDocument<Result>(index: number, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw new Error(`document ${index + 1}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

/** For places that show no line ending of their own. */
function lineEnding(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? '\n';
}
