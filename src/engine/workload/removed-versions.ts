import { stringMember, type JsonObject } from '../../base/json/json-value.ts';

/** An API version of a workload that Kubernetes no longer serves. */
export interface RemovedVersion {
  readonly apiVersion: string;
  readonly kinds: readonly string[];
  /** The first release of Kubernetes without the version. */
  readonly removedIn: string;
  /** The apiVersion to write instead. */
  readonly today: string;
}

/** Kubernetes documentation, "Deprecated API Migration Guide"; kubernetes#96987 for batch/v2alpha1. */
const REMOVED_VERSIONS: readonly RemovedVersion[] = (
  [
    ['extensions/v1beta1', 'DaemonSet Deployment ReplicaSet', '1.16', 'apps/v1'],
    ['apps/v1beta1', 'Deployment StatefulSet', '1.16', 'apps/v1'],
    ['apps/v1beta2', 'DaemonSet Deployment ReplicaSet StatefulSet', '1.16', 'apps/v1'],
    ['batch/v1beta1', 'CronJob', '1.25', 'batch/v1'],
    ['batch/v2alpha1', 'CronJob', '1.21', 'batch/v1'],
  ] as const
).map(([apiVersion, kinds, removedIn, today]) => ({ apiVersion, kinds: kinds.split(' '), removedIn, today }));

/** Returns the removed version in which a manifest is written. Undefined for all other manifests. */
export function removedVersionOf(manifest: JsonObject): RemovedVersion | undefined {
  const apiVersion = stringMember(manifest, 'apiVersion');
  const kind = stringMember(manifest, 'kind');
  if (kind === undefined) return undefined;
  return REMOVED_VERSIONS.find((entry) => entry.apiVersion === apiVersion && entry.kinds.includes(kind));
}
