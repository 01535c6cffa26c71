import { Agent, request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { controlPlaneProblem, startControlPlane, type ControlPlane } from '../test/e2e/control-plane.ts';
import { hasThreeProbes, pod } from '../test/e2e/pods.ts';
import { rule } from '../test/e2e/webhook-configuration.ts';
import { judged, percentile, ratios, reading, type Findings, type Row } from './figures.ts';
import { saturate } from './load.ts';
import { podReviews, reviewsOfPaths } from './reviews.ts';
import type { MeasuredServer, Sides } from './processes.ts';

const ROUNDS = 5;
const PODS_A_ROUND = 150;
const WARM_UP_PODS = 100;
/** Until V8 has compiled what is run: after a hundred Pods, half of Probewright's processor time is uncompiled code. */
const WARM_UP_REQUESTS = 25_000;
const TITLE = 'On a real API server';

/** A way to admit Pods: the namespace where it counts. */
interface Way {
  readonly name: string;
  readonly namespace: string;
  readonly adds: boolean;
  /** Creates Pods as the controller of a ReplicaSet does. */
  readonly isOfController?: boolean;
  /** The server that is called once for each Pod. Absent where none is called, or one is called twice. */
  readonly callsOnce?: MeasuredServer;
}

/** The part of a Pod that a controller creates, and the account of the controller. */
const OWNED = 'of a controller';
const OWNER = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'bench', uid: 'bench', controller: true };
const CONTROLLER = {
  'impersonate-user': 'system:serviceaccount:kube-system:replicaset-controller',
  'impersonate-group': 'system:masters',
};

/** The side of the API server's own admission policies, and its namespaces. */
const IN_CEL = 'admission policies in CEL';
const IN_CEL_OWNED = `${IN_CEL}, ${OWNED}`;
const NATIVE = 'bench-native';
const NATIVE_OWNED = 'bench-native-owned';

/** What creating a Pod takes with and without a webhook. The goals are about the one call for a Pod of a controller. */
export async function onApiServer(sides: Sides): Promise<Findings> {
  const problem = controlPlaneProblem();
  if (problem !== undefined) return { title: TITLE, how: '', rows: [], skipped: problem };
  const cluster = await startControlPlane();
  const server = await sides.probewright();
  const bare = await sides.bare();
  const patching = await sides.fastify();
  try {
    const native = await installPolicies(cluster);
    const ways: Way[] = [
      { name: 'no webhook', namespace: 'bench-none', adds: false },
      { name: '(c)', namespace: 'bench-bare', adds: false },
      { name: 'Probewright', namespace: 'bench-probewright', adds: true },
      ...(native.served ? [{ name: IN_CEL, namespace: NATIVE, adds: true }] : []),
      { name: `no webhook, ${OWNED}`, namespace: 'bench-none-owned', adds: false, isOfController: true },
      { name: `(a) once, ${OWNED}`, namespace: 'bench-bare-owned', adds: false, isOfController: true, callsOnce: bare },
      {
        name: `(b) once, ${OWNED}`,
        namespace: 'bench-patching-owned',
        adds: true,
        isOfController: true,
        callsOnce: patching,
      },
      {
        name: `Probewright, ${OWNED}`,
        namespace: 'bench-probewright-owned',
        adds: true,
        isOfController: true,
        callsOnce: server,
      },
      ...(native.served ? [{ name: IN_CEL_OWNED, namespace: NATIVE_OWNED, adds: true, isOfController: true }] : []),
    ];
    for (const { namespace } of ways)
      await create(cluster, '/api/v1/namespaces', { metadata: { name: namespace, labels: { bench: namespace } } });
    const all = [
      ...webhooks(sides.caPem, server, 'probewright'),
      ...webhooks(sides.caPem, bare, 'bare'),
      // The chart's match conditions leave one call for such a Pod, to mutate.
      ...webhooks(sides.caPem, server, 'probewright-owned').slice(0, 1),
      ...webhooks(sides.caPem, bare, 'bare-owned').slice(0, 1),
      ...webhooks(sides.caPem, patching, 'patching-owned').slice(0, 1),
    ];
    for (const webhook of all)
      await create(cluster, '/apis/admissionregistration.k8s.io/v1/' + webhook.path, webhook.object);
    await warmUp({ server, bare, patching });
    const rows = await measured(cluster, ways);
    return {
      title: TITLE,
      how: `kube-apiserver ${cluster.version} with etcd, all on this machine: one client creates Pods one after the other over one connection, ${ROUNDS} rounds of ${PODS_A_ROUND} in each namespace, in turns. Before, each server answers ${WARM_UP_REQUESTS.toLocaleString('en')} reviews of each kind to warm up. Probewright is called twice for each Pod, to mutate and to validate; (c) is (a), the bare \`node:https\` server, called twice in the same way. A Pod of a controller costs one call, to mutate, as with the chart's match conditions. The client creates such a Pod as a controller of ReplicaSets does. ${native.note}`,
      rows,
    };
  } finally {
    await patching.stop();
    await bare.stop();
    await server.stop();
    await cluster.stop();
  }
}

/** All calls that the Pods below cost. (b) is asked to mutate alone. */
async function warmUp(sides: Readonly<Record<'server' | 'bare' | 'patching', MeasuredServer>>): Promise<void> {
  const { server, bare, patching } = sides;
  const requests = WARM_UP_REQUESTS;
  for (const [path, bodies] of reviewsOfPaths())
    for (const one of [server, bare]) await saturate({ server: one, path, bodies }, { requests });
  for (const one of [server, bare, patching])
    await saturate({ server: one, path: '/mutate', bodies: podReviews('controller') }, { requests });
}

async function measured(cluster: ControlPlane, ways: readonly Way[]): Promise<Row[]> {
  const agent = new Agent({ ca: cluster.access.caPem, keepAlive: true, maxSockets: 1 });
  const found = new Map<string, Percentiles>(ways.map(({ name }) => [name, { p50: [], p95: [], p99: [] }]));
  const cpu = new Map<string, number[]>(ways.filter(({ callsOnce }) => callsOnce).map(({ name }) => [name, []]));
  let count = 0;
  const round = async (way: Way, pods: number): Promise<number[]> => {
    const { namespace, adds } = way;
    const latencies: number[] = [];
    for (let index = 0; index < pods; index++, count++) {
      const body = bodyOf(`pod-${count}`, way);
      const began = performance.now();
      const stored = await post(cluster, agent, way, body);
      latencies.push(performance.now() - began);
      if (hasThreeProbes(stored) !== adds) throw new Error(`a Pod in ${namespace} ${adds ? 'lacks' : 'has'} probes`);
    }
    return latencies.sort((a, b) => a - b);
  };
  for (const way of ways) {
    if (way.adds) await untilAdded(cluster, agent, way);
    await round(way, WARM_UP_PODS);
  }
  for (let index = 0; index < ROUNDS; index++)
    for (const way of ways) {
      const before = way.callsOnce?.cpuSeconds();
      const latencies = await round(way, PODS_A_ROUND);
      if (way.callsOnce !== undefined && before !== undefined)
        cpu.get(way.name)?.push(((way.callsOnce.cpuSeconds() - before) * 1000) / PODS_A_ROUND);
      for (const [at, percent] of PERCENTILES) found.get(way.name)?.[at].push(percentile(latencies, percent));
    }
  agent.destroy();
  const [none, ...others] = [...found].filter(([name]) => !name.endsWith(OWNED));
  const added = (name: string, without: string): number[] =>
    (found.get(name)?.p50 ?? []).map((value, round) => value - (found.get(without)?.p50[round] ?? NaN));
  const addedToOwned = (name: string): number[] => added(`${name}, ${OWNED}`, `no webhook, ${OWNED}`);
  return [
    ...[...found].flatMap(([name, { p50, p99 }]) => [
      reading(`${name}: p50`, p50, ' ms'),
      reading(`${name}: p99`, p99, ' ms'),
    ]),
    ...[...cpu].map(([name, each]) =>
      name === `Probewright, ${OWNED}`
        ? judged(`${name}: processor time of a call`, each, { atMost: 0.8 }, ' ms')
        : reading(`${name}: processor time of a call`, each, ' ms'),
    ),
    ...others.map(([name, { p50 }]) => reading(`${name} / ${none?.[0]}, p50`, ratios(p50, none?.[1].p50 ?? []))),
    reading(
      'added by Probewright / added by (c), p50',
      ratios(added('Probewright', 'no webhook'), added('(c)', 'no webhook')),
    ),
    reading(
      `added by Probewright / added by (b) once, ${OWNED}, p50`,
      ratios(addedToOwned('Probewright'), addedToOwned('(b) once')),
    ),
    reading(
      `added by Probewright / added by (a) once, ${OWNED}, p50`,
      ratios(addedToOwned('Probewright'), addedToOwned('(a) once')),
    ),
    ...againstCel(found.get(`Probewright, ${OWNED}`), found.get(IN_CEL_OWNED)),
  ];
}

const PERCENTILES = [
  ['p50', 50],
  ['p95', 95],
  ['p99', 99],
] as const;
/** Milliseconds, round by round. */
type Percentiles = Readonly<Record<(typeof PERCENTILES)[number][0], number[]>>;

/** One call of Probewright beside the API server's own policies; no rows where the API server has no such policies. */
function againstCel(ours: Percentiles | undefined, native: Percentiles | undefined): Row[] {
  if (ours === undefined || native === undefined) return [];
  return PERCENTILES.map(([at]) =>
    judged(`Probewright / ${IN_CEL_OWNED}, ${at}`, ratios(ours[at], native[at]), { atMost: 1 }),
  );
}

function bodyOf(name: string, { namespace, isOfController }: Way): string {
  const made = pod(name, namespace) as { readonly metadata: object };
  if (isOfController !== true) return JSON.stringify(made);
  return JSON.stringify({ ...made, metadata: { ...made.metadata, ownerReferences: [OWNER] } });
}

/** What an API server is told takes a moment to count. */
async function untilAdded(cluster: ControlPlane, agent: Agent, way: Way): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const stored = await post(cluster, agent, way, bodyOf(`wait-${attempt}`, way));
    if (hasThreeProbes(stored)) return;
    await sleep(50);
  }
  throw new Error(`Pods in ${way.namespace} get no probes`);
}

async function create(cluster: ControlPlane, path: string, object: object): Promise<void> {
  const { status, body } = await cluster.request('POST', path, object);
  if (status !== 201) throw new Error(`${path}: ${status} ${body}`);
}

function post(cluster: ControlPlane, agent: Agent, { namespace, isOfController }: Way, body: string): Promise<unknown> {
  const headers = {
    authorization: `Bearer ${cluster.access.token}`,
    'content-type': 'application/json',
    ...(isOfController === true && CONTROLLER),
  };
  return new Promise((resolve, reject) => {
    const sent = request(
      `${cluster.server}/api/v1/namespaces/${namespace}/pods`,
      { method: 'POST', agent, headers },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () => {
          if (response.statusCode === 201) resolve(JSON.parse(text));
          else reject(new Error(`a Pod in ${namespace}: ${response.statusCode} ${text}`));
        });
      },
    );
    sent.on('error', reject).end(body);
  });
}

/** A mutating and a validating webhook for the namespace `bench-<name>`. */
function webhooks(caPem: string, server: MeasuredServer, name: string): { path: string; object: object }[] {
  return [
    { kind: 'MutatingWebhookConfiguration', path: 'mutatingwebhookconfigurations', verb: 'mutate' },
    { kind: 'ValidatingWebhookConfiguration', path: 'validatingwebhookconfigurations', verb: 'validate' },
  ].map(({ kind, path, verb }) => ({
    path,
    object: {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind,
      metadata: { name: `bench-${name}` },
      webhooks: [
        {
          name: `${verb}.${name}.probewright.dev`,
          clientConfig: {
            url: `https://127.0.0.1:${server.port}/${verb}`,
            caBundle: Buffer.from(caPem).toString('base64'),
          },
          rules: [rule('', ['pods'], ['CREATE'])],
          namespaceSelector: { matchLabels: { bench: `bench-${name}` } },
          failurePolicy: 'Fail',
          sideEffects: 'None',
          timeoutSeconds: 5,
          admissionReviewVersions: ['v1'],
        },
      ],
    },
  }));
}

const MUTATING = 'mutatingadmissionpolicies';
const VALIDATING = 'validatingadmissionpolicies';

/** Policies in CEL that do a comparable job in their namespace, where the server serves both kinds. */
async function installPolicies(cluster: ControlPlane): Promise<{ served: boolean; note: string }> {
  for (const version of ['v1', 'v1beta1']) {
    const { body } = await cluster.request('GET', `/apis/admissionregistration.k8s.io/${version}`);
    const names = ((JSON.parse(body) as { resources?: { name: string }[] }).resources ?? []).map(({ name }) => name);
    if (!names.includes(MUTATING)) continue;
    const group = '/apis/admissionregistration.k8s.io';
    try {
      const objects = nativePolicies();
      for (const [resource, object] of objects.slice(0, 2))
        await create(cluster, `${group}/${version}/${resource}`, {
          apiVersion: `admissionregistration.k8s.io/${version}`,
          ...object,
        });
      for (const [resource, object] of objects.slice(2))
        await create(cluster, `${group}/v1/${resource}`, { apiVersion: 'admissionregistration.k8s.io/v1', ...object });
    } catch (error) {
      // What there is to compare with is worth less than the other figures.
      return {
        served: false,
        note: `${cluster.version} refused the admission policies to compare with: ${String(error)}.`,
      };
    }
    return {
      served: true,
      note: `The admission policies in CEL (MutatingAdmissionPolicy ${version}) add three fixed probes to container \`app\` and require that its probes name a declared port.`,
    };
  }
  return { served: false, note: `${cluster.version} serves no MutatingAdmissionPolicy to compare with.` };
}

/** Mutating policy and binding, validating policy and binding. */
function nativePolicies(): [string, object][] {
  const constraints = {
    namespaceSelector: { matchExpressions: [{ key: 'bench', operator: 'In', values: [NATIVE, NATIVE_OWNED] }] },
    resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
  };
  const probe = (path: string): string =>
    `{"httpGet": dyn({"path": dyn("${path}"), "port": dyn("http")}), "periodSeconds": dyn(5), "timeoutSeconds": dyn(2)}`;
  const mutations = Object.entries({
    startupProbe: '/healthcheck/live',
    livenessProbe: '/healthcheck/live',
    readinessProbe: '/healthcheck/ready',
  }).map(([kind, path]) => ({
    patchType: 'JSONPatch',
    jsonPatch: {
      expression: `object.spec.containers[0].name == "app" && !has(object.spec.containers[0].${kind}) ? [JSONPatch{op: "add", path: "/spec/containers/0/${kind}", value: ${probe(path)}}] : []`,
    },
  }));
  const validations = ['startupProbe', 'livenessProbe', 'readinessProbe'].map((kind) => ({
    expression: `object.spec.containers.all(c, !has(c.${kind}) || !has(c.${kind}.httpGet) || type(c.${kind}.httpGet.port) == int || (has(c.ports) && c.ports.exists(p, has(p.name) && p.name == c.${kind}.httpGet.port)))`,
    message: `${kind} names a port that is not declared`,
  }));
  const metadata = { name: 'probes.example.com' };
  return [
    [
      MUTATING,
      {
        kind: 'MutatingAdmissionPolicy',
        metadata,
        spec: { matchConstraints: constraints, failurePolicy: 'Fail', reinvocationPolicy: 'Never', mutations },
      },
    ],
    [
      'mutatingadmissionpolicybindings',
      { kind: 'MutatingAdmissionPolicyBinding', metadata, spec: { policyName: metadata.name } },
    ],
    [
      VALIDATING,
      {
        kind: 'ValidatingAdmissionPolicy',
        metadata,
        spec: { matchConstraints: constraints, failurePolicy: 'Fail', validations },
      },
    ],
    [
      'validatingadmissionpolicybindings',
      {
        kind: 'ValidatingAdmissionPolicyBinding',
        metadata,
        spec: { policyName: metadata.name, validationActions: ['Deny'] },
      },
    ],
  ];
}
