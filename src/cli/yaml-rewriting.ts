import { Pair, isAlias, isMap, isSeq } from 'yaml';
import type { Document, Node, YAMLMap, YAMLSeq } from 'yaml';
import type { YamlTree } from '../sources/yaml-trees.ts';
import { isMergeKey, keyName, mergeSources, resolved } from '../sources/yaml-values.ts';
import type { YamlNode } from '../sources/yaml-values.ts';
import type { Insertion } from './yaml-insertion.ts';
import { layoutOf } from './yaml-layout.ts';
import { printDocument, toNode, toScalar } from './yaml-rendering.ts';
import type { YamlPair } from './yaml-text-edits.ts';

/**
 * A document printed anew with the insertions in it, and with its aliases and merge keys resolved so that no place shares anything
 * with another. Comments are kept where the library keeps them.
 *
 * @returns undefined when there is no mapping where an insertion goes
 */
export function rewriteDocument(
  text: string,
  tree: YamlTree,
  insertions: readonly Insertion[],
  eol: string,
): string | undefined {
  const layout = layoutOf(text, tree.root, eol);
  const root = unshared(tree, tree.root);
  for (const { path, key, value } of insertions) {
    const map = path.reduce<unknown>((node, step) => child(tree, node, step), root);
    if (!isMap(map)) return undefined;
    setPair(tree, map, new Pair(toScalar(key) as never, toNode(value) as never));
  }
  const printed = printDocument(tree.document.clone() as Document, root, layout);
  const trimmed = text.endsWith('\n') ? printed : printed.replace(/\n$/, '');
  return (text.startsWith('\uFEFF') ? '\uFEFF' : '') + trimmed.replaceAll('\n', eol);
}

function child(tree: YamlTree, parent: unknown, step: string | number): unknown {
  if (isSeq(parent)) return parent.items[Number(step)];
  return isMap(parent) ? findPair(tree, parent, String(step))?.value : undefined;
}

/** A copy of a node in which nothing has an anchor or is an alias, and no key is there twice. */
function unshared(tree: YamlTree, node: YamlNode): YamlNode {
  const original = resolved(tree, node);
  if (original === null) return null;
  const copy = shallowCopy(original);
  if (isAlias(node)) keepPlace(node, copy);
  delete (copy as { anchor?: string }).anchor;
  if (isSeq(copy)) copy.items = (copy as YAMLSeq<YamlNode>).items.map((item) => unshared(tree, item)) as never;
  if (isMap(copy)) fillMap(tree, copy as YAMLMap, original as YAMLMap);
  return copy as YamlNode;
}
