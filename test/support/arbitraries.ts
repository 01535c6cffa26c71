import fc from 'fast-check';
import type { JsonObject } from '../../src/base/json/json-value.ts';

/** Keys that are dangerous to copy carelessly. */
const oddKey = fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'x-unknown', 'a/b~c', '');

/** An object of unknown members, made the way a parser makes it: `__proto__` is a member like any other. */
export const unknownMembers: fc.Arbitrary<JsonObject> = fc
  .array(fc.tuple(oddKey, fc.jsonValue({ maxDepth: 2 })), { maxLength: 3 })
  .map((entries) => Object.fromEntries(entries));

const portName = fc.constantFrom('http', 'https', 'http-api', 'metrics', 'web', 'grpc', 'admin');
const portNumber = fc.constantFrom(80, 8080, 9394, 443, 6379);

const containerPort = fc.record(
  { containerPort: portNumber, name: portName, protocol: fc.constantFrom('TCP', 'UDP', 'SCTP') },
  { requiredKeys: ['containerPort'] },
);

const probePort = fc.oneof(portNumber, portName);
const handler = fc.oneof(
  fc.record({
    httpGet: fc.record({ path: fc.constant('/own'), port: probePort, scheme: fc.constantFrom('HTTP', 'HTTPS') }),
  }),
  fc.record({ tcpSocket: fc.record({ port: probePort }) }),
  fc.record({ grpc: fc.record({ port: portNumber, service: fc.constant('') }) }),
  fc.record({ exec: fc.record({ command: fc.array(fc.string(), { minLength: 1, maxLength: 3 }) }) }),
);
const integers = fc.record(
  {
    initialDelaySeconds: fc.integer({ min: 0, max: 200 }),
    timeoutSeconds: fc.integer({ min: 1, max: 40 }),
    periodSeconds: fc.integer({ min: 1, max: 60 }),
    failureThreshold: fc.integer({ min: 1, max: 30 }),
  },
  { requiredKeys: [] },
);

/** A probe that the API server accepts. */
export const validProbe: fc.Arbitrary<JsonObject> = fc.tuple(handler, integers).map(([a, b]) => ({ ...a, ...b }));

/** A probe as anything may send it. */
const anyProbe = fc.oneof(
  { arbitrary: validProbe, weight: 6 },
  fc.jsonValue({ maxDepth: 3 }),
  fc.tuple(handler, handler).map(([a, b]) => ({ ...a, ...b })),
);

/** A container; `probe` decides how wild its probes are. */
function container(probe: fc.Arbitrary<unknown>): fc.Arbitrary<JsonObject> {
  return fc
    .tuple(
      fc.record(
        {
          ports: fc.uniqueArray(containerPort, {
            maxLength: 4,
            selector: ({ name, containerPort: number }) => name ?? number,
          }),
          livenessProbe: probe,
          readinessProbe: probe,
          startupProbe: probe,
          image: fc.constant('example.test/x:1'),
        },
        { requiredKeys: ['image'] },
      ),
      unknownMembers,
    )
    .map(([known, unknown]) => withMembers(unknown, known));
}

/** Like a spread, but keeps an own `__proto__` whatever the order. */
function withMembers(a: JsonObject, b: JsonObject): JsonObject {
  return Object.fromEntries([...Object.entries(a), ...Object.entries(b)]);
}

const names = ['app', 'nginx', 'redis', 'linkerd-proxy', 'worker'];
const annotations = fc.dictionary(
  fc.constantFrom(
    'probewright.dev/skip',
    'probewright.dev/startup-seconds',
    'probewright.dev/containers',
    'probewright.dev/liveness-endpoint',
    'probewright.dev/injected',
    'kubectl.kubernetes.io/default-container',
    'other/key',
  ),
  fc.constantFrom('all', 'startup', '60', 'app,nginx', '/own', 'app', '{}', '{"app":{}}', 'not json'),
);

/** Few Pods have no label: such a Pod gets no probes. */
const labels = fc.oneof(
  { weight: 1, arbitrary: fc.constant({}) },
  {
    weight: 5,
    arbitrary: fc
      .dictionary(fc.constantFrom('app', 'tier'), fc.constantFrom('web', 'db'))
      .map((some) => ({ ...some, random: 'pod' })),
  },
);

function podOf(probe: fc.Arbitrary<unknown>): fc.Arbitrary<JsonObject> {
  return fc
    .record({
      containers: fc.array(container(probe), { minLength: 1, maxLength: 4 }),
      init: fc.array(fc.tuple(container(probe), fc.constantFrom(undefined, 'Always')), { maxLength: 2 }),
      metadata: fc.record({ annotations, labels }, { requiredKeys: ['labels'] }),
      restartPolicy: fc.constantFrom('Always', 'Always', 'Always', undefined, 'Never'),
      unknown: unknownMembers,
    })
    .map(({ containers, init, metadata, restartPolicy, unknown }) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'random', namespace: 'apps', ...metadata },
      spec: withMembers(unknown, {
        containers: containers.map((entry, index) => withMembers(entry, { name: names[index] })),
        ...(init.length > 0 && {
          initContainers: init.map(([entry, policy], index) =>
            withMembers(entry, { name: `init-${index}`, ...(policy && { restartPolicy: policy }) }),
          ),
        }),
        ...(restartPolicy && { restartPolicy }),
      }),
    }));
}

/** Pods that API servers old and new accept: no gRPC, which 1.20 does not know, and no probes where only sidecars may have them. */
export const plainPod = podOf(validProbe.filter((probe) => !('grpc' in probe))).map((pod) => {
  const spec = Object.entries(pod['spec'] as JsonObject).filter(([key]) => key !== 'initContainers');
  return { ...pod, spec: Object.fromEntries(spec) };
});
/** Pods with probes of every kind of wrongness. */
export const anyPod = podOf(anyProbe);
/** Pods whose probes the API server accepts. */
export const validPod = podOf(validProbe);

/** Anything, often with these members, however deep. */
export const wildValue = (...members: string[]): fc.Arbitrary<unknown> =>
  fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 6, depthSize: 'large' },
      fc.jsonValue({ maxDepth: 1 }),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...members), tie('value'), { maxKeys: 6 }),
    ),
  })).value;
