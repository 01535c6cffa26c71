import { valueAt, valuesAt } from '../../base/json/field-path.ts';
import { isJsonObject, isPresent, member, objectMember, stringMember } from '../../base/json/json-value.ts';
import type { JsonObject } from '../../base/json/json-value.ts';

export interface WorkloadKind {
  readonly group: string;
  readonly kind: string;
  /**
   * Paths of the objects with the Pods' `metadata` and `spec`: [] for a Pod, ['spec', 'template'] for a Deployment. '*'
   * stands for every element of a list.
   */
  readonly templatePaths: readonly (readonly string[])[];
  readonly runsToCompletion: boolean;
  /** The port that the kind's own controller gives a probe without one, when the container declares no port. */
  readonly defaultProbePort?: number | undefined;
}

/** Makes an entry. `path` is a template's path with dots; several are separated by blanks. */
function kindEntry(group: string, kind: string, path = 'spec.template', runsToCompletion = false): WorkloadKind {
  const templatePaths = path.split(' ').map((each) => each.split('.').filter((step) => step !== ''));
  return { group, kind, templatePaths, runsToCompletion };
}

export const POD_KIND: WorkloadKind = kindEntry('', 'Pod', '');

/** The built-in kinds. All of them have had one served version of their Pod template since Kubernetes 1.21. */
export const BUILT_IN_KINDS: readonly WorkloadKind[] = [
  POD_KIND,
  kindEntry('apps', 'Deployment'),
  kindEntry('apps', 'StatefulSet'),
  kindEntry('apps', 'DaemonSet'),
  kindEntry('apps', 'ReplicaSet'),
  kindEntry('', 'ReplicationController'),
  // A template that stands alone: nothing in Kubernetes itself makes Pods of it, and its restartPolicy may be any.
  kindEntry('', 'PodTemplate', 'template'),
  kindEntry('batch', 'Job', 'spec.template', true),
  kindEntry('batch', 'CronJob', 'spec.jobTemplate.spec.template', true),
];

export function isPod({ group, kind }: Partial<Pick<WorkloadKind, 'group' | 'kind'>>): boolean {
  return group === '' && kind === 'Pod';
}

/** True for a built-in kind of which the API server fixes the restartPolicy: its Pods run for ever, or have to end. */
export function hasFixedRestartPolicy(kind: WorkloadKind): boolean {
  return workloadKind(kind.group, kind.kind, BUILT_IN_KINDS) !== undefined && !mayEnd(kind);
}

/** True for a Pod, and for a template that stands alone: no controller replaces what has ended. */
export function mayEnd(kind: WorkloadKind): boolean {
  return isPod(kind) || (kind.group === '' && kind.kind === 'PodTemplate');
}

/** True for the built-in Deployment, which alone has a progressDeadlineSeconds that we know. */
export function isDeployment({ group, kind }: WorkloadKind): boolean {
  return group === 'apps' && kind === 'Deployment';
}

export function workloadKind(group: string, kind: string, kinds: readonly WorkloadKind[]): WorkloadKind | undefined {
  return kinds.find((entry) => entry.kind === kind && entry.group === group);
}

/** The entry for a manifest, by its apiVersion and kind. A version that Kubernetes has removed counts as today's. */
export function workloadKindOfManifest(manifest: JsonObject, kinds: readonly WorkloadKind[]): WorkloadKind | undefined {
  const apiVersion = removedVersionOf(manifest)?.today ?? member(manifest, 'apiVersion');
  const kind = member(manifest, 'kind');
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return undefined;
  return workloadKind(groupOfVersion(apiVersion), kind, kinds);
}

/** The API group of an apiVersion; empty for the core group. */
export function groupOfVersion(apiVersion: string): string {
  return apiVersion.slice(0, Math.max(0, apiVersion.indexOf('/')));
}

export interface PlacedTemplate {
  readonly template: JsonObject;
  readonly path: readonly (string | number)[];
}

/** The Pod templates of an object; places that are missing or have no spec are left out. */
export function podTemplatesOf(object: JsonObject, kind: WorkloadKind): PlacedTemplate[] {
  const found = kind.templatePaths.flatMap((pattern) => valuesAt(object, pattern));
  return found.flatMap(({ value, path }) =>
    isJsonObject(value) && objectMember(value, 'spec') !== undefined ? [{ template: value, path }] : [],
  );
}

/** True for kinds such as JobSet, of which one object may have several templates. */
export function mayHoldSeveralTemplates({ templatePaths }: WorkloadKind): boolean {
  return templatePaths.length > 1 || templatePaths.some((path) => path.includes('*'));
}

/** The name of a template in its object: its path, with list elements by name, because their numbers shift. */
export function templateName(object: JsonObject, path: PlacedTemplate['path']): string {
  let value: unknown = object;
  const steps = path.map((step) => {
    value = valueAt(value, [step]);
    return typeof step === 'number' && isJsonObject(value) ? (stringMember(value, 'name') ?? step) : step;
  });
  return steps.join('.');
}

/** True for an object that is being deleted: only its finalizers are still to be removed. */
export function isBeingDeleted(object: JsonObject): boolean {
  return isPresent(member(objectMember(object, 'metadata') ?? {}, 'deletionTimestamp'));
}

/** Marks the API server's copy of a static Pod. Only the presence of the annotation matters. */
export const MIRROR_POD_ANNOTATION = 'kubernetes.io/config.mirror';

/** True for the API server's copy of a static Pod: the Pod runs already, and a refusal would only hide it. */
function isMirrorPod(object: JsonObject): boolean {
  const annotations = objectMember(objectMember(object, 'metadata') ?? {}, 'annotations') ?? {};
  return Object.hasOwn(annotations, MIRROR_POD_ANNOTATION);
}

/** Why an object of a known kind is allowed without a look at its probes. */
export type UntouchedReason = 'being-deleted' | 'controller-owned' | 'mirror-pod' | 'no-pod-template';

/**
 * An object's Pod templates, or why the object is allowed without a look; the same in the webhook and offline.
 *
 * @param isControlled a trusted controller made the object from an owner that has been judged already
 */
export function templatesToLookAt(
  object: JsonObject,
  kind: WorkloadKind,
  isControlled = false,
):
  | { readonly kind: 'checked'; readonly templates: readonly PlacedTemplate[] }
  | { readonly kind: 'skipped'; readonly reason: UntouchedReason } {
  // A refused update would keep the finalizers of an object that is being deleted, and so the object, for ever.
  if (isBeingDeleted(object)) return { kind: 'skipped', reason: 'being-deleted' };
  if (isControlled && !isPod(kind)) return { kind: 'skipped', reason: 'controller-owned' };
  if (isPod(kind) && isMirrorPod(object)) return { kind: 'skipped', reason: 'mirror-pod' };
  const templates = podTemplatesOf(object, kind);
  return templates.length === 0 ? { kind: 'skipped', reason: 'no-pod-template' } : { kind: 'checked', templates };
}

/**
 * Removed versions, the first release of Kubernetes without them, and the versions of today (Kubernetes documentation,
 * "Deprecated API Migration Guide"; kubernetes#96987 for batch/v2alpha1).
 */
const REMOVED_VERSIONS = [
  { apiVersion: 'extensions/v1beta1', kinds: 'DaemonSet Deployment ReplicaSet', removedIn: '1.16', today: 'apps/v1' },
  { apiVersion: 'apps/v1beta1', kinds: 'Deployment StatefulSet', removedIn: '1.16', today: 'apps/v1' },
  {
    apiVersion: 'apps/v1beta2',
    kinds: 'DaemonSet Deployment ReplicaSet StatefulSet',
    removedIn: '1.16',
    today: 'apps/v1',
  },
  { apiVersion: 'batch/v1beta1', kinds: 'CronJob', removedIn: '1.25', today: 'batch/v1' },
  { apiVersion: 'batch/v2alpha1', kinds: 'CronJob', removedIn: '1.21', today: 'batch/v1' },
] as const;

/** Returns the removed version in which a manifest is written. Undefined for all other manifests. */
export function removedVersionOf(manifest: JsonObject): (typeof REMOVED_VERSIONS)[number] | undefined {
  const apiVersion = member(manifest, 'apiVersion');
  const kind = stringMember(manifest, 'kind') ?? '';
  return REMOVED_VERSIONS.find((entry) => entry.apiVersion === apiVersion && entry.kinds.split(' ').includes(kind));
}

/** Widely used custom kinds. In a cluster a webhook rule has to send them; offline they need no configuration. */
export const READY_MADE_KINDS: readonly WorkloadKind[] = [
  kindEntry('argoproj.io', 'Rollout'),
  kindEntry('apps.kruise.io', 'CloneSet'),
  { ...kindEntry('serving.knative.dev', 'Service'), defaultProbePort: 8080 },
  kindEntry('keda.sh', 'ScaledJob', 'spec.jobTargetRef.template', true),
  kindEntry('jobset.x-k8s.io', 'JobSet', 'spec.replicatedJobs.*.template.spec.template', true),
  kindEntry(
    'leaderworkerset.x-k8s.io',
    'LeaderWorkerSet',
    'spec.leaderWorkerTemplate.leaderTemplate spec.leaderWorkerTemplate.workerTemplate',
  ),
];

/** True for a kind that nobody configured. An entry of a file replaces the ready-made kind. */
export function isReadyMade(kind: WorkloadKind): boolean {
  return READY_MADE_KINDS.includes(kind);
}

/** Every kind that is known without configuration. */
export const KNOWN_KINDS: readonly WorkloadKind[] = [...BUILT_IN_KINDS, ...READY_MADE_KINDS];
