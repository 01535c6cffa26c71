import fc from 'fast-check';
import type { JsonObject } from '../../src/base/json/json-value.ts';
import { clusterPolicyDocument, policyDocument } from '../support/worlds.ts';

/** Policies and Pods that meet: names, images, ports, paths and numbers come from short lists. */

const PORT_NAMES = ['http', 'https', 'web', 'http-api', 'http-admin', 'metrics', 'grpc', 'redis', 'postgres', 'admin'];
const ODD_NAMES = [
  'q-api',
  'webui',
  'apiserver',
  'p8080',
  'port',
  'http2',
  'web1',
  'webhook',
  'tls-http',
  'https-tls1',
  'tcp-http',
  'frrmetrics',
  'redirect',
  'https-redirect',
  'app',
  'main-http',
  'x',
];
const NUMBERS = [80, 443, 8080, 8081, 8443, 9090, 9443, 6379, 5432, 50051, 4317];
const PATHS = ['/live', '/ready', '/healthz'];
const NAMES = ['app', 'web', 'redis', 'node-exporter', 'kube-rbac-proxy', 'worker'];
const IMAGES = [
  'example.test/app:1',
  'postgres:16-alpine',
  'docker.io/library/redis:7',
  'quay.io/oauth2-proxy/oauth2-proxy:v7',
  'localhost/team/app',
  'gcr.io/distroless/static:debug@sha256:0',
  'bitnami/kafka',
  'prom/node-exporter:v1',
  'registry:5000/team/app:2',
  'library/app',
  'ghcr.io/library/app/x:1',
  'app',
];
const PATTERNS = [
  'app',
  'postgres',
  'redis',
  '*/app',
  'team/*',
  'bitnami/kafka',
  '*/node-exporter',
  '*',
  'library/app',
  '*/*/x',
];
const COMMANDS = [
  ['cat', '/tmp/healthy'],
  ['pg_isready', '-U', 'app'],
  ['sh', '-c', 'exec pg_isready -U "app" -h 127.0.0.1'],
  ['/bin/sh', '-c', 'pg_isready > /tmp/x'],
  ['rm', '/tmp/x'],
  ['sh', '-c', 'curl -f localhost:8080 || true'],
  ['/app/grpc-health-probe', '-addr=:50051'],
  ['echo', '$HOME'],
  ['ls && ls'],
  ['sh', '-c', 'pg_isready; rm x'],
  ['bash', '-c', 'pg_isready -h "$HOST"'],
  ['/app/check', '--deep'],
  ['pg_isready', '$(NAME)'],
  ['kafka-broker-api-versions'],
];
const ARGS = [
  ['serve'],
  ['--listen-address=127.0.0.1:8080'],
  ['--bind', 'localhost:8081'],
  ['--bind=0.0.0.0:8080'],
  ['--health-probe-bind-address=:8081'],
  ['--grpc-port=8080'],
  ['--metrics-addr', ':8080'],
  ['--port=8080'],
  ['--tls-cert-file=/tls/tls.crt'],
  ['--https-port', '8080'],
  ['--secure-port=8443'],
  ['sh', '-c', 'exec redis-server --port 6379'],
  ['sh', '-c', 'app --listen="127.0.0.1:"8080'],
  ['docker-entrypoint.sh', 'mysqld'],
  ['--addr=unix:/run/x.sock'],
  ['sh', '-c', 'app --lis"ten"=127.0.0.1:8080'],
  ['--grpcPort', '8080'],
  ['--host', '::1', '--port', '8080'],
  ['--socket', '/run/app.sock'],
  ['https://0.0.0.0:8080'],
  ['--debug-address=grpc://0.0.0.0:8080'],
  ['sh', '-c', 'exec my\\sqld'],
  ['sh', '-c', 'app --grpc-port=80"80"'],
  ['sh', '-c', "app --listen=$'\\x31'27.0.0.1:8080"],
  ['--server-crt', '/etc/x'],
  ['sh', '-c', 'app --https-port 8080; wait'],
];
const ENV: readonly (readonly [string, string | undefined])[] = [
  ['HOST', '127.0.0.1'],
  ['PORT', '8080'],
  ['BIND_ADDRESS', 'localhost:8080'],
  ['GRPC_PORT', '8080'],
  ['METRICS_PORT', '9090'],
  ['TLS_ENABLED', 'true'],
  ['APP_TLS', 'no'],
  ['DB_URL', 'https://db.example.test:443'],
  ['ASPNETCORE_URLS', 'http://+:8080;https://+:8443'],
  ['LISTEN', '8080 ssl http2'],
  ['NAME', undefined],
  ['SERVER_HOST', '::1'],
  ['REDIS_TLS', 'true'],
  ['ENABLE_TLS', 'yes'],
  ['grpcPort', '8080'],
  ['LISTEN_ADDR', 'grpc://0.0.0.0:8080'],
];

const some = <T>(values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
const seldom = <T>(arbitrary: fc.Arbitrary<T>, weight = 1): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 40, arbitrary: fc.constant(undefined) }, { weight: Math.round(weight * 10), arbitrary });

/** An object without its undefined members. */
const object = (members: JsonObject): JsonObject => JSON.parse(JSON.stringify(members)) as JsonObject;

const portName = fc.oneof({ weight: 3, arbitrary: some(PORT_NAMES) }, some(ODD_NAMES));
const header = fc.record({ name: some(['Host', 'X-Probe']), value: some(['a', 'shop.example.test', '$(NAME)']) });

const ownHandler: fc.Arbitrary<JsonObject> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .record({
        path: fc.oneof(
          { weight: 4, arbitrary: some(PATHS) },
          some(['', '/', '/own', '/a?b', '/$(NAME)', 'relative', 'http://x/y']),
        ),
        port: fc.oneof(some(NUMBERS), portName),
        scheme: some(['HTTP', 'HTTP', 'HTTPS', undefined]),
        host: seldom(some(['127.0.0.1', '']), 0.2),
        httpHeaders: seldom(fc.array(header, { minLength: 1, maxLength: 2 })),
      })
      .map((httpGet) => ({ httpGet: object(httpGet) })),
  },
  fc.record({ tcpSocket: fc.record({ port: fc.oneof(some(NUMBERS), portName) }) }),
  fc.record({ grpc: fc.record({ port: some(NUMBERS), service: some(['', 'live']) }) }),
  fc.record({ exec: fc.record({ command: some(COMMANDS) }) }),
);

const often = (usual: readonly number[], unusual: readonly number[]): fc.Arbitrary<number> =>
  fc.oneof({ weight: 4, arbitrary: some(usual) }, some(unusual));

const integers = fc
  .record({
    initialDelaySeconds: seldom(often([0, 5, 10, 30], [60, 121, 300, 700]), 4),
    timeoutSeconds: seldom(often([1, 2, 5], [10, 30, 90]), 3),
    periodSeconds: seldom(often([5, 10, 15], [1, 2, 30, 60, 120, 400]), 4),
    failureThreshold: seldom(often([2, 3, 5], [1, 6, 10, 30, 61, 120]), 4),
    terminationGracePeriodSeconds: seldom(some([5, 10, 30, 60])),
  })
  .map(object);

/** Readiness takes no grace period (validation.go, validateReadinessProbe). */
const ownProbe = (kind: string): fc.Arbitrary<JsonObject> =>
  fc.tuple(ownHandler, integers).map(([handler, { terminationGracePeriodSeconds, ...rest }]) => ({
    ...handler,
    ...rest,
    ...(kind !== 'readinessProbe' && terminationGracePeriodSeconds !== undefined && { terminationGracePeriodSeconds }),
  }));

const ports = fc.uniqueArray(
  fc
    .record({
      containerPort: some(NUMBERS),
      name: fc.oneof({ weight: 3, arbitrary: portName }, fc.constant(undefined)),
      protocol: some(['TCP', 'TCP', 'TCP', 'UDP']),
    })
    .map(object),
  { maxLength: 3, selector: ({ name, containerPort }) => name ?? containerPort },
);

const container: fc.Arbitrary<JsonObject> = fc
  .record({
    image: fc.oneof(
      { weight: 2, arbitrary: fc.constant('example.test/app:1') },
      { weight: 2, arbitrary: some(IMAGES) },
    ),
    ports: fc.oneof(
      { weight: 4, arbitrary: fc.constant([{ name: 'http', containerPort: 8080, protocol: 'TCP' }]) },
      { weight: 3, arbitrary: ports },
    ),
    command: seldom(some(ARGS), 0.4),
    args: seldom(some(ARGS)),
    env: seldom(fc.uniqueArray(some(ENV), { minLength: 1, maxLength: 2 }), 2),
    livenessProbe: seldom(ownProbe('livenessProbe'), 2),
    readinessProbe: seldom(ownProbe('readinessProbe'), 2),
    startupProbe: seldom(ownProbe('startupProbe'), 0.4),
    restartPolicy: seldom(some(['Always', 'Never']), 0.3),
  })
  .map(({ env, ...members }) => ({
    ...object(members),
    ...(env && {
      env: env.map(([name, value]) =>
        value === undefined ? { name, valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } } : { name, value },
      ),
    }),
  }));

const annotations = fc
  .record({
    'probewright.dev/skip': seldom(some(['all', 'startup', 'liveness, readiness', 'bad', 'readiness']), 0.6),
    'probewright.dev/startup-seconds': seldom(some(['60', ' 400 ', '0', 'x', '2000000', '99999999999'])),
    'probewright.dev/containers': seldom(some(['app', 'app, web', 'sidecar', ',', 'gone']), 0.6),
    'probewright.dev/liveness-endpoint': seldom(
      some(['/live', '/annotated', 'relative', '', '/a b', '/ä', '/$(NAME)']),
    ),
    'probewright.dev/readiness-endpoint': seldom(some(['/annotated', '/ready'])),
    'probewright.dev/startup-endpoint': seldom(some(['/annotated', '/ready']), 0.5),
    'probewright.dev/injected': seldom(some(['{"app":{"livenessProbe":"x"}}', '{}']), 0.1),
    'probewright.dev/unknown': seldom(some(['x']), 0.1),
    'kubectl.kubernetes.io/default-container': seldom(some(['app', 'web', 'gone', '']), 0.6),
    'sidecar.istio.io/rewriteAppHTTPProbers': seldom(some(['true', 'false', '1', 'F']), 0.2),
    'sidecar.istio.io/status': seldom(some(['{}']), 0.1),
  })
  .map(object);

const mesh = fc.record({
  name: some(['istio-proxy', 'linkerd-proxy', 'kuma-sidecar', 'consul-dataplane']),
  image: some(['auto', 'proxy:1']),
});

/** Pods as the API server shows them to admission, after its defaults. */
export const nativePod: fc.Arbitrary<JsonObject> = fc
  .record({
    containers: fc.array(container, { minLength: 1, maxLength: 3 }),
    quiet: some([true, true, false]),
    names: fc.shuffledSubarray(NAMES, { minLength: 4 }),
    sidecar: seldom(fc.tuple(container, some(['Always', undefined])), 1.5),
    mesh: seldom(mesh, 0.4),
    twin: seldom(fc.constant(true)),
    labels: some<JsonObject>([
      { app: 'web' },
      { app: 'web' },
      { app: 'web' },
      { app: 'web' },
      { app: 'db', tier: 'x' },
      {},
      { 'probewright.dev/webhook': 'disabled' },
      { 'security.istio.io/tlsMode': 'istio' },
    ]),
    annotations: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 2, arbitrary: annotations }),
    owner: fc.boolean(),
    restartPolicy: some(['Always', 'Always', 'Always', 'Always', 'OnFailure']),
    grace: some([30, 30, 5]),
    hostNetwork: seldom(fc.constant(true), 0.3),
  })
  .map(
    ({
      containers,
      quiet,
      names,
      sidecar,
      mesh: proxy,
      twin,
      labels,
      annotations: own,
      owner,
      restartPolicy,
      grace,
      hostNetwork,
    }) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'web',
        namespace: 'apps',
        labels,
        ...(Object.keys(own).length > 0 && { annotations: own }),
        ...(owner && {
          ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', controller: true }],
        }),
      },
      spec: object({
        containers: [
          // The native policy decides containers once that differ in their name alone.
          ...[...containers, ...(twin ? containers.slice(0, 1) : [])].map((one, at) => ({
            name: at === 0 ? 'app' : names.filter((name) => name !== 'app')[at - 1],
            ...one,
            ...(quiet && { command: undefined, args: undefined, env: undefined }),
          })),
          ...(proxy ? [proxy] : []),
        ],
        initContainers: sidecar && [{ ...sidecar[0], name: 'sidecar', restartPolicy: sidecar[1] }],
        restartPolicy,
        terminationGracePeriodSeconds: grace,
        hostNetwork,
      }),
    }),
  );

const policyPort = fc.oneof(some<unknown>(NUMBERS), portName);
const policyHandler: fc.Arbitrary<JsonObject> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .record({
        path: seldom(some([...PATHS, '/$(NAME)']), 9),
        port: seldom(policyPort, 1),
        scheme: seldom(some(['HTTP', 'HTTPS']), 0.6),
        httpHeaders: seldom(
          fc.array(fc.constant({ name: 'X-Probe', value: 'a' }), { minLength: 1, maxLength: 1 }),
          0.5,
        ),
        host: seldom(fc.constant('127.0.0.1'), 0.1),
      })
      .map((httpGet) => ({ httpGet: object(httpGet) })),
  },
  fc.record({ tcpSocket: fc.record({ port: policyPort }) }),
  fc
    .record({ grpc: fc.record({ port: some(NUMBERS), service: some(['', 'live']) }) })
    .map(({ grpc }) => ({ grpc: grpc.service === '' ? { port: grpc.port } : grpc })),
  fc.record({ exec: fc.record({ command: some(COMMANDS) }) }),
);

const policyIntegers = integers.chain((given) =>
  fc
    .record({ reset: seldom(some(['periodSeconds', 'failureThreshold']), 0.4) })
    .map(({ reset }) => ({ ...given, ...(reset !== undefined && { [reset]: null }) })),
);

const policyProbe = (kind: string): fc.Arbitrary<unknown> =>
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc
        .tuple(seldom(policyHandler, 8), policyIntegers)
        .map(([handler = {}, { terminationGracePeriodSeconds, ...numbers }]: [JsonObject | undefined, JsonObject]) => ({
          ...handler,
          ...numbers,
          ...(kind !== 'readinessProbe' &&
            terminationGracePeriodSeconds !== undefined && { terminationGracePeriodSeconds }),
        })),
    },
    { weight: 1, arbitrary: fc.constant(null) },
  );

const requirement = some<JsonObject>([
  { key: 'app', operator: 'In', values: ['web'] },
  { key: 'tier', operator: 'NotIn', values: ['x'] },
  { key: 'tier', operator: 'Exists' },
  { key: 'tier', operator: 'DoesNotExist' },
]);
const selector = fc.oneof(
  fc.constant({ matchLabels: { app: 'web' } }),
  fc.array(requirement, { minLength: 1, maxLength: 2 }).map((matchExpressions) => ({ matchExpressions })),
  fc.constant({}),
);

const spec = fc.record({
  containers: some<unknown>([
    undefined,
    ['*'],
    ['*'],
    ['app'],
    ['app', 'sidecar'],
    ['web', 'kube-rbac-proxy'],
    undefined,
  ]),
  images: seldom(fc.uniqueArray(some(PATTERNS), { minLength: 1, maxLength: 2 })),
  workloadSelector: seldom(selector),
  port: seldom(fc.oneof(policyPort, fc.constant(null))),
  liveness: seldom(policyProbe('livenessProbe'), 5),
  readiness: seldom(policyProbe('readinessProbe'), 5),
  startup: seldom(policyProbe('startupProbe'), 2),
  startupSeconds: seldom(some([30, 120, 600, null, 2_000_000])),
  fromInitialDelaySeconds: seldom(some([10, 30, 60, null])),
  learned: seldom(some<unknown>([{}, null]), 0.1),
});

const specOf = ({
  liveness,
  readiness,
  startup,
  startupSeconds,
  fromInitialDelaySeconds,
  learned,
  ...others
}: Record<string, unknown>): JsonObject => {
  const probes = object({ livenessProbe: liveness, readinessProbe: readiness, startupProbe: startup });
  const slowStart = object({ startupSeconds, fromInitialDelaySeconds, learned });
  return {
    ...object(others),
    ...(Object.keys(probes).length > 0 && { probes }),
    ...(Object.keys(slowStart).length > 0 && { slowStart }),
  };
};

const clusterExtras = fc.record({
  priority: seldom(some([-1, 5])),
  annotations: seldom(some(['Allow', 'Ignore']), 0.4),
  namespaceSelector: seldom(
    some<JsonObject>([
      { matchLabels: { team: 'a' } },
      { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['apps'] }] },
    ]),
  ),
  checks: seldom(
    some<JsonObject>([
      { 'probe-bounds': { floor: 'Deny' } },
      { 'required-liveness': { floor: 'Deny', action: 'Deny' } },
      { 'named-port': { action: 'Off' } },
    ]),
    0.15,
  ),
});

/** The mapping that most namespaces have. */
const MAPPING: JsonObject = {
  containers: ['*'],
  kubernetesProbeEndpoints: { livenessProbe: '/live', readinessProbe: '/ready' },
};

/** Policies of a cluster and of the namespace `apps`. */
export const nativePolicies: fc.Arbitrary<readonly JsonObject[]> = fc
  .record({
    mapping: some([true, true, true, false]),
    cluster: fc.array(fc.tuple(spec, clusterExtras), { maxLength: 2 }),
    own: fc.array(spec, { maxLength: 2 }),
  })
  .map(({ mapping, cluster, own }) => [
    ...(mapping ? [clusterPolicyDocument(MAPPING, 'a-mapping')] : []),
    ...cluster.map(([given, { checks, ...extras }], at) =>
      clusterPolicyDocument(
        object({ ...specOf(given), ...extras, ...(!('images' in specOf(given)) && { checks }) }),
        `c${at}`,
      ),
    ),
    ...own.map((given, at) => policyDocument(specOf(given), `p${at}`)),
  ]);

const servicePort = fc
  .record({
    name: some(['http', 'grpc', 'tcp-postgres', 'metrics', 'https', 'web', 'redis', 'admin']),
    port: some([80, 443, 9090]),
    targetPort: fc.oneof(some<unknown>(['http', 'https', 'web', 'grpc', 'admin']), some<unknown>(NUMBERS)),
    protocol: some(['TCP', 'TCP', 'TCP', 'UDP']),
    appProtocol: seldom(some(['kubernetes.io/h2c', 'http', 'grpc', 'mongo'])),
  })
  .map(object);

/** Services of the namespace, most of which select the Pods. */
export const nativeServices: fc.Arbitrary<readonly JsonObject[]> = fc
  .array(
    fc
      .record({
        selector: some<JsonObject>([{ app: 'web' }, { app: 'web' }, { app: 'db', tier: 'x' }]),
        ports: fc.array(servicePort, { minLength: 1, maxLength: 2 }),
        ipFamilies: seldom(fc.constant(['IPv6']), 0.3),
      })
      .map((given) => ({
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'web', namespace: 'apps' },
        spec: object(given),
      })),
    { maxLength: 2 },
  )
  .map((all) => all.map((one, at) => ({ ...one, metadata: { name: `web-${at}`, namespace: 'apps' } })));
