import { isDeepStrictEqual } from 'node:util';
import { parseYamlDocuments } from '../sources/yaml-documents.ts';
import { readYamlStream } from '../sources/yaml-trees.ts';
import type { StreamPart } from '../sources/yaml-trees.ts';
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
  const expected = new Map<number, unknown>();
  const pieces = parts.map((part) => {
    const own = part.index === undefined ? undefined : wanted.get(part.index);
    if (part.index === undefined || own === undefined) return part.chunk.text;
    wanted.delete(part.index);
    const edited = inDocument(part.index, () => editPart(part, own, lineEnding(text)));
    if (edited.rewritten) rewritten.push(part.index);
    expected.set(part.index, edited.value);
    return edited.text;
  });
  for (const index of wanted.keys()) throw new Error(`document ${index + 1}: there is no such document`);
  const result = pieces.join('');
  verify(text, result, expected);
  return { text: result, rewritten };
}

interface EditedPart {
  readonly text: string;
  readonly value: unknown;
  readonly rewritten: boolean;
}

function editPart({ chunk, content }: StreamPart, insertions: readonly Insertion[], eol: string): EditedPart {
  if (content.kind !== 'tree') throw new Error(content.kind === 'faulty' ? content.fault.message : 'it is empty');
  const combined = combineInsertions(insertions);
  const value = readValue(chunk.text);
  for (const insertion of combined) insertIntoValue(value, insertion);
  for (const edit of [editInPlace, rewriteDocument]) {
    const text = edit(chunk.text, content.tree, combined, eol);
    if (text !== undefined && readsAs(text, value)) return { text, value, rewritten: edit === rewriteDocument };
  }
  throw new Error('no way was found to write into it without changing something else');
}

/** The value of the only document of a chunk. A fresh copy at each call. */
function readValue(chunk: string): unknown {
  const [part, ...others] = readYamlStream(chunk).filter(({ content }) => content.kind !== 'empty');
  if (part?.content.kind === 'faulty') throw new Error(part.content.fault.message);
  if (part?.content.kind !== 'tree' || others.length > 0) throw new Error('it is not one document');
  const reading = treeValue(part.content.tree, () => undefined);
  if ('fault' in reading) throw new Error(reading.fault.message);
  return reading.value;
}

function readsAs(chunk: string, value: unknown): boolean {
  try {
    return isDeepStrictEqual(readValue(chunk), value);
  } catch {
    return false;
  }
}

/** The chunks were right one by one; this is about the text as a whole, read as everyone else reads it. */
function verify(before: string, after: string, expected: ReadonlyMap<number, unknown>): void {
  const inputs = parseYamlDocuments('input', before);
  const outputs = parseYamlDocuments('output', after);
  const values = new Map(outputs.documents.map((document) => [document.index, document.value]));
  for (const { index, value } of inputs.documents) {
    const wanted = expected.has(index) ? expected.get(index) : value;
    if (!values.has(index) || !isDeepStrictEqual(values.get(index), wanted))
      throw new Error(`document ${index + 1}: it came out changed`);
  }
  if (outputs.documents.length !== inputs.documents.length || outputs.problems.length > inputs.problems.length) {
    throw new Error(`document ${inputs.documents.length + 1}: it is not in the input`);
  }
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
