import fc from 'fast-check';
import { CHECK_CATALOGUE } from '../../src/engine/checks/catalogue.ts';
import type { CheckParameter } from '../../src/engine/policy/check-parameters.ts';
import type { World } from './layering-model.ts';

type Json = Record<string, unknown>;

/** Few names, so that policies meet. */
export const NAMESPACES = ['apps', 'data', 'kube-system'];
export const CONTAINERS = ['app', 'nginx', 'redis', 'worker'];
export const LABEL_KEYS = ['app', 'tier'];
const LABEL_VALUES = ['web', 'db', ''];

/** Members that may be left out; an absent one is no key at all, as in a document. */
function partial(members: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Json> {
  return fc.record(members, { requiredKeys: [] }).map((record) => ({ ...record }));
}

export const labels = fc.dictionary(fc.constantFrom(...LABEL_KEYS), fc.constantFrom(...LABEL_VALUES));

const expression = fc.oneof(
  fc.record({
    key: fc.constantFrom(...LABEL_KEYS),
    operator: fc.constantFrom('In', 'NotIn'),
    values: fc.uniqueArray(fc.constantFrom(...LABEL_VALUES), { minLength: 1 }),
  }),
  fc.record({ key: fc.constantFrom(...LABEL_KEYS), operator: fc.constantFrom('Exists', 'DoesNotExist') }),
);
const selector = partial({ matchLabels: labels, matchExpressions: fc.array(expression, { maxLength: 2 }) });
const namespaceSelector = fc.oneof(
  selector,
  fc.constantFrom(...NAMESPACES).map((name) => ({ matchLabels: { 'kubernetes.io/metadata.name': name } })),
);

const seconds = fc.oneof(fc.integer({ min: 1, max: 60 }), fc.constantFrom(1, 10, 300, 86_400, 2_147_483_647));
const port = fc.constantFrom<number | string>(80, 8080, 6379, 'http', 'web', 'metrics');
const path = fc.constantFrom('/', '/l', '/r', '/s', '/app-health/x/livez');
const handlers: Readonly<Record<string, fc.Arbitrary<Json>>> = {
  httpGet: partial({
    path,
    port,
    scheme: fc.constantFrom('HTTP', 'HTTPS'),
    host: fc.constantFrom('127.0.0.1', ''),
    httpHeaders: fc.constant([{ name: 'X-A', value: 'b' }]),
  }),
  tcpSocket: fc.record({ port }),
  grpc: fc.record({ port: fc.constantFrom(80, 9090), service: fc.constantFrom('', 's') }),
  exec: fc.record({ command: fc.constantFrom(['true'], ['ls', '-l']) }),
};
const nullable = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value, { freq: 6, nil: null });

function integersOf(probe: string): fc.Arbitrary<Json> {
  return partial({
    initialDelaySeconds: nullable(fc.integer({ min: 0, max: 90 })),
    timeoutSeconds: nullable(seconds),
    periodSeconds: nullable(seconds),
    successThreshold: nullable(probe === 'readinessProbe' ? fc.integer({ min: 1, max: 5 }) : fc.constant(1)),
    failureThreshold: nullable(seconds),
    ...(probe !== 'readinessProbe' && { terminationGracePeriodSeconds: nullable(seconds) }),
  });
}

/** What a policy says of one probe: a handler or none, numbers or none, with or without an endpoint, or a removal. */
function probeOf(probe: string): fc.Arbitrary<{ own?: unknown; endpoint?: unknown }> {
  const handler = fc
    .constantFrom('none', 'none', ...Object.keys(handlers))
    .chain((kind) =>
      (handlers[kind] ?? fc.constant(undefined)).map((fields) => (fields === undefined ? {} : { [kind]: fields })),
    );
  const described = fc
    .tuple(handler, integersOf(probe), fc.option(path, { nil: undefined }))
    .map(([own, integers, endpoint]) => {
      const other = ['tcpSocket', 'grpc', 'exec'].some((kind) => kind in own);
      const ownPath = (own as { httpGet?: { path?: string } }).httpGet?.path;
      return {
        own: { ...own, ...integers },
        ...(endpoint !== undefined && !other && { endpoint: ownPath ?? endpoint }),
      };
    });
  const removed = fc.constantFrom(
    { own: null },
    { own: { disabled: true } },
    { endpoint: null },
    { own: null, endpoint: null },
  );
  return fc.oneof(
    { arbitrary: described, weight: 5 },
    { arbitrary: removed, weight: 1 },
    { arbitrary: path.map((endpoint) => ({ endpoint })), weight: 2 },
  );
}

const probes = fc
  .tuple(
    ...['livenessProbe', 'readinessProbe', 'startupProbe'].map((probe) =>
      fc.option(
        probeOf(probe).map((said) => [probe, said] as const),
        { nil: undefined },
      ),
    ),
  )
  .map((all) => {
    const given = all.filter((entry) => entry !== undefined);
    const own = given.filter(([, said]) => 'own' in said).map(([probe, said]) => [probe, said.own]);
    const endpoints = given.filter(([, said]) => 'endpoint' in said).map(([probe, said]) => [probe, said.endpoint]);
    return {
      ...(own.length > 0 && { probes: Object.fromEntries(own) as Json }),
      ...(endpoints.length > 0 && { kubernetesProbeEndpoints: Object.fromEntries(endpoints) as Json }),
    };
  });

const action = fc.constantFrom<string | boolean>('Off', 'Audit', 'Warn', 'Deny', false);

function parameterOf(shape: CheckParameter): fc.Arbitrary<unknown> {
  switch (shape.type) {
    case 'integer':
      return fc.integer({ min: shape.minimum ?? 0, max: 100 });
    case 'boolean':
      return fc.boolean();
    case 'choice':
      return fc.constantFrom(...shape.choices);
    case 'strings':
      return fc.uniqueArray(fc.constantFrom('ls', 'ps', '/db'), { minLength: 1 });
    case 'choices':
      return fc.uniqueArray(fc.constantFrom(...shape.choices), { minLength: 1 });
    case 'bounds':
      return fc.constantFrom({ periodSeconds: { minimum: 2 } }, { failureThreshold: { minimum: 1, maximum: 10 } });
    case 'group':
      return partial(
        Object.fromEntries(Object.entries(shape.fields).map(([name, field]) => [name, parameterOf(field)])),
      );
  }
}

const checkIds = Object.keys(CHECK_CATALOGUE);

function checksOf(isCluster: boolean): fc.Arbitrary<Json> {
  const entry = fc.constantFrom(...checkIds).chain((id) =>
    fc.tuple(
      fc.constant(id),
      partial({
        action,
        ...(isCluster && { floor: action }),
        ...Object.fromEntries(
          Object.entries(CHECK_CATALOGUE[id]?.parameters ?? {}).map(([name, shape]) => [name, parameterOf(shape)]),
        ),
      }),
    ),
  );
  return fc.array(entry, { maxLength: 4 }).map((entries) => Object.fromEntries(entries));
}

const containers = fc.oneof(
  fc.constant(['*']),
  fc.uniqueArray(fc.constantFrom(...CONTAINERS, 'sidecar'), { minLength: 1, maxLength: 3 }),
);

function specOf(isCluster: boolean): fc.Arbitrary<Json> {
  return fc
    .tuple(
      probes,
      partial({
        workloadSelector: selector,
        containers,
        port: nullable(port),
        slowStart: partial({ startupSeconds: nullable(seconds), fromInitialDelaySeconds: nullable(seconds) }),
        checks: checksOf(isCluster),
        ...(isCluster && {
          namespaceSelector,
          priority: fc.integer({ min: -2, max: 2 }),
          annotations: fc.constantFrom('Allow', 'Ignore'),
        }),
      }),
    )
    .map(([own, rest]) => ({ ...rest, ...own }));
}

const name = fc.constantFrom('a', 'b', 'c', 'b-2', 'z');
/** Any ClusterProbePolicy. */
export const clusterDocument: fc.Arbitrary<Json> = fc.record({
  apiVersion: fc.constant('probewright.dev/v1alpha1'),
  kind: fc.constant('ClusterProbePolicy'),
  metadata: fc.record({ name }),
  spec: specOf(true),
});
/** Any ProbePolicy. */
export const namespaceDocument: fc.Arbitrary<Json> = fc.record({
  apiVersion: fc.constant('probewright.dev/v1alpha1'),
  kind: fc.constant('ProbePolicy'),
  metadata: fc.record({ name, namespace: fc.constantFrom(...NAMESPACES) }),
  spec: specOf(false),
});
const document: fc.Arbitrary<Json> = fc.oneof(clusterDocument, namespaceDocument);
/** No two policies of one kind have one name in one place. */
const tier = fc.uniqueArray(document, {
  maxLength: 8,
  selector: ({ kind, metadata }) => JSON.stringify([kind, metadata]),
});

/** Random policies in up to two tiers, and namespaces with random labels, some of them unknown. */
export const world: fc.Arbitrary<World> = fc.record({
  tiers: fc.array(tier, { minLength: 1, maxLength: 2 }),
  namespaceLabels: fc.dictionary(fc.constantFrom(...NAMESPACES), labels),
});

const base = fc
  .record({
    endpoints: fc.subarray(['livenessProbe', 'readinessProbe', 'startupProbe'], { minLength: 1 }),
    slowStart: partial({ fromInitialDelaySeconds: fc.constantFrom(1, 5, 30) }),
    port: fc.constantFrom(undefined, 'http', 8080),
  })
  .map(({ endpoints, slowStart, port: given }) => ({
    apiVersion: 'probewright.dev/v1alpha1',
    kind: 'ClusterProbePolicy',
    metadata: { name: 'base' },
    spec: {
      containers: ['*'],
      kubernetesProbeEndpoints: Object.fromEntries(endpoints.map((probe) => [probe, `/${probe}`])),
      slowStart,
      ...(given !== undefined && { port: given }),
    },
  }));

/** Likewise, with a policy below the others that speaks for every container, so that there is something to inject into most Pods. */
export const busyWorld: fc.Arbitrary<World> = fc
  .tuple(world, base)
  .map(([{ tiers, namespaceLabels }, lowest]) => ({ tiers: [[lowest], ...tiers], namespaceLabels }));
