import { textAt } from '../base/json/field-path.ts';
import type { JsonObject } from '../base/json/json-value.ts';
import type { ApiRequests } from '../cluster/client/api-client.ts';
import type { KubernetesObject } from '../cluster/client/kubernetes-object.ts';
import { isDnsSubdomain } from '../engine/policy/object-names.ts';
import { discoverKinds } from '../cluster/sources/discovery.ts';
import type { ClusterKind } from '../cluster/sources/cluster-kinds.ts';
import { hasControllerOwner, workloadOfPod, type WorkloadReference } from '../engine/workload/workload-of-pod.ts';
import { BUILT_IN_KINDS, groupOfVersion, POD_KIND, workloadKind, type WorkloadKind } from '../engine/workload/kinds.ts';
import { rolloutHold, type RestartedWorkload } from '../explain/fleet-page/restart-line.ts';

/** A workload by its name. The UID of a Deployment cannot be read from its Pods: they name the ReplicaSet. */
export type NamedObject = RestartedWorkload;

export function workloadKey({ namespace, group, kind, name }: NamedObject): string {
  return `${namespace}/${group}/${kind}/${name}`;
}

export interface ObservedWorkload extends NamedObject {
  readonly apiVersion: string;
  readonly uid: string;
}

/** A kind of workload that is observed: how the cluster serves the kind, and where its Pod templates are. */
export interface ObservedKind {
  readonly served: ClusterKind;
  readonly templates: WorkloadKind;
}

/** Pods. The watch of Pods finds those without a controller. */
export const OBSERVED_POD: ObservedKind = {
  served: { group: '', apiVersion: 'v1', kind: 'Pod', resource: 'pods', names: [], isNamespaced: true },
  templates: POD_KIND,
};

/** Selects the Pods that have not succeeded. A Pod that has succeeded starts nothing, and has no verdict. */
export const LIVE_PODS = 'status.phase!=Succeeded';

/** The kinds of workloads that the API server has now. Rejects as discoverKinds does. */
export async function observedKinds(
  client: ApiRequests,
  known: readonly WorkloadKind[],
): Promise<{ readonly kinds: readonly ObservedKind[]; readonly problems: readonly string[] }> {
  const { kinds, problems } = await discoverKinds(client, known);
  const observed = kinds.flatMap((served): ObservedKind[] => {
    const templates = workloadKind(served.group, served.kind, known);
    return templates === undefined ? [] : [{ served, templates }];
  });
  return { kinds: observed, problems };
}

/** Reads which workload an object is. Undefined for an object without a namespace or a UID, which has no report. */
export function workloadOf(
  object: KubernetesObject,
  { served: { group, apiVersion, kind } }: ObservedKind,
): ObservedWorkload | undefined {
  const { namespace, name, uid } = object.metadata;
  if (typeof namespace !== 'string' || typeof uid !== 'string' || uid === '') return undefined;
  const hold = rolloutHold(object as unknown as JsonObject);
  return { apiVersion, group, kind, namespace, name, uid, hold };
}

/** The resourceVersion: a number of etcd. NaN for any other text: then the newer message counts. */
export function versionOf({ metadata: { resourceVersion = '' } }: KubernetesObject): number {
  return /^\d+$/.test(resourceVersion) ? Number(resourceVersion) : NaN;
}

const KIND = /^[A-Za-z][A-Za-z0-9]{0,62}$/;
const API_VERSION = /^[a-z0-9.-]{0,253}\/?[a-z0-9]{1,63}$/;

/**
 * The controller of a Pod, or its Deployment or Rollout. Who writes a Pod writes the reference. The API server
 * takes any text as a name. A reference that can name no object counts as absent, because requests for it would fail.
 */
export function controllerOfPod(pod: JsonObject): WorkloadReference | undefined {
  const owner = workloadOfPod(pod);
  if (owner === undefined || !isDnsSubdomain(owner.name)) return undefined;
  return KIND.test(owner.kind) && API_VERSION.test(owner.apiVersion) ? owner : undefined;
}

/** A Pod's Deployment, its controller, or itself. Undefined for a static Pod, which the kubelet runs from a file. */
export function workloadNameOfPod(pod: JsonObject): NamedObject | undefined {
  const [namespace, name] = [textAt(pod, 'metadata', 'namespace'), textAt(pod, 'metadata', 'name')];
  if (namespace === undefined || name === undefined) return undefined;
  const owner = controllerOfPod(pod);
  if (owner === undefined) return hasControllerOwner(pod) ? undefined : { namespace, group: '', kind: 'Pod', name };
  return { namespace, group: groupOfVersion(owner.apiVersion), kind: owner.kind, name: owner.name };
}

const MADE_BY_CONTROLLERS = ['Pod', 'ReplicaSet', 'Job'];

/** True for a Pod, ReplicaSet or Job of a controller. The controller's object has the template. */
export function isOfController(object: KubernetesObject, { group, kind }: ClusterKind): boolean {
  const isBuiltIn = workloadKind(group, kind, BUILT_IN_KINDS) !== undefined;
  return isBuiltIn && MADE_BY_CONTROLLERS.includes(kind) && hasControllerOwner(object as unknown as JsonObject);
}
