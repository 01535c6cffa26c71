import { isJsonObject, member, objectMember, stringMember } from '../../json/json-value.ts';
import type { ApiClient } from '../../kubernetes/api-client.ts';
import type { JsonObject } from '../../json/json-value.ts';

/** When each policy's spec last changed, in milliseconds since the epoch, by the source of its layer. */
export type PolicyTimes = ReadonlyMap<string, number>;

const COLLECTIONS = [
  { kind: 'ProbePolicy', path: '/apis/probewright.dev/v1alpha1/probepolicies' },
  { kind: 'ClusterProbePolicy', path: '/apis/probewright.dev/v1alpha1/clusterprobepolicies' },
] as const;

const METADATA_LIST = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';

/** Reads the times of all policies of a cluster: metadata alone, in pages. */
export async function readPolicyTimes(client: Pick<ApiClient, 'request'>): Promise<PolicyTimes> {
  const times = new Map<string, number>();
  for (const { kind, path } of COLLECTIONS) {
    let next: string | undefined;
    do {
      const query = { limit: '500', ...(next !== undefined && { continue: next }) };
      const list = await client.request({ method: 'GET', path, query, accept: METADATA_LIST });
      if (!isJsonObject(list)) break;
      const items = member(list, 'items');
      for (const item of Array.isArray(items) ? (items as unknown[]) : []) {
        const metadata = isJsonObject(item) ? objectMember(item, 'metadata') : undefined;
        if (metadata !== undefined) addTime(times, kind, metadata);
      }
      next = stringMember(objectMember(list, 'metadata') ?? {}, 'continue');
    } while (next !== undefined && next !== '');
  }
  return times;
}

function addTime(times: Map<string, number>, kind: string, metadata: JsonObject): void {
  const [namespace, name] = [stringMember(metadata, 'namespace'), stringMember(metadata, 'name')];
  const at = specChangedAt(metadata);
  if (name !== undefined && at !== undefined) {
    times.set([kind, ...(namespace === undefined ? [] : [namespace]), name].join('/'), at);
  }
}

/**
 * When the spec of an object last changed. The API server counts changes of the spec in `generation`, and dates the
 * last write of each manager in `managedFields`. A writer of the spec may have changed labels later, so the time is an
 * upper bound. Undefined when the API server does not tell.
 */
export function specChangedAt(metadata: JsonObject): number | undefined {
  const created = time(metadata, 'creationTimestamp');
  if (metadata['generation'] === 1) return created;
  const fields = member(metadata, 'managedFields');
  const times = (Array.isArray(fields) ? (fields as unknown[]) : []).flatMap((entry) => {
    if (!isJsonObject(entry) || (entry['subresource'] ?? '') !== '') return [];
    const ofSpec = Object.hasOwn(objectMember(entry, 'fieldsV1') ?? {}, 'f:spec');
    return ofSpec ? (time(entry, 'time') ?? []) : [];
  });
  return times.length === 0 ? undefined : Math.max(...times);
}

function time(object: JsonObject, field: string): number | undefined {
  const at = Date.parse(stringMember(object, field) ?? '');
  return Number.isNaN(at) ? undefined : at;
}
