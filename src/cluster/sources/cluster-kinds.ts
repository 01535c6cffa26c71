import type { ApiCollection } from '../client/api-path.ts';
import { BUILT_IN_KINDS } from '../../engine/workload/kinds.ts';

export interface ClusterKind extends ApiCollection {
  readonly group: string;
  readonly kind: string;
  readonly names: readonly string[];
  readonly isNamespaced: boolean;
}

const SHORT_NAMES: Readonly<Record<string, string>> = {
  Pod: 'po',
  Deployment: 'deploy',
  StatefulSet: 'sts',
  DaemonSet: 'ds',
  ReplicaSet: 'rs',
  ReplicationController: 'rc',
  CronJob: 'cj',
};

/** The built-in kinds as every API server since 1.21 has them. */
export const BUILT_IN_CLUSTER_KINDS: readonly ClusterKind[] = BUILT_IN_KINDS.map(({ group, kind }) => {
  const resource = `${kind.toLowerCase()}s`;
  const names = [resource, kind.toLowerCase(), SHORT_NAMES[kind] ?? []].flat();
  return { group, apiVersion: group === '' ? 'v1' : `${group}/v1`, kind, resource, names, isNamespaced: true };
});
