import { policyDocument } from '../support/worlds.ts';
import type { Cluster } from './cluster.ts';
import { untilProbePath } from './trial-pods.ts';

/** Where the load client's Pods go. */
export const loadNamespace = 'load';

const endpoints = { startupProbe: '/load', livenessProbe: '/load', readinessProbe: '/load' };
const policy = policyDocument({ containers: ['app'], kubernetesProbeEndpoints: endpoints }, 'load', loadNamespace);

/** Makes sure that the namespace and its policy are there, and that the policy counts. */
export async function prepareLoad(cluster: Cluster): Promise<void> {
  await cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: loadNamespace } }, policy);
  await untilProbePath(cluster, loadNamespace, 'livenessProbe', '/load');
}
