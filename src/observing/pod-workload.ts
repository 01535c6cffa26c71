import { objectMember, stringMember } from '../json/json-value.ts';
import { hasControllerOwner } from '../workload/kinds.ts';
import { workloadOfPod } from '../workload/workload-of-pod.ts';
import type { JsonObject } from '../json/json-value.ts';
import type { WorkloadName } from './workload-key.ts';

/**
 * The workload to which findings about a Pod belong: its Deployment, its controller, or the Pod itself. Undefined for a
 * static Pod, which the kubelet runs from a file of the node.
 */
export function workloadNameOfPod(pod: JsonObject): WorkloadName | undefined {
  const metadata = objectMember(pod, 'metadata') ?? {};
  const [namespace, name] = [stringMember(metadata, 'namespace'), stringMember(metadata, 'name')];
  if (namespace === undefined || name === undefined) return undefined;
  const owner = workloadOfPod(pod);
  if (owner === undefined) return hasControllerOwner(pod) ? undefined : { namespace, group: '', kind: 'Pod', name };
  const slash = owner.apiVersion.indexOf('/');
  return { namespace, group: slash < 0 ? '' : owner.apiVersion.slice(0, slash), kind: owner.kind, name: owner.name };
}
