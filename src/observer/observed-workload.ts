import { isRecord } from '../cluster/client/kubernetes-object.ts';
import { rootOf } from '../cluster/sources/cluster-kinds.ts';
import type { KubernetesObject } from '../cluster/client/kubernetes-object.ts';
import type { ClusterKind } from '../cluster/sources/cluster-kinds.ts';
import type { WorkloadKind } from '../engine/workload/kinds.ts';
import type { WorkloadName } from './workload-key.ts';

/** A kind of workload that is observed: how the cluster serves the kind, and where its Pod templates are. */
export interface ObservedKind {
  readonly served: Pick<ClusterKind, 'group' | 'apiVersion' | 'kind' | 'resource'>;
  readonly templates: WorkloadKind;
}

/** A workload as reports refer to it. */
export interface ObservedWorkload extends WorkloadName {
  readonly apiVersion: string;
  readonly uid: string;
}

/** The path of the collection: `/apis/apps/v1/namespaces/shop/deployments`. Without a namespace: of all namespaces. */
export function collectionOf({ served: { apiVersion, resource } }: ObservedKind, namespace?: string): string {
  const scope = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${rootOf(apiVersion)}${scope}/${resource}`;
}

/** Reads which workload an object is. Undefined for an object without a namespace or a UID, which has no report. */
export function workloadOf(
  { metadata }: KubernetesObject,
  { served: { group, apiVersion, kind } }: ObservedKind,
): ObservedWorkload | undefined {
  const { namespace, name, uid } = metadata;
  if (typeof namespace !== 'string' || typeof uid !== 'string' || uid === '') return undefined;
  return { apiVersion, group, kind, namespace, name, uid };
}

/**
 * The version of an object as a number, to compare two states of one object. The API server's versions are numbers of
 * etcd. NaN for a version that is no number: then the newer message counts.
 */
export function versionOf(object: unknown): number {
  const metadata = isRecord(object) ? object['metadata'] : undefined;
  const version = isRecord(metadata) ? metadata['resourceVersion'] : undefined;
  return typeof version === 'string' && /^\d+$/.test(version) ? Number(version) : NaN;
}
