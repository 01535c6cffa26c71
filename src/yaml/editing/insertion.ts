import { readYamlStream } from '../reading/trees.ts';
import type { StreamPart } from '../reading/trees.ts';
import { combineInsertions, insertIntoValue } from './combined-insertions.ts';
import { editInPlace } from './in-place.ts';
import { firstDifference, read, readings, readsAs } from './document-values.ts';
import { rewriteDocument } from './rewriting.ts';
import { lineEnding } from './text-edits.ts';
import { messageOf } from '../../base/text/error-message.ts';
import type { Reading } from './document-values.ts';
import type { Insertion } from './key-insertion.ts';

export interface InsertionResult {
  readonly text: string;
  /**
   * Documents that could not be edited in place, in ascending order. Such documents were printed again without aliases.
   */
  readonly rewritten: readonly number[];
}

/**
 * Adds keys to the documents of a text and keeps all other bytes: comments, order, quoting, indentation and line
 * endings. If an edit would change other places too (an anchor shares the mapping), the whole document is printed
 * again.
 *
 * The result is parsed again. The function throws unless the new values are the old values plus the insertions.
 *
 * @throws Error naming the document (counted from 1) when the document cannot be read, has no mapping at the path, or
 * already has a value
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
  // A single piece has already been parsed again.
  if (pieces.length > 1) verify(result, expected);
  return { text: result, rewritten };
}

interface EditedPart {
  readonly text: string;
  /** Values of the document after the edit. */
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

/** Checks the text as a whole, because each chunk was checked on its own only. */
function verify(result: string, expected: readonly Reading[]): void {
  const different = firstDifference(readings(result), expected);
  if (different !== undefined) throw new Error(`document ${different + 1}: it came out changed`);
}

function inDocument<Result>(index: number, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw new Error(`document ${index + 1}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}
