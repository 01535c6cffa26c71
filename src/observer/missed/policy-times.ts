import { objectsAt } from '../../base/json/field-path.ts';
import { objectMember, type JsonObject } from '../../base/json/json-value.ts';
import { METADATA_LIST, PagedList } from '../../cluster/client/paged-list.ts';
import { instantOf } from '../live-pod.ts';
import { policySource } from '../../engine/policy/probe-policy.ts';
import type { ApiClient } from '../../cluster/client/api-client.ts';

export interface PolicyTime {
  readonly generation: number;
  /** In milliseconds since the epoch; undefined when it is not known. */
  readonly at: number | undefined;
}

export type PolicyTimes = ReadonlyMap<string, PolicyTime>;

/**
 * The times of a reading, with what the reading before tells. API servers before 1.21 do not date a second write of the
 * same fields: a generation that has grown between two readings has changed by the time of the second one.
 */
export function laterTimes(before: PolicyTimes, next: PolicyTimes, readAt: number): PolicyTimes {
  return new Map(
    [...next].map(([source, { generation, at }]) => {
      const known = before.get(source);
      if (known === undefined || (at !== undefined && at > (known.at ?? -Infinity)))
        return [source, { generation, at }];
      return [source, { generation, at: generation > known.generation ? readAt : known.at }];
    }),
  );
}

const COLLECTIONS = [
  { kind: 'ProbePolicy', path: '/apis/probewright.dev/v1alpha1/probepolicies' },
  { kind: 'ClusterProbePolicy', path: '/apis/probewright.dev/v1alpha1/clusterprobepolicies' },
] as const;

export async function readPolicyTimes(client: Pick<ApiClient, 'measured'>): Promise<PolicyTimes> {
  const times = new Map<string, PolicyTime>();
  for (const { kind, path } of COLLECTIONS)
    await new PagedList(client).forEachPage({ path, accept: METADATA_LIST, keepsManagedFields: true }, ({ items }) => {
      for (const { metadata } of items) {
        const { namespace, name, generation = 0 } = metadata;
        times.set(policySource(kind, namespace, name), {
          generation,
          at: specChangedAt(metadata as unknown as JsonObject),
        });
      }
    });
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
