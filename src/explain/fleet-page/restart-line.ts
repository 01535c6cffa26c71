import { isDnsSubdomain } from '../../engine/policy/dns-subdomain.ts';

/** The workload whose Pods are to be replaced. */
export interface RestartedWorkload {
  readonly namespace: string;
  /** The API group; empty for the core group. */
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}

/** kubectl's words for the kinds that it can restart (kubectl, pkg/polymorphichelpers/objectrestarter.go). */
const RESTARTED_BY_KUBECTL = new Map([
  ['apps/Deployment', 'deployment'],
  ['apps/StatefulSet', 'statefulset'],
  ['apps/DaemonSet', 'daemonset'],
]);

/**
 * The command or the step by which a person replaces the Pods of a workload. Probewright itself never evicts and never
 * restarts. Owners of Pods are named by their authors, so a name goes into a command only if the API server takes it.
 */
export function restartLine({ namespace, group, kind, name }: RestartedWorkload): string {
  const resource = RESTARTED_BY_KUBECTL.get(`${group}/${kind}`);
  const isPlain = isDnsSubdomain(namespace) && isDnsSubdomain(name);
  if (isPlain && resource !== undefined) return `kubectl rollout restart ${resource}/${name} -n ${namespace}`;
  if (isPlain && group === 'argoproj.io' && kind === 'Rollout')
    return `kubectl argo rollouts restart ${name} -n ${namespace}`;
  if (kind === 'Pod') return 'Create the Pod again. No controller replaces it.';
  if (kind === 'ReplicaSet' || kind === 'ReplicationController') {
    return `Delete its Pods one after the other. kubectl rollout restart does not know the kind ${kind}.`;
  }
  return 'Let the controller of the workload replace the Pods. kubectl rollout restart does not know the kind.';
}
