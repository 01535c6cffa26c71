/** Mirrors many objects of one kind of facts and prints the bytes of heap of one. Heaps are measured in a child process. */
import { CHECK_CATALOGUE } from '../../src/engine/checks/catalogue.ts';
import { SERVICES, WEBHOOK_EXCEPTIONS, type FactKind } from '../../src/cluster/sources/fact-kinds.ts';
import { informedFactKind } from '../../src/cluster/sources/informer.ts';
import { ObjectStore } from '../../src/cluster/sources/object-store.ts';
import type { KubernetesObject } from '../../src/cluster/client/kubernetes-object.ts';
import type { Named } from '../../src/cluster/sources/object-store.ts';

const NAMESPACES = 1000;
const OBJECTS_OF_NAMESPACE = 40;

const time = (index: number): string => new Date(1.7e12 + index * 60_000).toISOString().replace('.000', '');

/** A ProbeException with every field and its status. */
function exception(index: number): object {
  return {
    apiVersion: 'probewright.dev/v1alpha1',
    kind: 'ProbeException',
    spec: {
      checks: ['named-port', 'startup-budget'],
      workloads: [{ kind: 'Deployment', name: `checkout-service-${index}` }],
      containers: ['worker'],
      owner: `team-payments-${index % NAMESPACES}`,
      reason: `The vendor image number ${index} answers on one port only.`,
      ticket: `PAY-${index}`,
      expires: time(index + 1_000_000),
    },
    status: { observedGeneration: 1, state: 'Active', matches: 12, lastMatched: time(index + 500_000), conditions: [] },
  };
}

function service(index: number): object {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    spec: {
      selector: { 'app.kubernetes.io/name': `checkout-${index}`, 'app.kubernetes.io/instance': 'production' },
      ports: [
        { name: 'http', port: 80, targetPort: 'http', protocol: 'TCP' },
        { name: 'metrics', port: 9090, targetPort: 9090, protocol: 'TCP' },
      ],
    },
  };
}

const KINDS: Readonly<Record<string, readonly [FactKind, (index: number) => object]>> = {
  ProbeException: [WEBHOOK_EXCEPTIONS, exception],
  Service: [SERVICES, service],
};

/** A page of a list, as the API server sends it. */
function page(make: (index: number) => object, namespace: number): KubernetesObject[] {
  const objects = Array.from({ length: OBJECTS_OF_NAMESPACE }, (_, place) => {
    const index = namespace * OBJECTS_OF_NAMESPACE + place;
    return {
      metadata: {
        name: `checkout-service-${String(index).padStart(5, '0')}`,
        namespace: `team-${String(namespace).padStart(4, '0')}`,
        uid: `${index}-4c1c-4e0a-9d9a-0123456789ab`,
        generation: 1,
        creationTimestamp: time(index),
      },
      ...make(index),
    };
  });
  return JSON.parse(JSON.stringify(objects)) as KubernetesObject[];
}

function heapUsed(): number {
  for (let round = 0; round < 4; round++) globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

const found = KINDS[process.argv[2] ?? ''];
if (found === undefined) throw new Error(`no kind ${process.argv[2] ?? ''}`);
const [kind, make] = found;

/** Loads the code, so that the measurement has objects only. */
function mirror(namespaces: number): ObjectStore<Named> {
  const nothing = (): void => undefined;
  const listener = { changed: nothing, mayFit: nothing, troubled: nothing };
  const store = new ObjectStore(informedFactKind(kind, CHECK_CATALOGUE), listener);
  store.listing();
  for (let namespace = 0; namespace < namespaces; namespace++) store.seen(page(make, namespace));
  store.listed();
  store.lists();
  return store;
}

mirror(20);
const before = heapUsed();
const store = mirror(NAMESPACES);
const heap = heapUsed() - before;
const kept = [...store.all()].length;
if (kept !== NAMESPACES * OBJECTS_OF_NAMESPACE) throw new Error(`${kept} objects are kept`);
console.log(JSON.stringify({ heap: Math.round(heap / kept) }));
