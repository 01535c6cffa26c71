/** Mirrors many policies of one shape and tells what one of them takes: a process of its own, as heaps are measured whole. */
import { CHECK_CATALOGUE } from '../../src/engine/checks/catalogue.ts';
import { ObjectStore } from '../../src/cluster/sources/object-store.ts';
import { policyKind } from '../../src/cluster/sources/policy-informer.ts';
import type { KubernetesObject } from '../../src/cluster/client/kubernetes-object.ts';

const POLICIES_OF_NAMESPACE = 8;
const HEAP_BYTES = 32 * 1024 * 1024;

/** A text that no other policy has. */
const own = (policy: number, index: number): string => (policy * 7919 + index).toString(36);
const owns = (policy: number, count: number): string[] =>
  Array.from({ length: count }, (_, index) => own(policy, index));
const command = (words: string[]): object => ({
  probes: { livenessProbe: { exec: { command: words } }, readinessProbe: { exec: { command: words } } },
});

const shapes: Readonly<Record<string, (policy: number) => object>> = {
  empty: () => ({}),
  ordinary: (policy) => ({
    workloadSelector: { matchLabels: { 'app.kubernetes.io/name': `service-${policy}` } },
    containers: ['app'],
    kubernetesProbeEndpoints: { livenessProbe: '/live', readinessProbe: `/ready/${policy}` },
    probes: { livenessProbe: { periodSeconds: 5, failureThreshold: 3 }, readinessProbe: { timeoutSeconds: 2 } },
    slowStart: { startupSeconds: 300 },
    checks: { 'named-port': { action: 'Deny' }, 'startup-budget': { action: 'Warn', minimumSeconds: 30 } },
  }),
  labels: (policy) => ({
    workloadSelector: {
      matchLabels: Object.fromEntries(owns(policy, 64).map((key) => [key, ''])),
      matchExpressions: owns(policy, 64).map((key) => ({ key, operator: 'Exists' })),
    },
  }),
  values: (policy) => ({
    workloadSelector: {
      matchExpressions: owns(policy, 64).map((key, index) => ({
        key,
        operator: 'In',
        values: owns(policy + index, 64),
      })),
    },
  }),
  programs: (policy) => ({
    checks: {
      'exec-forbidden': { names: owns(policy, 256) },
      'dependency-liveness': { paths: owns(policy, 256), additionalPaths: owns(policy + 1, 256) },
    },
  }),
  headers: (policy) => ({
    probes: Object.fromEntries(
      ['livenessProbe', 'readinessProbe', 'startupProbe'].map((kind) => [
        kind,
        { httpGet: { httpHeaders: owns(policy, 32).map((name) => ({ name, value: '' })) } },
      ]),
    ),
  }),
  checks: (policy) => ({
    containers: [own(policy, 0)],
    checks: Object.fromEntries(Object.keys(CHECK_CATALOGUE).map((id) => [id, {}])),
  }),
  words: (policy) => command(['a', own(policy, 0).padEnd(30_000, 'x')]),
  'wide words': (policy) => command(['a', own(policy, 0).padEnd(20_000, 'x') + '日']),
  broken: (policy) => Object.fromEntries(owns(policy, 100).map((field) => [field, 0])),
};

function page(shape: (policy: number) => object, start: number): KubernetesObject[] {
  const objects = Array.from({ length: POLICIES_OF_NAMESPACE }, (_, index) => ({
    metadata: {
      name: `p-${start + index}`,
      namespace: `team-${start}`,
      uid: `${start + index}-4c1c-4e0a-9d9a-0123456789ab`,
      generation: 1,
      creationTimestamp: new Date(1.7e12 + (start + index) * 1000).toISOString(),
    },
    spec: shape(start + index),
    status: {
      observedGeneration: 1,
      conditions: [
        {
          type: 'Ready',
          status: 'True',
          reason: 'Accepted',
          message: 'in force',
          lastTransitionTime: `2026-01-01T00:00:00Z`,
        },
      ],
    },
  }));
  // As they come from an API server.
  return JSON.parse(JSON.stringify(objects)) as KubernetesObject[];
}

function heapUsed(): number {
  for (let round = 0; round < 4; round++) globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

const shape = shapes[process.argv[2] ?? ''];
if (shape === undefined) throw new Error(`no shape ${process.argv[2] ?? ''}`);
const nothing = (): void => undefined;
const store = new ObjectStore(policyKind(CHECK_CATALOGUE, 'ProbePolicy', Infinity), {
  changed: nothing,
  mayFit: nothing,
  troubled: nothing,
});
store.listing();
store.seen(page(shape, 0));
const before = heapUsed();
const first = store.counts().used;
let policies = 0;
for (; store.counts().used < HEAP_BYTES; policies += POLICIES_OF_NAMESPACE)
  store.seen(page(shape, policies + POLICIES_OF_NAMESPACE));
store.listed();
store.lists();
const heap = Math.round((heapUsed() - before) / policies);
const { used: memory } = store.counts();
const estimate = Math.round((memory - first) / policies);
console.log(JSON.stringify({ bytes: JSON.stringify(shape(1)).length, heap, estimate }));
