import { collectionPath, POLICY_COLLECTIONS } from '../../cluster/client/api-path.ts';
import { objectsAt } from '../../base/json/field-path.ts';
import { objectMember, type JsonObject } from '../../base/json/json-value.ts';
import { METADATA_LIST, PagedList } from '../../cluster/client/paged-list.ts';
import { instantOf } from '../live-pod.ts';
import { policySource } from '../../engine/policy/probe-policy.ts';
import type { ApiClient } from '../../cluster/client/api-client.ts';

/** When the spec of each policy last changed, in milliseconds since the epoch; undefined when that is not known. */
export type PolicyTimes = ReadonlyMap<string, number | undefined>;

const KINDS = ['ProbePolicy', 'ClusterProbePolicy'] as const;

export async function readPolicyTimes(client: Pick<ApiClient, 'measured'>): Promise<PolicyTimes> {
  const times = new Map<string, number | undefined>();
  for (const kind of KINDS) {
    const request = { path: collectionPath(POLICY_COLLECTIONS[kind]), accept: METADATA_LIST, keepsManagedFields: true };
    await new PagedList(client).forEachPage(request, ({ items }) => {
      for (const { metadata } of items)
        times.set(
          policySource(kind, metadata.namespace, metadata.name),
          specChangedAt(metadata as unknown as JsonObject),
        );
    });
  }
  return times;
}

/**
 * When the spec of an object last changed. The API server counts changes of the spec in `generation`, and dates the
 * last write of each manager in `managedFields`. A writer of the spec may have changed labels later, so the time is an
 * upper bound. Undefined when the API server does not tell.
 */
export function specChangedAt(metadata: JsonObject): number | undefined {
  const created = instantOf(metadata, 'creationTimestamp');
  if (metadata['generation'] === 1) return created;
  const times = objectsAt(metadata, 'managedFields').flatMap((entry) => {
    if ((entry['subresource'] ?? '') !== '') return [];
    const ofSpec = Object.hasOwn(objectMember(entry, 'fieldsV1') ?? {}, 'f:spec');
    return ofSpec ? (instantOf(entry, 'time') ?? []) : [];
  });
  const last = Math.max(...times);
  // Another generation than the first one, and no write since the creation: this server does not date all writes.
  return last === created || times.length === 0 ? undefined : last;
}
