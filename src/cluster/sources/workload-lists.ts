import { hasControllerOwner } from '../../engine/workload/controller-owner.ts';
import { BUILT_IN_KINDS, workloadKind } from '../../engine/workload/kinds.ts';
import type { KubernetesObject } from '../client/kubernetes-object.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { ClusterKind } from './cluster-kinds.ts';

const MADE_BY_CONTROLLERS = ['Pod', 'ReplicaSet', 'Job'];

/** True for a Pod, ReplicaSet or Job of a controller. The controller's object has the template. */
export function isOfController(object: KubernetesObject, { group, kind }: ClusterKind): boolean {
  const isBuiltIn = workloadKind(group, kind, BUILT_IN_KINDS) !== undefined;
  return isBuiltIn && MADE_BY_CONTROLLERS.includes(kind) && hasControllerOwner(object as unknown as JsonObject);
}
