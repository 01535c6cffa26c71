import { isJsonObject, member, objectMember, stringMember, type JsonObject } from '../base/json/json-value.ts';

/** A Pod of 1.4 MB has thousands of containers. Only so many are looked at. */
export const MOST_CONTAINERS = 100;

/** An RFC 3339 field in milliseconds since the epoch; undefined for anything else. */
export function instantOf(object: JsonObject, field: string): number | undefined {
  const at = Date.parse(stringMember(object, field) ?? '');
  return Number.isNaN(at) ? undefined : at;
}

/** A member of a Pod's metadata as text, or ''. */
export function metadataOf(pod: JsonObject, field: 'name' | 'namespace' | 'uid'): string {
  return stringMember(objectMember(pod, 'metadata') ?? {}, field) ?? '';
}

export interface PodCondition {
  readonly isTrue: boolean;
  readonly since: number | undefined;
}

export function conditionOf(pod: JsonObject, type: string): PodCondition | undefined {
  const conditions = member(objectMember(pod, 'status') ?? {}, 'conditions');
  const found = (Array.isArray(conditions) ? (conditions as unknown[]) : []).find(
    (one): one is JsonObject => isJsonObject(one) && one['type'] === type,
  );
  return found && { isTrue: found['status'] === 'True', since: instantOf(found, 'lastTransitionTime') };
}

/** The statuses of a Pod's containers, by name. A name is unique among all containers of a Pod. */
export function containerStatuses(pod: JsonObject): ReadonlyMap<string, JsonObject> {
  const status = objectMember(pod, 'status') ?? {};
  const found = new Map<string, JsonObject>();
  for (const list of ['initContainerStatuses', 'containerStatuses']) {
    const entries = member(status, list);
    for (const entry of Array.isArray(entries) ? (entries as unknown[]) : []) {
      const name = isJsonObject(entry) ? stringMember(entry, 'name') : undefined;
      if (isJsonObject(entry) && name !== undefined) found.set(name, entry);
    }
  }
  return found;
}

export function stateOf(
  status: JsonObject,
  when: 'state' | 'lastState',
  which: 'running' | 'terminated',
): JsonObject | undefined {
  return objectMember(objectMember(status, when) ?? {}, which);
}
