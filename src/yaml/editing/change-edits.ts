import { isAlias, isMap, isSeq, visit } from 'yaml';
import type { CST, ParsedNode, YAMLMap, YAMLSeq } from 'yaml';
import { equalJson } from '../../base/json/equal-json.ts';
import { member } from '../../base/json/json-value.ts';
import { formatPath } from '../../base/json/field-path.ts';
import type { FieldPath } from '../../base/json/field-path.ts';
import type { YamlTree } from '../reading/trees.ts';
import { isMergeKey, keyName, mergeSources } from '../reading/values.ts';
import type { YamlNode } from '../reading/values.ts';
import { blockElementEdit } from './block-edits.ts';
import { changedValue } from './field-changes.ts';
import type { Change, ListChange, MapChange } from './field-changes.ts';
import { flowElementEdits } from './flow-edits.ts';
import { mapEdits } from './in-place.ts';
import type { Addition } from './key-addition.ts';
import type { Layout } from './layout.ts';
import { isPlainNull, ownPair } from './own-pairs.ts';
import { removals } from './removals.ts';
import { renamedKey, replacement } from './replacements.ts';
import type { Slot } from './replacements.ts';
import { hasContent } from './text-edits.ts';
import type { PairTokens, TextEdit, YamlPair } from './text-edits.ts';

/** The reason why a change cannot be written into a text without changing anything else. */
export class EditRefused extends Error {
  override readonly name = 'EditRefused';
}

/** A document to edit. */
export interface EditedDocument {
  readonly text: string;
  readonly tree: YamlTree;
  readonly layout: Layout;
  /** The nodes that aliases refer to. */
  readonly shared: ReadonlySet<YamlNode>;
}

/**
 * Returns the text edits for a change of a document.
 *
 * @throws EditRefused when the change would reach another place, or a notation is not supported
 */
export function changeEdits(document: EditedDocument, change: Change): TextEdit[] {
  const edits: TextEdit[] = [];
  const { root } = document.tree;
  if (change.kind === 'value' || isEmptied(root, change)) throw refused([], 'is the whole document');
  collectionEdits({ ...document, edits }, root, change, []);
  return edits;
}

interface Planning extends EditedDocument {
  readonly edits: TextEdit[];
}

function collectionEdits(planning: Planning, node: YamlNode, change: MapChange | ListChange, path: FieldPath): void {
  if (isAlias(node)) throw refused(path, `is an alias of the content of anchor "${node.source}"`);
  if (node !== null && planning.shared.has(node)) throw refusedAnchor(path, node);
  if (change.kind === 'map' && isMap(node)) mapChangeEdits(planning, node, change, path);
  else if (change.kind === 'list' && isSeq(node)) listChangeEdits(planning, node, change, path);
  else throw refused(path, 'has a notation that cannot be edited');
}

/** A value at its place. */
interface PlacedValue extends Slot {
  readonly node: YamlNode;
}

function valueEdits(planning: Planning, placed: PlacedValue, change: Change, path: FieldPath): void {
  if (change.kind !== 'value' && !isEmptied(placed.node, change)) {
    collectionEdits(planning, placed.node, change, path);
    return;
  }
  guardAnchors(planning, placed.node, path);
  const edits = replacement(planning.text, placed, changedValue(undefined, change), planning.layout);
  if (edits === undefined) throw refused(path, 'has a notation that cannot be edited');
  for (const edit of edits) planning.edits.push(edit);
}

/** True when a change leaves nothing of the old content. The whole collection is then replaced. */
function isEmptied(node: YamlNode, change: MapChange | ListChange): boolean {
  if (change.kind === 'list') return change.items.every(({ index }) => index === undefined);
  if (!isMap(node)) return false;
  const removed = [...change.members.values()].filter((own) => own === 'removed').length;
  return Object.keys(change.old).length === removed && renamesOf(change).size === 0;
}

function mapChangeEdits(planning: Planning, map: YAMLMap, change: MapChange, path: FieldPath): void {
  const token = map.srcToken;
  if (token?.type !== 'block-map' && token?.type !== 'flow-collection') throw refused(path, 'is an unusual mapping');
  const renames = renamesOf(change);
  const renamed = new Set(renames.values());
  const additions: Addition[] = [];
  const removed = new Set<PairTokens>();
  for (const [key, own] of change.members) {
    const memberPath = [...path, key];
    const pair = ownPair(planning.tree, map, key);
    if (pair === 'elsewhere') throw refusedMerge(memberPath);
    if (own === 'removed') {
      if (renames.has(key)) renameKey(planning, pair, renames.get(key) ?? key, memberPath);
      else for (const tokens of removedPairs(planning, map, key, memberPath)) removed.add(tokens);
    } else if (own.kind === 'value' && (pair === undefined || isPlainNull(pair.value, planning.shared))) {
      if (!renamed.has(key)) additions.push({ key, value: own.value, present: pair });
    } else {
      if (pair?.srcToken === undefined) throw refusedMerge(memberPath);
      valueEdits(planning, { parent: token, tokens: pair.srcToken, node: pair.value }, own, memberPath);
    }
  }
  const added = mapEdits(planning.text, map, additions, planning.layout);
  if (added === undefined) throw refused(path, 'has a notation that cannot be edited');
  const items: readonly PairTokens[] = token.items;
  for (const edit of removals(planning.text, token, items.filter(hasContent), removed)) planning.edits.push(edit);
  for (const edit of added) planning.edits.push(edit);
}

/** Returns the keys that only get another name, with this name. The value and its comments then stay in their place. */
function renamesOf({ old, members }: MapChange): ReadonlyMap<string, string> {
  const added = [...members].filter(([key, own]) => !Object.hasOwn(old, key) && own !== 'removed');
  const renames = new Map<string, string>();
  for (const [key, own] of members) {
    if (own !== 'removed' || added.length === 0) continue;
    const index = added.findIndex(
      ([, change]) => change !== 'removed' && change.kind === 'value' && equalJson(change.value, member(old, key)),
    );
    const [target] = index === -1 ? [] : added.splice(index, 1);
    if (target !== undefined) renames.set(key, target[0]);
  }
  return renames;
}

function renameKey(planning: Planning, pair: YamlPair | undefined, name: string, path: FieldPath): void {
  if (pair?.srcToken === undefined) throw refusedMerge(path);
  const edit = renamedKey(pair.srcToken, name, planning.layout);
  if (edit === undefined) throw refused(path, 'has an unusual key');
  planning.edits.push(edit);
}

/** Returns every pair of a key, because a document may have a key twice. */
function removedPairs({ tree, shared }: Planning, map: YAMLMap, key: string, path: FieldPath): PairTokens[] {
  const removed: PairTokens[] = [];
  for (const pair of map.items as YamlPair[]) {
    if (isMergeKey(pair.key)) {
      const merged = mergeSources(tree, pair.value)?.some((source) => ownPair(tree, source, key) !== undefined);
      if (merged === true) throw refusedMerge(path);
    } else if (keyName(tree, pair.key) === key) {
      guardAnchors({ shared }, pair.value, path);
      if (pair.srcToken !== undefined) removed.push(pair.srcToken);
    }
  }
  return removed;
}

function listChangeEdits(planning: Planning, list: YAMLSeq, change: ListChange, path: FieldPath): void {
  const token = list.srcToken;
  if (token?.type !== 'block-seq' && token?.type !== 'flow-collection') throw refused(path, 'is an unusual list');
  const items: readonly PairTokens[] = (token.items as readonly PairTokens[]).filter(hasContent);
  if (items.length !== list.items.length) throw refused(path, 'has a notation that cannot be edited');
  const kept = new Set<number>();
  const appended: unknown[] = [];
  for (const { index, change: own } of change.items) {
    const tokens = index === undefined ? undefined : items[index];
    if (index === undefined || tokens === undefined) {
      appended.push(changedValue(undefined, own));
      continue;
    }
    kept.add(index);
    // The elements of `[a: 1]` are mappings without braces.
    if (own !== undefined && tokens.key) throw refused([...path, index], 'has a notation that cannot be edited');
    const node = (list.items[index] ?? null) as YamlNode;
    if (own !== undefined) valueEdits(planning, { parent: token, tokens, node }, own, [...path, index]);
  }
  const removed = items.filter((_item, index) => !kept.has(index));
  list.items.forEach((node, index) => {
    if (!kept.has(index)) guardAnchors(planning, node as YamlNode, [...path, index]);
  });
  for (const edit of removals(planning.text, token, items, new Set(removed))) planning.edits.push(edit);
  for (const edit of elementEdits(planning, token, appended)) planning.edits.push(edit);
}

function elementEdits(
  { text, layout }: Planning,
  token: CST.BlockSequence | CST.FlowCollection,
  appended: readonly unknown[],
): TextEdit[] {
  if (appended.length === 0) return [];
  return token.type === 'block-seq'
    ? [blockElementEdit(text, token, appended, layout)]
    : flowElementEdits(text, token, appended, layout);
}

/** @throws EditRefused when aliases elsewhere refer to a node, or to a node inside */
function guardAnchors({ shared }: Pick<Planning, 'shared'>, node: YamlNode, path: FieldPath): void {
  if (node === null || shared.size === 0) return;
  visit(node, {
    Node: (_key, inner) => {
      if (shared.has(inner as ParsedNode)) throw refusedAnchor(path, inner as ParsedNode);
    },
  });
}

function refused(path: FieldPath, reason: string): EditRefused {
  return new EditRefused(`${path.length === 0 ? 'the edited value' : formatPath(path)} ${reason}`);
}

function refusedAnchor(path: FieldPath, node: ParsedNode): EditRefused {
  const name = 'anchor' in node ? (node.anchor ?? '') : '';
  return refused(path, `belongs to anchor "${name}", which other places use`);
}

function refusedMerge(path: FieldPath): EditRefused {
  return refused(path, 'comes from a merge key (<<)');
}
