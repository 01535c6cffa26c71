import { isAlias, isMap, isScalar, isSeq } from 'yaml';
import type { Alias, Document, Pair, ParsedNode, Scalar, YAMLMap } from 'yaml';
import { inOnePiece } from '../../base/text/one-piece.ts';
import { resolvePlainScalar, resolveTaggedScalar, type JsonScalar } from './scalars.ts';
import { MAX_DEPTH, NESTING_MESSAGE, Unreadable, type ReadingBudget } from './tokens.ts';

/** The nodes of one document. The value of every scalar is its text. Offsets refer to the chunk's text. */
export interface YamlTree {
  readonly document: Document.Parsed;
  readonly root: ParsedNode;
  /** The anchored node of each alias. An alias inside its own anchor creates a cycle. */
  readonly targets: ReadonlyMap<Alias, ParsedNode>;
}

/** A fault of a document. The offset refers to the chunk's text. */
export interface YamlFault {
  readonly offset: number;
  readonly message: string;
  /** The key, when the fault is a duplicate key. */
  readonly duplicateKey?: string;
}

/** Any node of a tree. A pair such as `{a}` has the value null. */
export type YamlNode = ParsedNode | null;

/** Highest number of nodes that aliases may add to a document, as in kubectl's YAML library. */
const maxAliasedNodes = 400_000;

/**
 * Returns the JSON value of a tree, as kubectl would send it. Keys become strings. Aliases and merge keys are resolved
 * into copies, so no two places share an object. The last value of a duplicate key wins.
 *
 * @param faults gets each duplicate key, and the fault that makes the document unreadable
 * @param budget the budget that pays for values that aliases repeat
 * @returns undefined for an unreadable document
 */
export function treeValue(tree: YamlTree, faults: YamlFault[], budget: ReadingBudget | undefined): unknown {
  try {
    return nodeValue({ tree, faults, budget, open: new Set(), aliasedNodes: 0 }, tree.root, 0);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    faults.push({ offset: error.offset, message: error.message });
    return undefined;
  }
}

/** True for a merge key (`<<`, plain or tagged). A quoted "<<" is an ordinary key. */
export function isMergeKey(key: YamlNode): boolean {
  if (!isScalar(key) || key.source !== '<<') return false;
  return key.tag === undefined ? key.type === 'PLAIN' : key.tag === 'tag:yaml.org,2002:merge';
}

/** Returns the target of an alias. Any other node is returned unchanged. */
export function resolved(tree: YamlTree, node: YamlNode): YamlNode {
  return isAlias(node) ? (tree.targets.get(node) ?? null) : node;
}

/** Returns the JSON name of a key. Undefined for a key that JSON does not allow. */
export function keyName(tree: YamlTree, key: YamlNode): string | undefined {
  const scalar = resolved(tree, key);
  if (!isScalar(scalar)) return undefined;
  const value = scalarValue(scalar);
  return value === undefined || value === null ? undefined : String(value);
}

/** Returns the mappings of a merge key, the winning one last. Undefined when one of them is no mapping. */
export function mergeSources(tree: YamlTree, value: YamlNode): YAMLMap[] | undefined {
  const sources = mergedNodes(value).map((item) => resolved(tree, item));
  return sources.every((source) => isMap(source)) ? sources : undefined;
}

/** Reverses the order, because earlier mappings take precedence and later writes win. */
function mergedNodes(value: YamlNode): YamlNode[] {
  return isSeq(value) ? (value.items as YamlNode[]).toReversed() : [value];
}

/** Returns the value of a scalar node. Undefined when the text is not valid for its tag. */
export function scalarValue(scalar: Scalar): JsonScalar | undefined {
  const text = String(scalar.value);
  if (scalar.tag !== undefined && scalar.tag !== '!') return resolveTaggedScalar(scalar.tag, text);
  // The library joins a quoted text from its characters.
  return scalar.type === 'PLAIN' && scalar.tag === undefined ? resolvePlainScalar(text) : inOnePiece(text);
}

function unreadable(node: YamlNode, message: string): Unreadable {
  return new Unreadable(node?.range[0] ?? 0, message);
}

interface Reading {
  readonly tree: YamlTree;
  readonly faults: YamlFault[];
  readonly budget: ReadingBudget | undefined;
  /** The aliases that are being resolved. An alias that is in the set already is a cycle. */
  readonly open: Set<Alias.Parsed>;
  aliasedNodes: number;
}

function nodeValue(reading: Reading, node: YamlNode, depth: number): unknown {
  if (depth > MAX_DEPTH) throw unreadable(culprit(reading, node), NESTING_MESSAGE);
  if (reading.open.size > 0) countAliased(reading, node);
  if (isAlias(node)) return aliasValue(reading, node, depth);
  if (isMap(node)) return mapValue(reading, node, depth);
  if (isSeq(node)) return node.items.map((item) => nodeValue(reading, item as YamlNode, depth + 1));
  return node === null ? null : jsonScalar(node);
}

function countAliased(reading: Reading, node: YamlNode): void {
  const excess =
    ++reading.aliasedNodes > maxAliasedNodes
      ? `aliases blow this document up to more than ${maxAliasedNodes} values`
      : reading.budget?.spend(1);
  if (excess !== undefined) throw unreadable(culprit(reading, node), excess);
}

/** Returns the node to report: of a fault inside an alias the outermost alias, since the anchor's text is correct. */
function culprit(reading: Reading, node: YamlNode): YamlNode {
  const [outermost = node] = reading.open;
  return outermost;
}

function aliasValue(reading: Reading, alias: Alias.Parsed, depth: number): unknown {
  if (reading.open.has(alias)) throw unreadable(alias, `anchor "${alias.source}" contains itself`);
  reading.open.add(alias);
  const value = nodeValue(reading, resolved(reading.tree, alias), depth);
  reading.open.delete(alias);
  return value;
}

function mapValue(reading: Reading, map: YAMLMap, depth: number): Record<string, unknown> {
  const members = new Map<string, unknown>();
  const seen = new Set<string>();
  for (const { key, value } of map.items as Pair<ParsedNode, YamlNode>[]) {
    if (isMergeKey(key)) {
      // Merged keys override the keys before the merge key, and keys after it override them, as in go-yaml v2.
      for (const [name, merged] of mergedMembers(reading, value ?? key, value, depth)) members.set(name, merged);
      continue;
    }
    const name = jsonKey(reading, key);
    if (seen.has(name)) reportDuplicate(reading, key, name);
    seen.add(name);
    members.set(name, nodeValue(reading, value, depth + 1));
  }
  // A plain assignment to `__proto__` would change the prototype.
  return Object.fromEntries(members);
}

/** The members of the mappings of a merge key. The last of a name wins. */
function mergedMembers(reading: Reading, place: YamlNode, value: YamlNode, depth: number): [string, unknown][] {
  if (mergeSources(reading.tree, value) === undefined)
    throw unreadable(place, 'a merge key (<<) needs a mapping or a sequence of mappings');
  return mergedNodes(value).flatMap((source) => Object.entries(nodeValue(reading, source, depth + 1) as object));
}

/** Reports a duplicate key once for its position in the text. Aliases to the mapping do not report the key again. */
function reportDuplicate(reading: Reading, key: ParsedNode, name: string): void {
  if (reading.open.size > 0) return;
  reading.faults.push({
    offset: key.range[0],
    message: `key ${JSON.stringify(name)} is already there in this mapping`,
    duplicateKey: name,
  });
}

function jsonKey(reading: Reading, key: ParsedNode): string {
  const node = resolved(reading.tree, key);
  if (!isScalar(node)) {
    throw unreadable(key, 'a mapping or sequence cannot be a key; text that starts with {{ or [ needs quotes');
  }
  const value = jsonScalar(node);
  if (value === null) throw unreadable(key, 'null cannot be a key');
  return String(value);
}

function jsonScalar(scalar: Scalar.Parsed): JsonScalar {
  const value = scalarValue(scalar);
  if (value === undefined) throw unreadable(scalar, `${String(scalar.value)} is no ${tagName(scalar)}`);
  if (typeof value !== 'number' || Number.isFinite(value)) return value;
  throw unreadable(scalar, `${String(scalar.value)} has no form in JSON`);
}

function tagName(scalar: Scalar): string {
  return (scalar.tag ?? '').replace('tag:yaml.org,2002:', '!!');
}
