import { objectMember, stringMember } from '../base/json/json-value.ts';
import { hasControllerOwner } from '../engine/workload/controller-owner.ts';
import { isDnsSubdomain } from '../engine/policy/dns-subdomain.ts';
import { workloadOfPod } from '../engine/workload/workload-of-pod.ts';
import type { JsonObject } from '../base/json/json-value.ts';
import type { WorkloadReference } from '../engine/workload/workload-of-pod.ts';
import type { WorkloadName } from './workload-key.ts';

/** A kind, and a version with or without a group, no longer than a definition may have them. */
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

/**
 * The workload to which findings about a Pod belong: its Deployment, its controller, or the Pod itself. Undefined for a
 * static Pod, which the kubelet runs from a file of the node.
 */
export function workloadNameOfPod(pod: JsonObject): WorkloadName | undefined {
  const metadata = objectMember(pod, 'metadata') ?? {};
  const [namespace, name] = [stringMember(metadata, 'namespace'), stringMember(metadata, 'name')];
  if (namespace === undefined || name === undefined) return undefined;
  const owner = controllerOfPod(pod);
  if (owner === undefined) return hasControllerOwner(pod) ? undefined : { namespace, group: '', kind: 'Pod', name };
  const slash = owner.apiVersion.indexOf('/');
  return { namespace, group: slash < 0 ? '' : owner.apiVersion.slice(0, slash), kind: owner.kind, name: owner.name };
}
