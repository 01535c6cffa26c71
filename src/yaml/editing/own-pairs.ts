import { isScalar } from 'yaml';
import type { YAMLMap } from 'yaml';
import type { YamlTree } from '../reading/trees.ts';
import { isMergeKey, keyName, mergeSources, scalarValue } from '../reading/values.ts';
import type { YamlNode } from '../reading/values.ts';
import type { YamlPair } from './text-edits.ts';

/** Returns the pair that sets a mapping's key. Returns 'elsewhere' when a later merge key overrides the pair. */
export function ownPair(tree: YamlTree, map: YAMLMap, name: string): YamlPair | 'elsewhere' | undefined {
  for (const pair of (map.items as YamlPair[]).toReversed()) {
    if (!isMergeKey(pair.key)) {
      if (keyName(tree, pair.key) === name) return pair;
    } else if (mergeSources(tree, pair.value)?.some((source) => ownPair(tree, source, name) !== undefined)) {
      return overridden(tree, map, name) ? 'elsewhere' : undefined;
    }
  }
  return undefined;
}

/**
 * True when a key is also written in the mapping and a merge key overrides it. A key that comes only from a merge key
 * can be overridden by a pair at the end.
 */
function overridden(tree: YamlTree, map: YAMLMap, name: string): boolean {
  return (map.items as YamlPair[]).some(({ key }) => !isMergeKey(key) && keyName(tree, key) === name);
}

/** True for an empty or null value that no alias refers to. */
export function isPlainNull(node: YamlNode, shared: ReadonlySet<YamlNode>): boolean {
  if (node === null) return true;
  return (
    isScalar(node) && node.type === 'PLAIN' && node.tag === undefined && scalarValue(node) === null && !shared.has(node)
  );
}
