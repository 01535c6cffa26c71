import { isAlias, isMap, isSeq, visit, type ParsedNode, type YAMLMap, type YAMLSeq } from 'yaml';
import { equalJson, isJsonObject, member, type JsonObject } from '../../base/json/json-value.ts';
import { formatPath, type FieldPath } from '../../base/json/field-path.ts';
import { isMergeKey, keyName, mergeSources, type YamlNode, type YamlTree } from '../reading/values.ts';
import { additions, removals, renamedKey, replacement, type Slot } from './collection-edits.ts';
import type { Layout } from './layout.ts';
import { hasContent, type Addition, type PairTokens, type TextEdit, type YamlPair } from './text-edits.ts';

/** The reason why a change cannot be written into a text without changing anything else. */
export class EditRefused extends Error {
  override readonly name = 'EditRefused';
}

/**
 * Returns the text edits that give a document another value. Parts that are equal in both values are not touched.
 *
 * @param old the value of the document
 * @param value the new value; elements of lists that stay are the same objects as in `old`
 * @throws EditRefused when the change would reach another place, or a notation is not supported
 */
export function changeEdits(document: Omit<Planning, 'shared'>, old: unknown, value: unknown): TextEdit[] {
  if (equalJson(old, value)) return [];
  if (!isChangeInside(old, value)) throw refused([], 'is the whole document');
  const shared = new Set<YamlNode>(document.tree.targets.values());
  return [...collectionEdits({ ...document, shared }, document.tree.root, old, value, [])];
}

interface Planning {
  readonly text: string;
  readonly tree: YamlTree;
  readonly layout: Layout;
  /** The nodes that aliases refer to. */
  readonly shared: ReadonlySet<YamlNode>;
}

type Edits = Generator<TextEdit, void, undefined>;

/** True when something of the old content stays. Otherwise the whole value is replaced. */
function isChangeInside(old: unknown, value: unknown): boolean {
  if (Array.isArray(old) && Array.isArray(value)) return continued(old, value).some((index) => index !== undefined);
  if (!isJsonObject(old) || !isJsonObject(value)) return false;
  return Object.keys(old).some((key) => Object.hasOwn(value, key)) || renames(old, value).size > 0;
}

/** @param old a mapping or list of which something stays in the new value */
function* collectionEdits(planning: Planning, node: YamlNode, old: unknown, value: unknown, path: FieldPath): Edits {
  if (isAlias(node)) throw refused(path, `is an alias of the content of anchor "${node.source}"`);
  if (node !== null && planning.shared.has(node)) throw refusedAnchor(path, node);
  if (isMap(node) && isJsonObject(old) && isJsonObject(value)) yield* mapEdits(planning, node, old, value, path);
  else if (isSeq(node) && Array.isArray(old) && Array.isArray(value))
    yield* listEdits(planning, node, old, value, path);
  else throw unsupported(path);
}

interface PlacedValue extends Slot {
  readonly node: YamlNode;
}

function* valueEdits(planning: Planning, placed: PlacedValue, old: unknown, value: unknown, path: FieldPath): Edits {
  if (isChangeInside(old, value)) return yield* collectionEdits(planning, placed.node, old, value, path);
  guardAnchors(planning, placed.node, path);
  const edits = replacement(planning.text, placed, value, planning.layout);
  if (edits === undefined) throw unsupported(path);
  yield* edits;
}

function* mapEdits(planning: Planning, map: YAMLMap, old: JsonObject, value: JsonObject, path: FieldPath): Edits {
  const { text, tree, layout } = planning;
  const token = map.srcToken;
  if (token?.type !== 'block-map' && token?.type !== 'flow-collection') throw refused(path, 'is an unusual mapping');
  const renamed = renames(old, value);
  const removed = new Set<PairTokens>();
  for (const key of Object.keys(old).filter((name) => !Object.hasOwn(value, name))) {
    const name = renamed.get(key);
    if (name !== undefined) yield renameKey(planning, ownPair(tree, map, key), name, [...path, key]);
    else for (const tokens of removedPairs(planning, map, key, [...path, key])) removed.add(tokens);
  }
  const names = new Set(renamed.values());
  const added: Addition[] = [];
  for (const [key, own] of Object.entries(value)) {
    const before = member(old, key);
    if (names.has(key) || (Object.hasOwn(old, key) && equalJson(before, own))) continue;
    const pair = ownPair(tree, map, key);
    if (pair === undefined && !isChangeInside(before, own)) added.push({ key, value: own });
    else if (pair === undefined || pair === 'elsewhere' || pair.srcToken === undefined)
      throw refusedMerge([...path, key]);
    else
      yield* valueEdits(planning, { parent: token, tokens: pair.srcToken, node: pair.value }, before, own, [
        ...path,
        key,
      ]);
  }
  const items: readonly PairTokens[] = token.items;
  yield* removals(text, token, items.filter(hasContent), removed);
  const isPairs = token.type === 'flow-collection' && token.start.source !== '{';
  if (isPairs && added.length > 0) throw unsupported(path);
  yield* additions(text, token, added, layout);
}

/** Returns the keys that only get another name, with this name. The value and its comments then stay in their place. */
function renames(old: JsonObject, value: JsonObject): ReadonlyMap<string, string> {
  const added = Object.keys(value).filter((key) => !Object.hasOwn(old, key));
  const found = new Map<string, string>();
  for (const key of Object.keys(old)) {
    if (added.length === 0) break;
    if (Object.hasOwn(value, key)) continue;
    const index = added.findIndex((name) => equalJson(member(value, name), member(old, key)));
    const [name] = index === -1 ? [] : added.splice(index, 1);
    if (name !== undefined) found.set(key, name);
  }
  return found;
}

function renameKey(
  { layout }: Planning,
  pair: YamlPair | 'elsewhere' | undefined,
  name: string,
  path: FieldPath,
): TextEdit {
  if (pair === undefined || pair === 'elsewhere' || pair.srcToken === undefined) throw refusedMerge(path);
  const edit = renamedKey(pair.srcToken, name, layout);
  if (edit === undefined) throw refused(path, 'has an unusual key');
  return edit;
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

function* listEdits(
  planning: Planning,
  list: YAMLSeq,
  old: readonly unknown[],
  value: readonly unknown[],
  path: FieldPath,
): Edits {
  const { text, layout } = planning;
  const token = list.srcToken;
  if (token?.type !== 'block-seq' && token?.type !== 'flow-collection') throw refused(path, 'is an unusual list');
  const items: readonly PairTokens[] = (token.items as readonly PairTokens[]).filter(hasContent);
  if (items.length !== list.items.length) throw unsupported(path);
  const removed = new Set(items);
  const appended: Addition[] = [];
  for (const [at, index] of continued(old, value).entries()) {
    const tokens = index === undefined ? undefined : items[index];
    if (tokens !== undefined) removed.delete(tokens);
    if (index === undefined || tokens === undefined) appended.push({ value: value[at] });
    else if (!equalJson(old[index], value[at])) {
      // The elements of `[a: 1]` are mappings without braces.
      if (tokens.key) throw unsupported([...path, index]);
      const node = (list.items[index] ?? null) as YamlNode;
      yield* valueEdits(planning, { parent: token, tokens, node }, old[index], value[at], [...path, index]);
    }
  }
  items.forEach((tokens, index) => {
    if (removed.has(tokens)) guardAnchors(planning, list.items[index] as YamlNode, [...path, index]);
  });
  yield* removals(text, token, items, removed);
  yield* additions(text, token, appended, layout);
}

/**
 * Returns the index in the old list for each element of the new list, in ascending order. New elements have none, and
 * are at the end. Objects that stay are the same in both lists. Other elements are found by their place.
 */
function continued(old: readonly unknown[], value: readonly unknown[]): (number | undefined)[] {
  let next = 0;
  const stays = value.map((element) => {
    const index = isJsonObject(element) ? old.indexOf(element, next) : -1;
    if (index === -1) return undefined;
    next = index + 1;
    return index;
  });
  const end = stays.findLastIndex((index) => index !== undefined) + 1;
  if (stays.indexOf(undefined) < end && stays.includes(undefined))
    return value.map((_element, at) => (at < old.length ? at : undefined));
  return stays.map((index) => index ?? (next < old.length ? next++ : undefined));
}

/** Returns the pair that sets a mapping's key. Returns 'elsewhere' when a later merge key overrides the pair. */
function ownPair(tree: YamlTree, map: YAMLMap, name: string): YamlPair | 'elsewhere' | undefined {
  const pairs = map.items as YamlPair[];
  for (const pair of pairs.toReversed()) {
    if (!isMergeKey(pair.key)) {
      if (keyName(tree, pair.key) === name) return pair;
    } else if (mergeSources(tree, pair.value)?.some((source) => ownPair(tree, source, name) !== undefined)) {
      // A key that comes only from a merge key can be overridden by a pair at the end.
      return pairs.some(({ key }) => !isMergeKey(key) && keyName(tree, key) === name) ? 'elsewhere' : undefined;
    }
  }
  return undefined;
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

function unsupported(path: FieldPath): EditRefused {
  return refused(path, 'has a notation that cannot be edited');
}

function refusedAnchor(path: FieldPath, node: ParsedNode): EditRefused {
  const name = 'anchor' in node ? (node.anchor ?? '') : '';
  return refused(path, `belongs to anchor "${name}", which other places use`);
}

function refusedMerge(path: FieldPath): EditRefused {
  return refused(path, 'comes from a merge key (<<)');
}
