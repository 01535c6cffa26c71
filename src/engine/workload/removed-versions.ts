import { stringMember } from '../../base/json/json-value.ts';
import type { JsonObject } from '../../base/json/json-value.ts';

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
const REMOVED_VERSIONS: readonly RemovedVersion[] = [
  {
    apiVersion: 'extensions/v1beta1',
    kinds: ['DaemonSet', 'Deployment', 'ReplicaSet'],
    removedIn: '1.16',
    today: 'apps/v1',
  },
  { apiVersion: 'apps/v1beta1', kinds: ['Deployment', 'StatefulSet'], removedIn: '1.16', today: 'apps/v1' },
  {
    apiVersion: 'apps/v1beta2',
    kinds: ['DaemonSet', 'Deployment', 'ReplicaSet', 'StatefulSet'],
    removedIn: '1.16',
    today: 'apps/v1',
  },
  { apiVersion: 'batch/v1beta1', kinds: ['CronJob'], removedIn: '1.25', today: 'batch/v1' },
  { apiVersion: 'batch/v2alpha1', kinds: ['CronJob'], removedIn: '1.21', today: 'batch/v1' },
];

/** Returns the removed version in which a manifest is written. Undefined for all other manifests. */
export function removedVersionOf(manifest: JsonObject): RemovedVersion | undefined {
  const apiVersion = stringMember(manifest, 'apiVersion');
  const kind = stringMember(manifest, 'kind');
  if (kind === undefined) return undefined;
  return REMOVED_VERSIONS.find((entry) => entry.apiVersion === apiVersion && entry.kinds.includes(kind));
}
