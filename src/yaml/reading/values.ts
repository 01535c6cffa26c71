import { isAlias, isMap, isScalar, isSeq } from 'yaml';
import type { Alias, Pair, ParsedNode, Scalar, YAMLMap, YAMLSeq } from 'yaml';
import { resolvePlainScalar, resolveTaggedScalar, type JsonScalar } from './scalars.ts';
import { MAX_DEPTH, NESTING_MESSAGE } from './tokens.ts';
import type { ReadingBudget } from './reading-budget.ts';
import type { YamlFault, YamlTree } from './trees.ts';

/** Any node of a tree. A pair such as `{a}` has the value null. */
export type YamlNode = ParsedNode | null;

/** Highest number of nodes that aliases may add to a document, as in kubectl's YAML library. */
const maxAliasedNodes = 400_000;

/**
 * Returns the JSON value of a tree, as kubectl would send it. Keys become strings. Aliases and merge keys are resolved
 * into copies, so no two places share an object. The last value of a duplicate key wins, and `onDuplicate` is called
 * with the position of the second key.
 *
 * @param budget the budget that pays for values that aliases repeat
 * @returns the value, or the fault that makes the document unreadable
 */
export function treeValue(
  tree: YamlTree,
  onDuplicate: (fault: YamlFault) => void,
  budget?: ReadingBudget,
): { readonly value: unknown } | { readonly fault: YamlFault } {
  try {
    return { value: nodeValue({ tree, onDuplicate, budget, open: new Set(), aliasedNodes: 0 }, tree.root, 0) };
  } catch (error) {
    if (error instanceof Unreadable) return { fault: { offset: error.offset, message: error.message } };
    throw error;
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
  return scalar.type === 'PLAIN' && scalar.tag === undefined ? resolvePlainScalar(text) : text;
}

class Unreadable extends Error {
  readonly offset: number;
  constructor(node: YamlNode, message: string) {
    super(message);
    this.offset = node?.range[0] ?? 0;
  }
}

interface Reading {
  readonly tree: YamlTree;
  readonly onDuplicate: (fault: YamlFault) => void;
  readonly budget: ReadingBudget | undefined;
  /** The aliases that are being resolved. An alias that is in the set already is a cycle. */
  readonly open: Set<Alias.Parsed>;
  aliasedNodes: number;
}

function nodeValue(reading: Reading, node: YamlNode, depth: number): unknown {
  if (depth > MAX_DEPTH) throw new Unreadable(culprit(reading, node), NESTING_MESSAGE);
  if (reading.open.size > 0) countAliased(reading, node);
  if (isAlias(node)) return aliasValue(reading, node, depth);
  if (isMap(node)) return mapValue(reading, node, depth);
  if (isSeq(node)) return sequenceValue(reading, node, depth);
  return node === null ? null : jsonScalar(node);
}

function countAliased(reading: Reading, node: YamlNode): void {
  const excess =
    ++reading.aliasedNodes > maxAliasedNodes
      ? `aliases blow this document up to more than ${maxAliasedNodes} values`
      : reading.budget?.spend(1);
  if (excess !== undefined) throw new Unreadable(culprit(reading, node), excess);
}

/** Returns the node to report: of a fault inside an alias the outermost alias, since the anchor's text is correct. */
function culprit(reading: Reading, node: YamlNode): YamlNode {
  const [outermost = node] = reading.open;
  return outermost;
}

function aliasValue(reading: Reading, alias: Alias.Parsed, depth: number): unknown {
  if (reading.open.has(alias)) throw new Unreadable(alias, `anchor "${alias.source}" contains itself`);
  reading.open.add(alias);
  const value = nodeValue(reading, resolved(reading.tree, alias), depth);
  reading.open.delete(alias);
  return value;
}

function sequenceValue(reading: Reading, sequence: YAMLSeq, depth: number): unknown[] {
  return sequence.items.map((item) => nodeValue(reading, item as YamlNode, depth + 1));
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
    throw new Unreadable(place, 'a merge key (<<) needs a mapping or a sequence of mappings');
  return mergedNodes(value).flatMap((source) => Object.entries(nodeValue(reading, source, depth + 1) as object));
}

/** Reports a duplicate key once for its position in the text. Aliases to the mapping do not report the key again. */
function reportDuplicate(reading: Reading, key: ParsedNode, name: string): void {
  if (reading.open.size > 0) return;
  reading.onDuplicate({
    offset: key.range[0],
    message: `key ${JSON.stringify(name)} is already there in this mapping`,
    duplicateKey: name,
  });
}

function jsonKey(reading: Reading, key: ParsedNode): string {
  const node = resolved(reading.tree, key);
  if (!isScalar(node)) {
    throw new Unreadable(key, 'a mapping or sequence cannot be a key; text that starts with {{ or [ needs quotes');
  }
  const value = jsonScalar(node);
  if (value === null) throw new Unreadable(key, 'null cannot be a key');
  return String(value);
}

function jsonScalar(scalar: Scalar.Parsed): JsonScalar {
  const value = scalarValue(scalar);
  if (value === undefined) throw new Unreadable(scalar, `${String(scalar.value)} is no ${tagName(scalar)}`);
  if (typeof value !== 'number' || Number.isFinite(value)) return value;
  throw new Unreadable(scalar, `${String(scalar.value)} has no form in JSON`);
}

function tagName(scalar: Scalar): string {
  return (scalar.tag ?? '').replace('tag:yaml.org,2002:', '!!');
}
