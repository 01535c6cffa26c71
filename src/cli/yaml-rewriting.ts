import { Document, Pair, Scalar, YAMLMap, YAMLSeq, isMap, isScalar, isSeq } from 'yaml';
import type { Node } from 'yaml';
import type { YamlTree } from '../sources/yaml-trees.ts';
import { isMergeKey, keyName, mergeSources, resolved } from '../sources/yaml-values.ts';
import type { YamlNode } from '../sources/yaml-values.ts';
import type { Insertion } from './yaml-insertion.ts';
import { layoutOf } from './yaml-layout.ts';
import { printDocument, specialInFlow, toKey, toNode } from './yaml-rendering.ts';
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
  const root = unshared(tree, tree.root, false);
  for (const { path, key, value } of insertions) {
    const map = path.reduce<unknown>((node, step) => child(tree, node, step), root);
    if (!isMap(map)) return undefined;
    const present = findPair(tree, map, key);
    if (present === undefined) map.items.push(new Pair(toKey(key), toNode(value)));
    else present.value = toNode(value) as never;
  }
  const document = new Document(null, { schema: 'failsafe' });
  Object.assign(document, { directives: tree.document.directives }, commentsOf(tree.document));
  const printed = printDocument(document, root, layoutOf(text, tree.root, eol));
  // It ends its last line even where the text did not: that line break may be part of a block scalar.
  return (text.startsWith('\uFEFF') ? '\uFEFF' : '') + printed.replaceAll('\n', eol);
}

function child(tree: YamlTree, parent: unknown, step: string | number): unknown {
  if (isSeq(parent)) return parent.items[Number(step)];
  return isMap(parent) ? findPair(tree, parent, String(step))?.value : undefined;
}

function findPair(tree: YamlTree, map: YAMLMap, name: string): YamlPair | undefined {
  return (map.items as YamlPair[]).find(({ key }) => keyName(tree, key) === name);
}

/** A copy of a node in which nothing is an alias or has an anchor, and no key is there twice. */
function unshared(tree: YamlTree, node: YamlNode, inFlow: boolean): YamlNode {
  const original = resolved(tree, node);
  if (original === null) return nullScalar();
  const copy = unsharedContent(tree, original, inFlow);
  // What came by an alias has the comments of the place that it came to.
  const place = node ?? original;
  // kubectl does not look at the tags of collections, and the library would print some where it cannot read them.
  const tag = isScalar(original) ? original.tag : undefined;
  return Object.assign(copy, commentsOf(place), { spaceBefore: place.spaceBefore, tag }) as YamlNode;
}

/** The library leaves the first half of CRLF in them. */
function commentsOf({ comment, commentBefore }: Pick<Node, 'comment' | 'commentBefore'>): object {
  return { comment: comment?.replaceAll('\r', ''), commentBefore: commentBefore?.replaceAll('\r', '') };
}

function unsharedContent(tree: YamlTree, original: YamlNode, inFlow: boolean): YAMLMap | YAMLSeq | Scalar {
  if (isMap(original)) {
    const map = new YAMLMap();
    map.items = ownPairs(tree, original, inFlow || original.flow === true);
    return Object.assign(map, { flow: original.flow });
  }
  if (isSeq(original)) {
    const sequence = new YAMLSeq();
    sequence.items = original.items.map((item) => unshared(tree, item as YamlNode, inFlow || original.flow === true));
    return Object.assign(sequence, { flow: original.flow });
  }
  if (!isScalar(original)) throw new Error('an alias of an alias');
  // `{a: , b: 1}` would be printed as `{a:, b: 1}`, in which kubectl sees a key `a:`.
  const isNothing = original.type === 'PLAIN' && original.source === '' && original.tag === undefined;
  if (inFlow && isNothing) return nullScalar();
  const type = needsQuotes(original, inFlow) ? Scalar.QUOTE_DOUBLE : original.type;
  return Object.assign(new Scalar(original.value), { type });
}

/** Plain text may come from block context into flow context; and the library puts the comment of a block scalar without text into it. */
function needsQuotes({ type, source }: Scalar.Parsed, inFlow: boolean): boolean {
  if (type === 'PLAIN') return inFlow && specialInFlow.test(source);
  return (type === 'BLOCK_LITERAL' || type === 'BLOCK_FOLDED') && source.trim() === '';
}

/** For the failsafe schema, in which every scalar is text. */
function nullScalar(): Scalar.Parsed {
  return Object.assign(new Scalar('null'), { type: Scalar.PLAIN }) as Scalar.Parsed;
}

/** The pairs that count, merged ones included, each where its key stands first. */
function ownPairs(tree: YamlTree, map: YAMLMap, inFlow: boolean): YamlPair[] {
  const pairs = new Map<string | undefined, YamlPair>();
  for (const { key, value } of map.items as YamlPair[]) {
    if (!isMergeKey(key)) {
      const pair = new Pair(unshared(tree, key, inFlow), unshared(tree, value, inFlow));
      pairs.set(keyName(tree, key), pair as YamlPair);
      continue;
    }
    const merged = (mergeSources(tree, value) ?? []).flatMap((source) => ownPairs(tree, source, inFlow));
    if (merged[0] !== undefined) merged[0].key.commentBefore ??= key.commentBefore ?? null;
    for (const pair of merged) pairs.set(keyName(tree, pair.key), pair);
  }
  return [...pairs.values()];
}
