import { isJsonObject, listMember, objectMember, stringMember, type JsonObject } from '../../base/json/json-value.ts';
import { groupOfVersion } from './kinds.ts';

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

/** The owners for which Kubernetes' own controllers make objects, by the object's kind. A Node owns static Pods. */
const OWNERS: Readonly<Record<string, readonly string[]>> = {
  Pod: ['ReplicaSet', 'StatefulSet', 'DaemonSet', 'Job', 'ReplicationController', 'Node'],
  ReplicaSet: ['Deployment'],
  Job: ['CronJob'],
};

/** True if a controller can have made the object: of a custom kind, or one that Kubernetes has for the owner. */
export function canHaveController(object: JsonObject, kind: string): boolean {
  const owners = controllerOwners(object);
  const own = Object.hasOwn(OWNERS, kind) ? OWNERS[kind] : undefined;
  return owners.length > 0 && owners.every((owner) => !isKubernetesKind(owner) || own?.includes(owner.kind) === true);
}
