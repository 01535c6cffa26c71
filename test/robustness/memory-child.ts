/** Mirrors many policies of one shape, or many facts of one kind, and prints what one of them takes: a process of its own, as heaps are measured whole. */
import { CHECK_CATALOGUE } from '../../src/engine/checks/catalogue.ts';
import { ObjectStore } from '../../src/cluster/sources/object-store.ts';
import { SERVICES, WEBHOOK_EXCEPTIONS, type FactKind } from '../../src/cluster/sources/fact-kinds.ts';
import { policyKind } from '../../src/cluster/sources/policy-informer.ts';
import { exceptionDocument } from '../support/exceptions.ts';
import type { Named } from '../../src/cluster/sources/object-store.ts';
import type { KubernetesObject } from '../../src/cluster/client/kubernetes-object.ts';

const POLICIES_OF_NAMESPACE = 8;
const NAMESPACES = 1000;
const FACTS_OF_NAMESPACE = 40;
const MOST_POLICIES = 8000;
const MOST_BYTES = 8 * 1024 * 1024;

const time = (index: number): string => new Date(1.7e12 + index * 60_000).toISOString().replace('.000', '');

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
  'wide-words': (policy) => command(['a', own(policy, 0).padEnd(20_000, 'x') + '日']),
  broken: (policy) => Object.fromEntries(owns(policy, 100).map((field) => [field, 0])),
};

/** Objects without their metadata. The exception has every field and its status. */
const facts: Readonly<Record<string, readonly [FactKind, (index: number) => object]>> = {
  ProbeException: [
    WEBHOOK_EXCEPTIONS,
    (index) => ({
      apiVersion: 'probewright.dev/v1alpha1',
      kind: 'ProbeException',
      spec: exceptionDocument({
        checks: ['named-port', 'startup-budget'],
        workloads: [{ kind: 'Deployment', name: `checkout-service-${index}` }],
        containers: ['worker'],
        owner: `team-payments-${index % NAMESPACES}`,
        reason: `The vendor image number ${index} answers on one port only.`,
        ticket: `PAY-${index}`,
        expires: time(index + 1_000_000),
      })['spec'],
      status: { observedGeneration: 1, state: 'Active', matches: 12, lastMatched: time(index + 5000), conditions: [] },
    }),
  ],
  Service: [
    SERVICES,
    (index) => ({
      apiVersion: 'v1',
      kind: 'Service',
      spec: {
        selector: { 'app.kubernetes.io/name': `checkout-${index}`, 'app.kubernetes.io/instance': 'production' },
        ports: [
          { name: 'http', port: 80, targetPort: 'http', protocol: 'TCP' },
          { name: 'metrics', port: 9090, targetPort: 9090, protocol: 'TCP' },
        ],
      },
    }),
  ],
};

/** Objects of one namespace, as they come in a page of a list of an API server. */
function page(make: (index: number) => object, start: number, count: number): KubernetesObject[] {
  const objects = Array.from({ length: count }, (_, offset) => {
    const index = start + offset;
    const metadata = {
      name: `checkout-service-${String(index).padStart(6, '0')}`,
      namespace: `team-${String(start).padStart(6, '0')}`,
      uid: `${index}-4c1c-4e0a-9d9a-0123456789ab`,
      generation: 1,
      creationTimestamp: time(index),
    };
    return { metadata, ...make(index) };
  });
  return JSON.parse(JSON.stringify(objects)) as KubernetesObject[];
}

function heapUsed(): number {
  for (let round = 0; round < 4; round++) globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

const nothing = (): void => undefined;
const LISTENER = { changed: nothing, mayFit: nothing, troubled: nothing };

/** Mirrors policies until they are many, or have many bytes as JSON. */
function measurePolicy(shape: (policy: number) => object): object {
  const status = {
    observedGeneration: 1,
    conditions: [
      { type: 'Ready', status: 'True', reason: 'Accepted', message: 'in force', lastTransitionTime: time(0) },
    ],
  };
  const next = (start: number): KubernetesObject[] =>
    page((policy) => ({ spec: shape(policy), status }), start, POLICIES_OF_NAMESPACE);
  const store = new ObjectStore(policyKind('ProbePolicy', Infinity), LISTENER);
  store.listing();
  // Loads the code, so that the measurement has objects only.
  store.seen(next(0));
  const before = heapUsed();
  let policies = 0;
  for (; policies < MOST_POLICIES && store.counts().used < MOST_BYTES; policies += POLICIES_OF_NAMESPACE)
    store.seen(next(policies + POLICIES_OF_NAMESPACE));
  store.listed();
  store.lists();
  const heap = Math.round((heapUsed() - before) / policies);
  return { bytes: Buffer.byteLength(JSON.stringify(shape(1))), heap };
}

function measureFact([kind, make]: readonly [FactKind, (index: number) => object]): object {
  const mirror = (namespaces: number): ObjectStore<Named> => {
    const store = new ObjectStore(kind, LISTENER);
    store.listing();
    for (let namespace = 0; namespace < namespaces; namespace++)
      store.seen(page(make, namespace * FACTS_OF_NAMESPACE, FACTS_OF_NAMESPACE));
    store.listed();
    store.lists();
    return store;
  };
  mirror(20);
  const before = heapUsed();
  const store = mirror(NAMESPACES);
  const heap = heapUsed() - before;
  const kept = [...store.all()].length;
  if (kept !== NAMESPACES * FACTS_OF_NAMESPACE) throw new Error(`${kept} objects are kept`);
  return { heap: Math.round(heap / kept) };
}

const [shape, fact] = [shapes[process.argv[2] ?? ''], facts[process.argv[2] ?? '']];
if (shape === undefined && fact === undefined) throw new Error(`no shape or kind ${process.argv[2] ?? ''}`);
console.log(JSON.stringify(shape ? measurePolicy(shape) : fact && measureFact(fact)));
