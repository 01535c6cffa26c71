import type { Cluster } from './cluster.ts';
import { untilProbePath } from './trial-pods.ts';

/** Where the load client's Pods go. */
export const loadNamespace = 'load';

const policy = {
  apiVersion: 'probewright.dev/v1alpha1',
  kind: 'ProbePolicy',
  metadata: { name: 'load', namespace: loadNamespace },
  spec: {
    containers: ['app'],
    kubernetesProbeEndpoints: { startupProbe: '/load', livenessProbe: '/load', readinessProbe: '/load' },
  },
};

/** Makes sure that the namespace and its policy are there, and that the policy counts. */
export async function prepareLoad(cluster: Cluster): Promise<void> {
  await cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: loadNamespace } }, policy);
  await untilProbePath(cluster, loadNamespace, 'livenessProbe', '/load');
}
