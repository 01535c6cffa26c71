import { equalJson } from '../../base/json/equal-json.ts';
import { withEdits } from '../../base/json/field-edit.ts';
import { isJsonObject, member } from '../../base/json/json-value.ts';
import type { FieldEdit } from '../../base/json/field-edit.ts';
import type { FieldPath } from '../../base/json/field-path.ts';
import type { JsonObject } from '../../base/json/json-value.ts';

/** The effect of edits on one value of a document: a new value, or changes inside the mapping or list. */
export type Change = NewValue | MapChange | ListChange;

export interface NewValue {
  readonly kind: 'value';
  readonly value: unknown;
}

/** Changes of a mapping's members. The keys have the order of the edits. */
export interface MapChange {
  readonly kind: 'map';
  readonly old: JsonObject;
  readonly members: ReadonlyMap<string, Change | 'removed'>;
}

/** The elements that a list has after the edits. Old elements keep their order, and new elements follow. */
export interface ListChange {
  readonly kind: 'list';
  readonly old: readonly unknown[];
  readonly items: readonly ListItem[];
}

interface ListItem {
  /** The index in the old list. Undefined for a new element. */
  readonly index?: number;
  /** Absent when the element stays as it is. */
  readonly change?: Change;
}

/** Returns the change that turns a value into withEdits(value, edits). Undefined when nothing changes. */
export function changeOf(value: unknown, edits: readonly FieldEdit[]): Change | undefined {
  return edits.reduce<Change | undefined>((change, edit) => afterEdit(change, value, edit.path, edit.value), undefined);
}

/** Returns the value that a change leads to. */
export function changedValue(old: unknown, change: Change | undefined): unknown {
  if (change === undefined) return old;
  if (change.kind === 'value') return change.value;
  if (change.kind === 'list') {
    return change.items.map(({ index, change: own }) =>
      changedValue(index === undefined ? undefined : change.old[index], own),
    );
  }
  const members = new Map(Object.entries(change.old));
  for (const [key, own] of change.members) {
    if (own === 'removed') members.delete(key);
    else members.set(key, changedValue(member(change.old, key), own));
  }
  return Object.fromEntries(members);
}

function afterEdit(change: Change | undefined, old: unknown, path: FieldPath, value: unknown): Change | undefined {
  const [step, ...rest] = path;
  if (step === undefined) return difference(old, value);
  if (change?.kind === 'value') return { kind: 'value', value: withEdits(change.value, [{ path, value }]) };
  if (typeof step === 'number' && Array.isArray(old)) return listAfterEdit(change, old, step, rest, value);
  if (typeof step === 'string' && isJsonObject(old)) return mapAfterEdit(change, old, step, rest, value);
  return difference(old, withEdits(old, [{ path, value }]));
}

function mapAfterEdit(
  change: Change | undefined,
  old: JsonObject,
  key: string,
  rest: FieldPath,
  value: unknown,
): MapChange | undefined {
  const members = new Map(change?.kind === 'map' ? change.members : []);
  const before = members.get(key);
  const isThere = before === undefined ? Object.hasOwn(old, key) : before !== 'removed';
  if (value === null && !isThere) return members.size > 0 ? { kind: 'map', old, members } : undefined;
  const after = rest.length === 0 && value === null ? 'removed' : memberAfterEdit(before, old, key, rest, value);
  if (after === undefined || (after === 'removed' && !Object.hasOwn(old, key))) members.delete(key);
  else members.set(key, after);
  return members.size > 0 ? { kind: 'map', old, members } : undefined;
}

function memberAfterEdit(
  before: Change | 'removed' | undefined,
  old: JsonObject,
  key: string,
  rest: FieldPath,
  value: unknown,
): Change | undefined {
  const isNew = before === 'removed' || !Object.hasOwn(old, key);
  if (!isNew) return afterEdit(before, member(old, key), rest, value);
  const start = before === undefined || before === 'removed' ? undefined : changedValue(undefined, before);
  const after = withEdits(start, [{ path: rest, value }]);
  // A list that does not exist has no element to edit.
  if (after === undefined) return undefined;
  return before === 'removed' ? difference(member(old, key), after) : { kind: 'value', value: after };
}

function listAfterEdit(
  change: Change | undefined,
  old: readonly unknown[],
  index: number,
  rest: FieldPath,
  value: unknown,
): Change | undefined {
  const items = change?.kind === 'list' ? change.items : old.map((_, place): ListItem => ({ index: place }));
  const item = items[index];
  if (item === undefined) {
    const added = withEdits<unknown>(undefined, [{ path: rest, value }]);
    if (index > items.length || value === null || added === undefined) return change;
    return { kind: 'list', old, items: [...items, { change: { kind: 'value', value: added } }] };
  }
  if (rest.length === 0 && value === null) return { kind: 'list', old, items: items.toSpliced(index, 1) };
  const own = afterEdit(item.change, item.index === undefined ? undefined : old[item.index], rest, value);
  const edited = item.index === undefined ? { change: own } : { index: item.index, change: own };
  return { kind: 'list', old, items: items.with(index, edited as ListItem) };
}

/** Returns the smallest change from one value to another. Members and elements that are equal are not changed. */
function difference(old: unknown, value: unknown): Change | undefined {
  if (equalJson(old, value)) return undefined;
  if (isJsonObject(old) && isJsonObject(value) && hasMembers(old) && hasMembers(value)) {
    const members = new Map<string, Change | 'removed'>();
    for (const key of Object.keys(old)) if (!Object.hasOwn(value, key)) members.set(key, 'removed');
    for (const key of Object.keys(value)) {
      const change: Change | undefined = Object.hasOwn(old, key)
        ? difference(member(old, key), member(value, key))
        : { kind: 'value', value: member(value, key) };
      if (change !== undefined) members.set(key, change);
    }
    return { kind: 'map', old, members };
  }
  if (Array.isArray(old) && Array.isArray(value) && old.length > 0 && value.length > 0) {
    const items = value.map((element: unknown, index): ListItem => {
      if (index >= old.length) return { change: { kind: 'value', value: element } };
      const change = difference(old[index], element);
      return change === undefined ? { index } : { index, change };
    });
    return { kind: 'list', old, items };
  }
  return { kind: 'value', value };
}

function hasMembers(object: JsonObject): boolean {
  return Object.keys(object).length > 0;
}
