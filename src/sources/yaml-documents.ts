import { isMap, isSeq } from 'yaml';
import type { Pair, ParsedNode, YAMLMap } from 'yaml';
import { positionsIn } from './yaml-positions.ts';
import type { Position } from './yaml-positions.ts';
import { yamlStreamParts } from './yaml-trees.ts';
import type { YamlFault, YamlTree } from './yaml-trees.ts';
import type { ReadingBudget } from './reading-budget.ts';
import { isMergeKey, keyName, mergeSources, resolved, treeValue } from './yaml-values.ts';
import type { YamlNode } from './yaml-values.ts';

export type { Position } from './yaml-positions.ts';

/** One document of a YAML or JSON file, with the places where its values stand. */
export interface YamlDocument {
  /** As given; '-' is shown as '<stdin>' by callers. */
  readonly file: string;
  /** Which document of the file, from 0. Documents that could not be read count; those without content do not. */
  readonly index: number;
  /** A plain JSON-like value: null, booleans, finite numbers, strings, arrays, objects with own members only. */
  readonly value: unknown;
  /**
   * Where the value at a path stands; the nearest existing ancestor when the path does not exist. What came by an alias stands
   * where the alias stands, and what is inside it where it was written. `key: true` = position of the key instead of the value.
   */
  position(path: readonly (string | number)[], options?: { key?: boolean }): Position;
}

/** Something wrong in a file, and where. */
export interface YamlProblem extends Position {
  readonly file: string;
  readonly message: string;
  /** The problem is a key that is written twice, and which; its document is there all the same. */
  readonly duplicateKey?: string;
}

/**
 * Reads every document of a YAML or JSON text as kubectl would. Never throws: a document that cannot be read is one problem, and
 * the others are still there. A key that is written twice is a problem, too, but its document is there, the last value winning.
 */
export function parseYamlDocuments(file: string, text: string): { documents: YamlDocument[]; problems: YamlProblem[] } {
  const documents: YamlDocument[] = [];
  const problems: YamlProblem[] = [];
  for (const part of yamlFileParts(file, text)) {
    if (part.document !== undefined) documents.push(part.document);
    for (const problem of part.problems) problems.push(problem);
  }
  return { documents, problems };
}

/** One chunk of a file: its document, if it has one that can be read, and what is wrong with it. */
export interface YamlFilePart {
  readonly document: YamlDocument | undefined;
  readonly problems: readonly YamlProblem[];
}

/** The same, each document when it is asked for, and no more than the budget has. */
export function* yamlFileParts(file: string, text: string, budget?: ReadingBudget): Generator<YamlFilePart> {
  const positionAt = positionsIn(text);
  for (const { chunk, index, content } of yamlStreamParts(text, { budget })) {
    const problems: YamlProblem[] = [];
    const placed = (offset: number): Position => positionAt(chunk.start + offset);
    const report = ({ offset, ...fault }: YamlFault): void => void problems.push({ file, ...fault, ...placed(offset) });
    if (content.kind === 'faulty') report(content.fault);
    let document: YamlDocument | undefined;
    if (content.kind === 'tree' && index !== undefined) {
      const { tree } = content;
      const reading = treeValue(tree, report, budget);
      if ('fault' in reading) report(reading.fault);
      else document = { file, index, value: reading.value, position: locator(tree, placed) };
    }
    yield { document, problems };
  }
}

/** The node at the end of a path, with the key that leads to it: none for the root and for an item of a sequence. */
interface Spot {
  readonly key: ParsedNode | undefined;
  readonly value: YamlNode;
}

function locator(tree: YamlTree, placed: (offset: number) => Position): YamlDocument['position'] {
  const members: MembersByMap = new Map();
  return (path, options) => {
    let spot: Spot = { key: undefined, value: tree.root };
    for (const step of path) {
      const next = child(tree, members, resolved(tree, spot.value), step);
      if (next === undefined) break;
      spot = next;
    }
    const node = options?.key === true ? (spot.key ?? spot.value) : (spot.value ?? spot.key);
    return placed(node?.range[0] ?? 0);
  };
}

/** Where the members of a mapping stand, worked out once: a document with a hundred thousand mistakes asks as often. */
type MembersByMap = Map<YAMLMap, ReadonlyMap<string, Spot>>;

function child(tree: YamlTree, members: MembersByMap, parent: YamlNode, step: string | number): Spot | undefined {
  if (isMap(parent)) return membersOf(tree, members, parent).get(String(step));
  if (!isSeq(parent)) return undefined;
  const item = parent.items[Number(step)] as YamlNode | undefined;
  return item === undefined ? undefined : { key: undefined, value: item };
}

/** The last of two equal keys wins, and a merge key overrides what stands before it. */
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
