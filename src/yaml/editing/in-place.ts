import { isMap, isSeq } from 'yaml';
import type { YAMLMap } from 'yaml';
import type { YamlTree } from '../reading/trees.ts';
import type { YamlNode } from '../reading/values.ts';
import { blockEdits } from './block-edits.ts';
import { flowEdits } from './flow-edits.ts';
import type { Insertion } from './key-insertion.ts';
import { layoutOf } from './layout.ts';
import { isPlainNull, ownPair } from './own-pairs.ts';
import type { Layout } from './layout.ts';
import { applyEdits } from './text-edits.ts';
import type { TextEdit } from './text-edits.ts';
import type { Addition } from './key-addition.ts';

/**
 * Returns the text of a document with the insertions and no other change. Undefined when a mapping on the path is
 * shared with other places, or has an unsupported notation. The caller compares the result with the expected values, so
 * this function need not handle every rare notation.
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
    for (const edit of some) edits.push(edit);
  }
  return applyEdits(text, edits);
}

/** Returns the edits that add keys to a mapping. Undefined for a mapping with an unsupported notation. */
export function mapEdits(
  text: string,
  map: YAMLMap,
  additions: readonly Addition[],
  layout: Layout,
): TextEdit[] | undefined {
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

/**
 * Returns the mapping at a path. Undefined unless every node on the path is written in place and belongs to one place
 * only.
 */
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
