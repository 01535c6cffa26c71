import { CHECK_CATALOGUE } from '../src/engine/checks/catalogue.ts';

const API_VERSION = 'probewright.dev/v1alpha1';

/** The namespace of the captured reviews. */
export const NAMESPACE = 'apps';

/** Fifty policies as a platform has them: what counts everywhere, and what teams say of their own namespaces. */
export function fiftyPolicies(): object[] {
  const checks = Object.fromEntries(Object.keys(CHECK_CATALOGUE).map((id) => [id, { action: 'Warn' }]));
  const endpoints = {
    startupProbe: '/healthcheck/live',
    livenessProbe: '/healthcheck/live',
    readinessProbe: '/healthcheck/live',
  };
  return [
    clusterPolicy('app', { containers: ['app'], kubernetesProbeEndpoints: endpoints }),
    clusterPolicy('checks', { checks }),
    clusterPolicy('redis', { containers: ['redis'], probes: { livenessProbe: { tcpSocket: { port: 6379 } } } }),
    clusterPolicy('production', {
      priority: 10,
      containers: ['app'],
      probes: { livenessProbe: { periodSeconds: 5, failureThreshold: 3, timeoutSeconds: 5 } },
    }),
    clusterPolicy('staging', {
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'staging' } },
      containers: ['app'],
      port: 8080,
    }),
    ...[NAMESPACE, ...Array.from({ length: 14 }, (_, index) => `team-${index}`)].flatMap(teamPolicies),
  ];
}

/** Three of a namespace: its endpoint, and two for some of its workloads. */
function teamPolicies(namespace: string): object[] {
  return [
    policy(namespace, 'defaults', {
      containers: ['app'],
      kubernetesProbeEndpoints: { readinessProbe: '/healthcheck/ready' },
      probes: { readinessProbe: { periodSeconds: 5, failureThreshold: 2 } },
    }),
    policy(namespace, 'search', {
      workloadSelector: { matchLabels: { app: 'search' } },
      containers: ['app'],
      slowStart: { startupSeconds: 300 },
    }),
    policy(namespace, 'static', {
      workloadSelector: { matchLabels: { app: 'static' } },
      containers: ['app'],
      probes: { startupProbe: { periodSeconds: 2, failureThreshold: 15 } },
    }),
  ];
}

/** A ClusterProbePolicy. */
export function clusterPolicy(name: string, spec: object): object {
  return { apiVersion: API_VERSION, kind: 'ClusterProbePolicy', metadata: { name }, spec };
}

/** A ProbePolicy. */
export function policy(namespace: string, name: string, spec: object): object {
  return { apiVersion: API_VERSION, kind: 'ProbePolicy', metadata: { name, namespace }, spec };
}
