import { Pair, Scalar, YAMLMap, YAMLSeq, isMap, isScalar, isSeq } from 'yaml';
import type { Node } from 'yaml';
import type { YamlTree } from '../sources/yaml-trees.ts';
import { isMergeKey, keyName, mergeSources, resolved } from '../sources/yaml-values.ts';
import type { YamlNode } from '../sources/yaml-values.ts';
import type { Insertion } from './yaml-insertion.ts';
import { isOpenEnded } from './open-end.ts';
import { layoutOf } from './yaml-layout.ts';
import type { Layout } from './yaml-layout.ts';
import { emptyDocument, printDocument, specialInFlow, toKey, toNode } from './yaml-rendering.ts';
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
  const keepsLast = tree.root.srcToken !== undefined && isOpenEnded(text, tree.root.srcToken);
  const root = unshared({ tree, layout, keepsLast }, tree.root, false);
  const tail = keepsLast ? mapsAtEnd(root) : new Set();
  for (const { path, key, value } of insertions) {
    const map = path.reduce<unknown>((node, step) => child(tree, node, step), root);
    if (!isMap(map)) return undefined;
    const present = findPair(tree, map, key);
    if (present === undefined)
      map.items.splice(tail.has(map) ? -1 : map.items.length, 0, new Pair(toKey(key), toNode(value)));
    else present.value = toNode(value) as never;
  }
  const document = emptyDocument();
  Object.assign(document, { directives: tree.document.directives }, commentsOf(tree.document));
  const printed = printDocument(document, root, layout);
  // It ends its last line even where the text did not: that line break may be part of a block scalar.
  const ended = keepsLast && !/\n[ \t]*$/.test(text) ? printed.replace(/\n$/, '') : printed;
  return (text.startsWith('\uFEFF') ? '\uFEFF' : '') + ended.replaceAll('\n', eol);
}

/** The mappings whose last pair is the last of the document, too. */
function mapsAtEnd(root: YamlNode): Set<unknown> {
  const found = new Set<unknown>();
  let last: unknown = root;
  while (isMap(last) || isSeq(last)) {
    if (isMap(last)) found.add(last);
    last = isMap(last) ? last.items.at(-1)?.value : last.items.at(-1);
  }
  return found;
}

function child(tree: YamlTree, parent: unknown, step: string | number): unknown {
  if (isSeq(parent)) return parent.items[Number(step)];
  return isMap(parent) ? findPair(tree, parent, String(step))?.value : undefined;
}

function findPair(tree: YamlTree, map: YAMLMap, name: string): YamlPair | undefined {
  return (map.items as YamlPair[]).find(({ key }) => keyName(tree, key) === name);
}

/** What is copied, and how it will be printed. */
interface Copying {
  readonly tree: YamlTree;
  readonly layout: Layout;
  /** What is last must stay so. */
  readonly keepsLast: boolean;
}

/** A copy of a node in which nothing is an alias or has an anchor, and no key is there twice. */
function unshared(copying: Copying, node: YamlNode, inFlow: boolean): YamlNode {
  const original = resolved(copying.tree, node);
  if (original === null) return nullScalar();
  const copy = unsharedContent(copying, original, inFlow);
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

function unsharedContent(copying: Copying, original: YamlNode, inFlow: boolean): YAMLMap | YAMLSeq | Scalar {
  if (isMap(original)) {
    const map = new YAMLMap();
    map.items = ownPairs(copying, original, inFlow || original.flow === true);
    return Object.assign(map, { flow: original.flow });
  }
  if (isSeq(original)) {
    const sequence = new YAMLSeq();
    sequence.items = original.items.map((item) =>
      unshared(copying, item as YamlNode, inFlow || original.flow === true),
    );
    return Object.assign(sequence, { flow: original.flow });
  }
  if (!isScalar(original)) throw new Error('an alias of an alias');
  // `{a: , b: 1}` would be printed as `{a:, b: 1}`, in which kubectl sees a key `a:`.
  const isNothing = original.type === 'PLAIN' && original.source === '' && original.tag === undefined;
  if (inFlow && isNothing) return nullScalar();
  const type = needsQuotes(original, inFlow, copying.layout) ? Scalar.QUOTE_DOUBLE : original.type;
  return Object.assign(new Scalar(original.value), { type });
}

/**
 * Plain text may come from block context into flow context. The library puts the comment of a block scalar without text into it; and where the
 * text starts with a space it says that it stands in by two, however far that is.
 */
function needsQuotes({ type, source, value }: Scalar.Parsed, inFlow: boolean, { step }: Layout): boolean {
  if (type === 'PLAIN') return inFlow && specialInFlow.test(source);
  if (type !== 'BLOCK_LITERAL' && type !== 'BLOCK_FOLDED') return false;
  return source.trim() === '' || (step !== 2 && /^\n* /.test(String(value)));
}

/** For the failsafe schema, in which every scalar is text. */
function nullScalar(): Scalar.Parsed {
  return Object.assign(new Scalar('null'), { type: Scalar.PLAIN }) as Scalar.Parsed;
}

/** The pairs that count, merged ones included, each where its key stands first. */
function ownPairs(copying: Copying, map: YAMLMap, inFlow: boolean): YamlPair[] {
  const { tree, keepsLast } = copying;
  const pairs = new Map<string | undefined, YamlPair>();
  for (const { key, value } of map.items as YamlPair[]) {
    if (!isMergeKey(key)) {
      const pair = new Pair(unshared(copying, key, inFlow), unshared(copying, value, inFlow));
      const name = keyName(tree, key);
      if (keepsLast && key === map.items.at(-1)?.key) pairs.delete(name);
      pairs.set(name, pair as YamlPair);
      continue;
    }
    const merged = (mergeSources(tree, value) ?? []).flatMap((source) => ownPairs(copying, source, inFlow));
    if (merged[0] !== undefined) merged[0].key.commentBefore ??= key.commentBefore ?? null;
    for (const pair of merged) pairs.set(keyName(tree, pair.key), pair);
  }
  return [...pairs.values()];
}
