import { PlaceTables } from './places.ts';
import { yamlStreamParts, type ReadingOptions, type YamlChunk } from './trees.ts';
import { LineCounter } from 'yaml';
import type { YamlTree } from './values.ts';

/** One document of a YAML or JSON file, with the positions of its values. */
export interface YamlDocument {
  /** The file name as given. Callers show '-' as '<stdin>'. */
  readonly file: string;
  /** Index of the document in the file, from 0. Faulty documents count, empty ones do not. */
  readonly index: number;
  /**
   * The value as plain JSON data: null, booleans, finite numbers, strings, arrays, and objects with own members only.
   */
  readonly value: unknown;
  /**
   * Returns the position of the value at a path, or of the nearest existing ancestor. An aliased value has the position
   * of the alias. Values inside the aliased value have the position where they are written. With `key: true`, the
   * position of the key is returned instead.
   */
  position(path: readonly (string | number)[], options?: { key?: boolean }): Position;
  /** Returns the position behind the value at a path, or of the nearest existing ancestor. */
  end(path: readonly (string | number)[]): Position;
  /** Returns the line on which the value at a path, or of the nearest existing ancestor, ends. */
  lastLine(path: readonly (string | number)[]): number;
  /** Returns the text of a scalar without quotes as it is written: `y`, where the value is true. */
  plainScalar(path: readonly (string | number)[]): string | undefined;
}

/** A problem in a file, with its position. */
export interface YamlProblem extends Position {
  readonly file: string;
  readonly message: string;
  /** The key, when the problem is a duplicate key. The document with the duplicate key is still returned. */
  readonly duplicateKey?: string;
}

/**
 * Reads every document of a YAML or JSON text as kubectl does. The function never throws. A document that cannot be
 * read becomes one problem, and the other documents are still returned. A duplicate key is a problem too, but its
 * document is returned with the last value of the key.
 */
export function parseYamlDocuments(file: string, text: string): { documents: YamlDocument[]; problems: YamlProblem[] } {
  const parts = [...yamlFileParts(file, text)];
  const documents = parts.flatMap(({ document }) => document ?? []);
  return { documents, problems: parts.flatMap(({ problems }) => problems) };
}

/** One chunk of a file: its document, if the document can be read, and its problems. */
export interface YamlFilePart {
  readonly document: YamlDocument | undefined;
  readonly problems: readonly YamlProblem[];
}

/** Does the same as parseYamlDocuments, but reads each document on demand and within the budget. */
export function* yamlFileParts(file: string, text: string, options?: ReadingOptions): Generator<YamlFilePart> {
  const positionAt = positionsIn(text);
  const tables = new PlaceTables();
  for (const { chunk, index, tree, value, faults } of yamlStreamParts(text, options)) {
    const placed = (offset: number): Position => positionAt(chunk.start + offset);
    yield {
      document: value === undefined ? undefined : { file, index, value, ...located(chunk, tables, tree, placed) },
      problems: faults.map(({ offset, ...fault }) => ({ file, ...fault, ...placed(offset) })),
    };
  }
}

/** @param tree undefined for a document that is not parsed: nobody looks for a field of it */
function located(
  { text }: YamlChunk,
  tables: PlaceTables,
  tree: YamlTree | undefined,
  placed: (offset: number) => Position,
): Pick<YamlDocument, 'position' | 'end' | 'lastLine' | 'plainScalar'> {
  const placeOf = tree && tables.of(tree);
  const at = (path: readonly (string | number)[]) => placeOf?.(path) ?? { key: 0, start: 0, end: 0, plain: undefined };
  return {
    position: (path, options) => placed(options?.key === true ? at(path).key : at(path).start),
    end: (path) => placed(at(path).end),
    // The end is behind the last character.
    lastLine: (path) => placed(Math.max(at(path).start, at(path).end - 1)).line,
    plainScalar: (path) => {
      const { plain } = at(path);
      return plain && text.slice(...plain);
    },
  };
}

/** A position in a text, as editors show it. */
export interface Position {
  /** Line number, from 1. Lines end at LF, so CRLF counts once. */
  readonly line: number;
  /** Column number, from 1, in UTF-16 units. A byte order mark has no column. */
  readonly column: number;
}

/** Returns a function that converts an offset to a position. Offsets outside become the nearest end of the text. */
export function positionsIn(text: string): (offset: number) => Position {
  const start = text.startsWith('\uFEFF') ? 1 : 0;
  const lines = new LineCounter();
  lines.addNewLine(start);
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) lines.addNewLine(end + 1);
  return (offset) => {
    const { line, col } = lines.linePos(Math.min(Math.max(offset, start), text.length));
    return { line, column: col };
  };
}
