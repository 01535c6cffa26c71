import { isJsonObject, member, objectMember } from '../probes/json.ts';
import type { JsonObject } from '../probes/json.ts';

/** A kind of object that holds a Pod template, and where. */
export interface WorkloadKind {
  /** API group, '' for core. */
  readonly group: string;
  readonly kind: string;
  /** Path of the object that has the Pod's `metadata` and `spec`: [] for a Pod, ['spec', 'template'] for a Deployment. */
  readonly templatePath: readonly string[];
  /** Its Pods are meant to end: Job and CronJob. */
  readonly runsToCompletion: boolean;
}

const TEMPLATE = ['spec', 'template'] as const;

/** The built-in kinds. All of them have had one served version of their Pod template since Kubernetes 1.21. */
export const BUILT_IN_KINDS: readonly WorkloadKind[] = [
  { group: '', kind: 'Pod', templatePath: [], runsToCompletion: false },
  { group: 'apps', kind: 'Deployment', templatePath: TEMPLATE, runsToCompletion: false },
  { group: 'apps', kind: 'StatefulSet', templatePath: TEMPLATE, runsToCompletion: false },
  { group: 'apps', kind: 'DaemonSet', templatePath: TEMPLATE, runsToCompletion: false },
  { group: 'apps', kind: 'ReplicaSet', templatePath: TEMPLATE, runsToCompletion: false },
  { group: '', kind: 'ReplicationController', templatePath: TEMPLATE, runsToCompletion: false },
  { group: 'batch', kind: 'Job', templatePath: TEMPLATE, runsToCompletion: true },
  {
    group: 'batch',
    kind: 'CronJob',
    templatePath: ['spec', 'jobTemplate', 'spec', 'template'],
    runsToCompletion: true,
  },
];

/** The entry for a kind; undefined for kinds that hold no Pod template we know of. */
export function workloadKind(group: string, kind: string): WorkloadKind | undefined {
  return BUILT_IN_KINDS.find((entry) => entry.kind === kind && entry.group === group);
}

/** The entry for a manifest, by its apiVersion and kind. */
export function workloadKindOfManifest(manifest: JsonObject): WorkloadKind | undefined {
  const apiVersion = member(manifest, 'apiVersion');
  const kind = member(manifest, 'kind');
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return undefined;
  const slash = apiVersion.indexOf('/');
  return workloadKind(slash < 0 ? '' : apiVersion.slice(0, slash), kind);
}

/** The object that has the Pod's metadata and spec; undefined when the path leads nowhere or there is no spec. */
export function podTemplateOf(object: JsonObject, kind: WorkloadKind): JsonObject | undefined {
  let current: JsonObject = object;
  for (const step of kind.templatePath) {
    const next = objectMember(current, step);
    if (next === undefined) return undefined;
    current = next;
  }
  return objectMember(current, 'spec') === undefined ? undefined : current;
}

/** True when an owner reference says that a controller looks after the object (`controller: true`). */
export function hasControllerOwner(object: JsonObject): boolean {
  const metadata = objectMember(object, 'metadata');
  const owners = metadata === undefined ? undefined : member(metadata, 'ownerReferences');
  return Array.isArray(owners) && owners.some((owner) => isJsonObject(owner) && owner['controller'] === true);
}

/** True for an object that is being deleted: what is left to do to it is removing finalizers. */
export function isBeingDeleted(object: JsonObject): boolean {
  const metadata = objectMember(object, 'metadata');
  return metadata !== undefined && (member(metadata, 'deletionTimestamp') ?? undefined) !== undefined;
}

/** True for the API server's copy of a static Pod: the kubelet made it, and a refusal would only hide a running Pod. */
export function isMirrorPod(object: JsonObject): boolean {
  const metadata = objectMember(object, 'metadata');
  const annotations = metadata === undefined ? undefined : objectMember(metadata, 'annotations');
  return annotations !== undefined && Object.hasOwn(annotations, 'kubernetes.io/config.mirror');
}
