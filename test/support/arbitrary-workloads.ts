import fc from 'fast-check';
import type { JsonObject } from '../../src/base/json/json-value.ts';

/**
 * Workloads as people write them, with every mistake that a check looks for. Ports, paths, words and times come from
 * short lists, so that probes, ports, flags and environment often refer to each other.
 */

const PORT_NAMES = ['http', 'https', 'web', 'web-https', 'metrics', 'grpc', 'redis', 'postgres', 'admin'] as const;
const PORT_NUMBERS = [80, 443, 8080, 8081, 8443, 9090, 6379, 5432] as const;

const ports = fc.uniqueArray(
  fc.record(
    {
      containerPort: fc.constantFrom(...PORT_NUMBERS),
      name: fc.constantFrom(...PORT_NAMES),
      protocol: fc.constantFrom('TCP', 'TCP', 'UDP'),
    },
    { requiredKeys: ['containerPort'] },
  ),
  { maxLength: 3, selector: ({ name, containerPort }) => name ?? containerPort },
);

const portNumber = fc.constantFrom<unknown>(...PORT_NUMBERS);
const probePort = fc.oneof(
  { weight: 6, arbitrary: portNumber },
  { weight: 6, arbitrary: fc.constantFrom<unknown>(...PORT_NAMES) },
  fc.constantFrom<unknown>('htpp', 'htttp', 'wbe', 'HTTP', '80', '8080', 0, 70_000, 'a--b'),
);

const host = fc.constantFrom('', '127.0.0.1', 'localhost', '0.0.0.0', 'db.apps.svc', 'shop.example.test', '10.0.0.1');

const header = fc.record({
  name: fc.constantFrom('Host', 'X-Probe', 'Accept', 'X_Bad'),
  value: fc.constantFrom('a', 'shop.example.test', 'a\n', 'a\r\n', 'a\u0007b', '\n', '', '$(NAME)'),
});

const PATHS = [
  ...['/', '/healthz', '/livez', '/ready', '/readyz', '/api/readiness', '/-/ready'],
  ...['/actuator/health', '/actuator/health/readiness', '/_cluster/health', '/_cluster/health?local=true'],
  ...['http://localhost:8080/healthz', 'https://example.test/ready', 'http:'],
  ...['/metrics', '/actuator/prometheus'],
  ...['$(NAME)/healthz', '/${NAME}/ready', '/{{ name }}'],
];

const httpGet = fc.record(
  {
    path: fc.constantFrom(...PATHS),
    port: probePort,
    host,
    scheme: fc.constantFrom('HTTP', 'HTTPS', 'http'),
    httpHeaders: fc.array(header, { minLength: 1, maxLength: 2 }),
    protocol: fc.constantFrom('HTTP1', 'HTTP2'),
  },
  { requiredKeys: ['port'] },
);
const tcpSocket = fc.record({ port: probePort, host }, { requiredKeys: ['port'] });
const grpc = fc.record(
  { port: portNumber, service: fc.constantFrom('', 'liveness', '$(NAME)'), mode: fc.constantFrom('Plaintext', 'TLS') },
  { requiredKeys: ['port'] },
);

const COMMANDS = [
  ['cat', '/tmp/healthy'],
  ['', 'cat', '/tmp/healthy'],
  [' ', ''],
  [''],
  ['cat /tmp/healthy'],
  ['cat', '/tmp/a', '&&', 'cat', '/tmp/b'],
  ['ps', 'aux', '|', 'grep', 'app'],
  ['echo', '$HOME'],
  ['echo', '$(NAME)'],
  ['echo', '$(OTHER)'],
  ['sh', 'check.sh'],
  ['/bin/sh', '/opt/check.sh'],
  ['bash', 'redis-cli', 'ping'],
  ['sh', '-c', 'redis-cli ping'],
  ['redis-cli', 'ping'],
  ['sh', '-c', 'redis-cli ping | grep PONG'],
  ['sh', '-c', 'curl -f http://localhost:8080/healthz || true'],
  ['sh', '-c', 'cat /tmp/x | head -1'],
  ['bash', '-c', 'set -o pipefail; cat /tmp/x | tr a b'],
  ['sh', '-c', 'test -f /tmp/x; exit 0'],
  ['curl', '-f', 'http://localhost:8080/healthz'],
  ['curl', '-fsS', 'http://127.0.0.1:9090/ready'],
  ['wget', '-qO-', 'http://localhost/'],
  ['wget', '--spider', 'https://localhost:8443/livez'],
  ['nc', '-z', 'localhost', '8080'],
  ['nc', '-z', '127.0.0.1', '6379'],
  ['rabbitmqctl', 'status'],
  ['rabbitmqctl', 'cluster_status'],
  ['rabbitmq-diagnostics', 'ping'],
  ['sh', '-c', 'nodetool status'],
  ['cqlsh', '-e', 'describe cluster'],
  ['kafka-topics.sh', '--list'],
  ['python', '-c', 'import app'],
  ['mongosh', '--eval', "db.adminCommand('ping')"],
  ['pg_isready', '-U', 'postgres'],
  ['jcmd', '1', 'VM.version'],
  ['/bin/ls', '/tmp'],
];
const exec = fc.record({ command: fc.constantFrom(...COMMANDS) });

const handler: fc.Arbitrary<JsonObject> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ httpGet }) },
  { weight: 2, arbitrary: fc.record({ tcpSocket }) },
  { weight: 1, arbitrary: fc.record({ grpc }) },
  { weight: 3, arbitrary: fc.record({ exec }) },
);

const mostly = (usual: readonly number[], unusual: readonly number[]): fc.Arbitrary<number> =>
  fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...usual) }, fc.constantFrom(...unusual));

const integers = fc.record(
  {
    initialDelaySeconds: mostly([0, 1, 5, 10], [29, 30, 60, 121, 300, 700]),
    timeoutSeconds: mostly([1, 2, 5], [0, 10, 30, 90, 400]),
    periodSeconds: mostly([5, 10, 15], [0, 1, 2, 30, 60, 120, 400]),
    failureThreshold: mostly([2, 3, 5], [0, 1, 6, 10, 11, 30, 61, 120]),
    successThreshold: mostly([1], [0, 2, 3]),
    terminationGracePeriodSeconds: mostly([10, 30], [0, 1, 60, 300, 3600]),
  },
  { requiredKeys: [] },
);

/** One of these members, and more often none. */
const seldom = (...members: readonly JsonObject[]): fc.Arbitrary<JsonObject> =>
  fc.oneof({ weight: 5, arbitrary: fc.constant({}) }, { weight: 4, arbitrary: fc.constantFrom(...members) });

/** Fields that no probe knows, and fields of the probe in its handler. */
const misplaced = seldom({ periodSecond: 20 }, { timeoutseconds: 3 }, { port: 8080 }, { path: '/livez' });
const misplacedInHandler = seldom(
  { periodSeconds: 20 },
  { initialDelaySeconds: 60 },
  { failureThreshold: 9, timeoutSeconds: 5 },
  { Path: '/x' },
);

const probe: fc.Arbitrary<JsonObject> = fc
  .tuple(handler, integers, misplaced, misplacedInHandler)
  .map(([kinds, times, own, inner]) => ({
    ...Object.fromEntries(Object.entries(kinds).map(([kind, value]) => [kind, { ...(value as object), ...inner }])),
    ...times,
    ...own,
  }));

/** Two or three probes of one container are often copies of each other with other numbers. */
const probes: fc.Arbitrary<JsonObject> = fc
  .record(
    { livenessProbe: probe, readinessProbe: probe, startupProbe: probe, copy: fc.boolean(), times: integers },
    { requiredKeys: ['copy', 'times'] },
  )
  .map(({ copy, times, ...own }) => {
    const { livenessProbe, readinessProbe } = own;
    if (!copy || livenessProbe === undefined || readinessProbe === undefined) return own;
    return { ...own, readinessProbe: { ...livenessProbe, terminationGracePeriodSeconds: null, ...times } };
  });

const words = fc.constantFrom(
  ['--listen-address=127.0.0.1:8080'],
  ['--web.listen-address', 'localhost:9090'],
  ['--bind=0.0.0.0:8080'],
  ['--health-probe-bind-address=:8081'],
  ['--metrics-bind-address=127.0.0.1:8443', '--health-addr=:9090'],
  ['serve'],
);

const container: fc.Arbitrary<JsonObject> = fc
  .tuple(
    fc.record(
      {
        image: fc.constantFrom('example.test/app:1', 'gcr.example.test/distroless/static', 'scratch', 'redis:7', 'y'),
        ports,
        command: words,
        args: words,
        env: fc.constantFrom(
          [{ name: 'NAME', value: 'x' }],
          [{ name: 'NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
        ),
        restartPolicy: fc.constantFrom('Always', 'Never'),
        lifecycle: fc.constant({ preStop: { exec: { command: ['sleep', '5'] } } }),
      },
      { requiredKeys: ['image'] },
    ),
    probes,
    seldom({ livenessprobe: { httpGet: { path: '/', port: 8080 } } }, { rediness: 1 }),
  )
  .map(([known, own, misspelt]) => {
    const { restartPolicy, ...others } = known;
    return { ...others, ...(restartPolicy === 'Never' && { restartPolicy }), ...own, ...misspelt };
  });

const podSpec: fc.Arbitrary<JsonObject> = fc
  .record(
    {
      containers: fc.array(container, { minLength: 1, maxLength: 3 }),
      sidecar: container,
      restartPolicy: fc.constantFrom('Always', 'OnFailure', 'Never'),
      hostNetwork: fc.boolean(),
      terminationGracePeriodSeconds: fc.constantFrom(0, 10, 30, 60, 600, 3600),
    },
    { requiredKeys: ['containers'] },
  )
  .map(({ containers, sidecar, ...others }) => ({
    ...others,
    containers: containers.map((entry, index) => ({ name: `app-${index}`, ...entry })),
    ...(sidecar && { initContainers: [{ ...sidecar, name: 'sidecar', restartPolicy: 'Always' }] }),
  }));

const annotations = fc.constantFrom<JsonObject>({}, {}, {}, { 'sidecar.istio.io/rewriteAppHTTPProbers': 'false' });
const template = fc
  .tuple(podSpec, annotations)
  .map(([spec, own]) => ({ metadata: { labels: { app: 'web' }, annotations: own }, spec }));
const metadata = { name: 'web', namespace: 'apps' };

const deploymentSpec = fc.record(
  {
    progressDeadlineSeconds: fc.constantFrom(30, 60, 120, 600),
    minReadySeconds: fc.constantFrom(0, 10, 60),
    replicas: fc.constantFrom(0, 1, 3),
  },
  { requiredKeys: [] },
);

function ofKind(apiVersion: string, kind: string, rest: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> {
  return rest.map((members) => ({ apiVersion, kind, metadata, ...members }));
}

const specOfTemplate = template.map((pods) => ({ spec: { template: pods } }));
const specOfDeployment = fc.tuple(template, deploymentSpec).map(([pods, spec]) => ({
  spec: { ...spec, selector: { matchLabels: { app: 'web' } }, template: pods },
}));
const twoJobs = fc.tuple(template, template).map((both) => ({
  spec: {
    replicatedJobs: both.map((pods, index) => ({ name: `job-${index}`, template: { spec: { template: pods } } })),
  },
}));

/** Objects with Pod templates, of built-in and custom kinds. */
export const anyWorkload: fc.Arbitrary<JsonObject> = fc.oneof(
  {
    weight: 3,
    arbitrary: ofKind(
      'v1',
      'Pod',
      podSpec.map((spec) => ({ spec })),
    ),
  },
  { weight: 6, arbitrary: ofKind('apps/v1', 'Deployment', specOfDeployment) },
  ofKind('apps/v1', 'StatefulSet', specOfTemplate),
  ofKind('batch/v1', 'Job', specOfTemplate),
  ofKind(
    'batch/v1',
    'CronJob',
    specOfTemplate.map((jobTemplate) => ({ spec: { jobTemplate } })),
  ),
  ofKind(
    'v1',
    'PodTemplate',
    template.map((pods) => ({ template: pods })),
  ),
  ofKind('serving.knative.dev/v1', 'Service', specOfTemplate),
  ofKind('jobset.x-k8s.io/v1alpha2', 'JobSet', twoJobs),
);
