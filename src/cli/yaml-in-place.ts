import { isMap, isScalar, isSeq } from 'yaml';
import type { YAMLMap } from 'yaml';
import { append } from './append.ts';
import type { YamlTree } from '../sources/yaml-trees.ts';
import { isMergeKey, keyName, mergeSources, scalarValue } from '../sources/yaml-values.ts';
import type { YamlNode } from '../sources/yaml-values.ts';
import { blockEdits } from './yaml-block-edits.ts';
import { flowEdits } from './yaml-flow-edits.ts';
import type { Insertion } from './yaml-insertion.ts';
import { layoutOf } from './yaml-layout.ts';
import type { Layout } from './yaml-layout.ts';
import { applyEdits } from './yaml-text-edits.ts';
import type { TextEdit, YamlPair } from './yaml-text-edits.ts';

/** A key to write into one mapping. */
export interface Addition {
  readonly key: string;
  readonly value: unknown;
  /** Where the key stands already, with nothing or null for its value. */
  readonly present: YamlPair | undefined;
}

/**
 * The text of a document with the insertions written into it and nothing else changed; undefined when that cannot be done: a
 * mapping on the way is shared with other places, or is written in a way that is not understood here. The caller compares what
 * the result means with what it should mean, so this may take chances.
 */
export function editInPlace(
  text: string,
  tree: YamlTree,
  insertions: readonly Insertion[],
  eol: string,
): string | undefined {
  const additions = additionsByMap(tree, insertions);
  if (additions === undefined) return undefined;
  const layout = layoutOf(text, tree.root, eol);
  const edits: TextEdit[] = [];
  for (const [map, own] of additions) {
    const some = mapEdits(text, map, own, layout);
    if (some === undefined) return undefined;
    append(edits, some);
  }
  return applyEdits(text, edits);
}

function mapEdits(text: string, map: YAMLMap, additions: Addition[], layout: Layout): TextEdit[] | undefined {
  const token = map.srcToken;
  if (token?.type === 'block-map') return blockEdits(text, token, additions, layout);
  return token?.type === 'flow-collection' && token.start.source === '{'
    ? flowEdits(text, token, additions, layout)
    : undefined;
}

function additionsByMap(tree: YamlTree, insertions: readonly Insertion[]): Map<YAMLMap, Addition[]> | undefined {
  const shared = new Set<YamlNode>(tree.targets.values());
  const additions = new Map<YAMLMap, Addition[]>();
  for (const { path, key, value } of insertions) {
    const map = ownMap(tree, shared, path);
    const present = map && ownPair(tree, map, key);
    if (map === undefined || present === 'elsewhere') return undefined;
    if (present !== undefined && !isPlainNull(present.value, shared)) return undefined;
    const addition = { key, value, present };
    additions.set(map, [...(additions.get(map) ?? []), addition]);
  }
  return additions;
}

/** The mapping at a path if everything on the way there is written there, and for that place only. */
function ownMap(tree: YamlTree, shared: ReadonlySet<YamlNode>, path: Insertion['path']): YAMLMap | undefined {
  let node: YamlNode = tree.root;
  for (const step of path) {
    if (shared.has(node)) return undefined;
    node = ownChild(tree, node, step);
  }
  return isMap(node) && !shared.has(node) ? node : undefined;
}

function ownChild(tree: YamlTree, parent: YamlNode, step: string | number): YamlNode {
  if (isSeq(parent)) return (parent.items[Number(step)] as YamlNode | undefined) ?? null;
  if (!isMap(parent)) return null;
  const pair = ownPair(tree, parent, String(step));
  return pair === undefined || pair === 'elsewhere' ? null : pair.value;
}

/** The pair that gives a mapping's key its value; 'elsewhere' when a merge key after it overrides it. */
function ownPair(tree: YamlTree, map: YAMLMap, name: string): YamlPair | 'elsewhere' | undefined {
  for (const pair of (map.items as YamlPair[]).toReversed()) {
    if (!isMergeKey(pair.key)) {
      if (keyName(tree, pair.key) === name) return pair;
    } else if (mergeSources(tree, pair.value)?.some((source) => ownPair(tree, source, name) !== undefined)) {
      return overridden(tree, map, name) ? 'elsewhere' : undefined;
    }
  }
  return undefined;
}

/** A key that only a merge brings can be overridden by writing it at the end; one that is also written here cannot. */
function overridden(tree: YamlTree, map: YAMLMap, name: string): boolean {
  return (map.items as YamlPair[]).some(({ key }) => !isMergeKey(key) && keyName(tree, key) === name);
}

function isPlainNull(node: YamlNode, shared: ReadonlySet<YamlNode>): boolean {
  if (node === null) return true;
  return (
    isScalar(node) && node.type === 'PLAIN' && node.tag === undefined && scalarValue(node) === null && !shared.has(node)
  );
}
