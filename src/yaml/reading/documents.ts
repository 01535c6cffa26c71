import { yamlStreamParts, type ReadingOptions, type YamlFault, type YamlTree } from './trees.ts';
import { isMergeKey, keyName, mergeSources, resolved, treeValue, type YamlNode } from './values.ts';
import { isMap, isScalar, isSeq, type Pair, type ParsedNode, type YAMLMap } from 'yaml';
import type { OnOffset } from './tokens.ts';

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
 *
 * @param onOffset receives the offset that is reached
 */
export function parseYamlDocuments(
  file: string,
  text: string,
  onOffset?: OnOffset,
): { documents: YamlDocument[]; problems: YamlProblem[] } {
  const documents: YamlDocument[] = [];
  const problems: YamlProblem[] = [];
  for (const part of yamlFileParts(file, text, { onOffset })) {
    if (part.document !== undefined) documents.push(part.document);
    for (const problem of part.problems) problems.push(problem);
  }
  return { documents, problems };
}

/** One chunk of a file: its document, if the document can be read, and its problems. */
export interface YamlFilePart {
  readonly document: YamlDocument | undefined;
  readonly problems: readonly YamlProblem[];
}

/** How a file is read. */
type FileReading = Pick<ReadingOptions, 'budget' | 'onOffset'>;

/** Does the same as parseYamlDocuments, but reads each document on demand and within the budget. */
export function* yamlFileParts(file: string, text: string, options: FileReading = {}): Generator<YamlFilePart> {
  const { budget } = options;
  const positionAt = positionsIn(text);
  for (const { chunk, index, content } of yamlStreamParts(text, options)) {
    const problems: YamlProblem[] = [];
    const placed = (offset: number): Position => positionAt(chunk.start + offset);
    const report = ({ offset, ...fault }: YamlFault): void => void problems.push({ file, ...fault, ...placed(offset) });
    if (content.kind === 'faulty') report(content.fault);
    let document: YamlDocument | undefined;
    if (content.kind === 'tree' && index !== undefined) {
      const { tree } = content;
      const reading = treeValue(tree, report, budget);
      if ('fault' in reading) report(reading.fault);
      else document = { file, index, value: reading.value, ...locator(tree, placed) };
    }
    yield { document, problems };
  }
}

/** The node at the end of a path, with its key. The root and items of sequences have no key. */
interface Spot {
  readonly key: ParsedNode | undefined;
  readonly value: YamlNode;
}

function locator(tree: YamlTree, placed: (offset: number) => Position): Pick<YamlDocument, 'position' | 'plainScalar'> {
  const members: MembersByMap = new Map();
  /** The spot at a path, or of the nearest existing ancestor. */
  const spotAt = (path: readonly (string | number)[]): { spot: Spot; isFound: boolean } => {
    let spot: Spot = { key: undefined, value: tree.root };
    for (const step of path) {
      const next = child(tree, members, resolved(tree, spot.value), step);
      if (next === undefined) return { spot, isFound: false };
      spot = next;
    }
    return { spot, isFound: true };
  };
  return {
    position: (path, options) => {
      const { spot } = spotAt(path);
      const node = options?.key === true ? (spot.key ?? spot.value) : (spot.value ?? spot.key);
      return placed(node?.range[0] ?? 0);
    },
    plainScalar: (path) => {
      const { spot, isFound } = spotAt(path);
      const node = isFound ? resolved(tree, spot.value) : undefined;
      return isScalar(node) && node.type === 'PLAIN' ? node.source : undefined;
    },
  };
}

/** Members of each mapping, computed once. A document with 100,000 problems needs 100,000 positions. */
type MembersByMap = Map<YAMLMap, ReadonlyMap<string, Spot>>;

function child(tree: YamlTree, members: MembersByMap, parent: YamlNode, step: string | number): Spot | undefined {
  if (isMap(parent)) return membersOf(tree, members, parent).get(String(step));
  if (!isSeq(parent)) return undefined;
  const item = parent.items[Number(step)] as YamlNode | undefined;
  return item === undefined ? undefined : { key: undefined, value: item };
}

/** The last of two equal keys wins. A merge key overrides the pairs before it. */
function membersOf(tree: YamlTree, members: MembersByMap, map: YAMLMap): ReadonlyMap<string, Spot> {
  const known = members.get(map);
  if (known !== undefined) return known;
  const found = new Map<string, Spot>();
  members.set(map, found);
  for (const { key, value } of map.items as Pair<ParsedNode, YamlNode>[]) {
    if (isMergeKey(key)) {
      for (const source of mergeSources(tree, value) ?? [])
        for (const [name, spot] of membersOf(tree, members, source)) found.set(name, spot);
      continue;
    }
    const name = keyName(tree, key);
    if (name !== undefined) found.set(name, { key, value });
  }
  return found;
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
  const starts = lineStarts(text);
  return (offset) => {
    const clamped = Math.min(Math.max(offset, 0), text.length);
    const line = lastAtOrBefore(starts, clamped);
    return { line: line + 1, column: Math.max(clamped - (starts[line] ?? 0), 0) + 1 };
  };
}

function lineStarts(text: string): number[] {
  const starts = [text.startsWith('\uFEFF') ? 1 : 0];
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) starts.push(end + 1);
  return starts;
}

function lastAtOrBefore(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
