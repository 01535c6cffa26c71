import { Pair, Scalar, YAMLMap, YAMLSeq, isMap, isScalar, isSeq, type Node } from 'yaml';
import { isMergeKey, keyName, mergeSources, resolved, type YamlNode, type YamlTree } from '../reading/values.ts';
import { isOpenEnded } from './collection-edits.ts';
import { layoutOf, type Layout } from './layout.ts';
import { emptyDocument, printDocument, specialInFlow } from './rendering.ts';
import type { YamlPair } from './text-edits.ts';

/** Prints a document again without aliases and merge keys. Comments are kept where the library keeps them. */
export function reprinted(text: string, tree: YamlTree, eol: string): string {
  const layout = layoutOf(text, tree.root, eol);
  const keepsLast = tree.root.srcToken !== undefined && isOpenEnded(text, tree.root.srcToken);
  const document = emptyDocument();
  Object.assign(document, { directives: tree.document.directives }, commentsOf(tree.document));
  const printed = printDocument(document, unshared({ tree, layout, keepsLast }, tree.root, false), layout);
  // The printer always ends the last line. Remove this line break if the text had none, because a block scalar could
  // include it.
  const ended = keepsLast && !/\n[ \t]*$/.test(text) ? printed.replace(/\n$/, '') : printed;
  return (text.startsWith('\uFEFF') ? '\uFEFF' : '') + ended.replaceAll('\n', eol);
}

interface Copying {
  readonly tree: YamlTree;
  readonly layout: Layout;
  readonly keepsLast: boolean;
}

function unshared(copying: Copying, node: YamlNode, inFlow: boolean): YamlNode {
  const original = resolved(copying.tree, node);
  if (node === null || original === null) return nullScalar();
  const copy = unsharedContent(copying, original, inFlow);
  // kubectl ignores tags of collections, and the library would print some of these tags where it cannot read them.
  const tag = isScalar(original) ? original.tag : undefined;
  // A copy of an aliased node gets the comments of the alias.
  return Object.assign(copy, commentsOf(node), { spaceBefore: node.spaceBefore, tag }) as YamlNode;
}

/** Removes the CR of CRLF, which the library leaves in comments. */
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
    const isFlow = inFlow || original.flow === true;
    sequence.items = original.items.map((item) => unshared(copying, item as YamlNode, isFlow));
    return Object.assign(sequence, { flow: original.flow });
  }
  if (!isScalar(original)) throw new Error('an alias of an alias');
  // The library would print `{a: , b: 1}` as `{a:, b: 1}`, in which kubectl reads the key `a:`.
  const isNothing = original.type === 'PLAIN' && original.source === '' && original.tag === undefined;
  if (inFlow && isNothing) return nullScalar();
  const type = needsQuotes(original, inFlow, copying.layout) ? Scalar.QUOTE_DOUBLE : original.type;
  return Object.assign(new Scalar(original.value), { type });
}

/**
 * True for a scalar that needs double quotes in the copy. A plain scalar may move from block context into flow context,
 * where some texts need quotes. The library prints the comment of an empty block scalar into the scalar's text. For a
 * text that starts with a space, the library writes an indentation of 2, even if the real indentation differs.
 */
function needsQuotes({ type, source, value }: Scalar.Parsed, inFlow: boolean, { step }: Layout): boolean {
  if (type === 'PLAIN') return inFlow && specialInFlow.test(source);
  if (type !== 'BLOCK_LITERAL' && type !== 'BLOCK_FOLDED') return false;
  return source.trim() === '' || (step !== 2 && /^\n* /.test(String(value)));
}

/** Returns a null for the failsafe schema, in which every scalar is text. */
function nullScalar(): Scalar.Parsed {
  return Object.assign(new Scalar('null'), { type: Scalar.PLAIN }) as Scalar.Parsed;
}

/** Returns the effective pairs, including merged pairs. Each pair is at the first position of its key. */
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
