import { objectMember, stringMember, type JsonObject, isJsonObject, listMember } from '../../base/json/json-value.ts';
import { isPod, type WorkloadKind, groupOfVersion } from './kinds.ts';

export type WorkloadName = Pick<WorkloadReference, 'kind' | 'name'>;

/** The labels with which controllers mark the Pods of a ReplicaSet, and the kind that owns such ReplicaSets. */
const HASH_LABELS = [
  { label: 'pod-template-hash', apiVersion: 'apps/v1', kind: 'Deployment' },
  { label: 'rollouts-pod-template-hash', apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout' },
] as const;

/**
 * The workload of a Pod, from the Pod alone: its controller, and for a ReplicaSet `<name>-<hash>` the Deployment or
 * Rollout. Undefined without a controller, and for the API server's copy of a static Pod, which a Node owns.
 */
export function workloadOfPod(pod: JsonObject): WorkloadReference | undefined {
  const [owner] = controllerOwners(pod);
  if (owner === undefined || owner.name === '' || owner.kind === '' || owner.kind === 'Node') return undefined;
  const { apiVersion, kind, name } = owner;
  if (kind !== 'ReplicaSet' || !apiVersion.startsWith('apps/')) return owner;
  const labels = objectMember(objectMember(pod, 'metadata') ?? {}, 'labels') ?? {};
  for (const { label, ...above } of HASH_LABELS) {
    const hash = stringMember(labels, label);
    const suffix = `-${hash ?? ''}`;
    if (hash && name.endsWith(suffix) && name.length > suffix.length)
      return { ...above, name: name.slice(0, -suffix.length) };
  }
  return owner;
}

/** The names in an object's metadata. A Pod that a controller creates has no name yet, only the beginning of one. */
export function namesOf(object: JsonObject): Record<'name' | 'namespace' | 'generateName', string | undefined> {
  const metadata = objectMember(object, 'metadata') ?? {};
  const text = (field: string): string | undefined => stringMember(metadata, field);
  return { name: text('name'), namespace: text('namespace'), generateName: text('generateName') };
}

/** The name of an object as messages write it: a generated name is its beginning and a star. */
export function shownNameOf(object: JsonObject): string {
  const { name, generateName = '' } = namesOf(object);
  return name ?? `${generateName}*`;
}

/** The object itself; for a Pod, its controller's workload, if the reference can be trusted. */
export function workloadNameOf(
  object: JsonObject,
  kind: WorkloadKind,
  isControlled: boolean,
): WorkloadName | undefined {
  if (isPod(kind)) return isControlled ? workloadOfPod(object) : undefined;
  const { name } = namesOf(object);
  return name === undefined ? undefined : { kind: kind.kind, name };
}

/**
 * The workloads of a Pod: its workload, and the CronJob that made a Job (`<name>-<scheduled minute>`). Anyone can write
 * the reference, so ask only for Pods of trusted requesters.
 */
export function controllersOfPod(pod: JsonObject): readonly WorkloadName[] {
  const workload = workloadOfPod(pod);
  if (workload === undefined) return [];
  const cronJob = workload.kind === 'Job' ? cronJobOfJob(workload.name) : undefined;
  return cronJob === undefined ? [workload] : [workload, { kind: 'CronJob', name: cronJob }];
}

/** The CronJob that may have made a Job of this name. */
export function cronJobOfJob(name: string): string | undefined {
  return /^(.+)-[0-9]+$/.exec(name)?.[1];
}

/** The workload that an object belongs to. Each member is '' if the reference lacks it. */
export type WorkloadReference = Readonly<Record<'apiVersion' | 'kind' | 'name', string>>;

/** True when an owner reference names a controller. Anybody may write it: only the requester tells if it is true. */
export function hasControllerOwner(object: JsonObject): boolean {
  return controllerOwners(object).length > 0;
}

/** The controllers that an object names. The API server accepts one, but a webhook sees the object before that. */
export function controllerOwners(object: JsonObject): readonly WorkloadReference[] {
  const owners = listMember(objectMember(object, 'metadata') ?? {}, 'ownerReferences');
  return owners.flatMap((owner) => {
    if (!isJsonObject(owner) || owner['controller'] !== true) return [];
    const text = (field: string): string => stringMember(owner, field) ?? '';
    return [{ apiVersion: text('apiVersion'), kind: text('kind'), name: text('name') }];
  });
}

/**
 * True for a kind of Kubernetes itself. The group of a custom kind has a dot, and a group below k8s.io needs an
 * approval (apiextensions-apiserver, validation.go and the annotation api-approved.kubernetes.io).
 */
export function isKubernetesKind({ apiVersion }: WorkloadReference): boolean {
  const group = groupOfVersion(apiVersion);
  return !group.includes('.') || group.endsWith('.k8s.io');
}

/**
 * What Kubernetes' own controllers make for an owner: `controllerKind` in deployment, replicaset, statefulset, daemon,
 * job, cronjob and replication of kubernetes/pkg/controller.
 */
export const MADE_FOR: ReadonlyMap<string, string> = new Map([
  ['apps/Deployment', 'apps/ReplicaSet'],
  ['batch/CronJob', 'batch/Job'],
  ...['apps/ReplicaSet', 'apps/StatefulSet', 'apps/DaemonSet', 'batch/Job', '/ReplicationController'].map(
    (owner) => [owner, '/Pod'] as const,
  ),
]);

/** True if a controller of Kubernetes makes objects of the kind for the owner: Pods for a Job, none for a CronJob. */
export function isMadeByKubernetes(
  { apiVersion, kind: owner }: WorkloadReference,
  { group, kind }: Readonly<Record<'group' | 'kind', string>>,
): boolean {
  return MADE_FOR.get(`${groupOfVersion(apiVersion)}/${owner}`) === `${group}/${kind}`;
}
