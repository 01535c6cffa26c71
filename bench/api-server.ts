import { Agent, request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { objectMember, type JsonObject } from '../src/base/json/json-value.ts';
import { PARAM_DEFINITION } from '../src/native/namespace-probes.ts';
import { nativeObjects } from '../src/native/objects.ts';
import { controlPlaneProblem, startControlPlane, type ControlPlane } from '../test/e2e/control-plane.ts';
import { whyNoNativePolicy } from '../test/e2e/native-api.ts';
import { hasThreeProbes, pod } from '../test/e2e/pods.ts';
import { waitUntil } from '../test/e2e/processes.ts';
import { rule } from '../test/e2e/webhook-configuration.ts';
import { judged, percentile, ratios, reading, type Findings, type Row } from './figures.ts';
import { saturate } from './load.ts';
import { fiftyPolicies } from './policies.ts';
import { podReviews, reviewsOfPaths } from './reviews.ts';
import { policySet } from '../test/support/worlds.ts';
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

/** The sides with the native policy, and their namespaces. */
const IN_CEL = 'native policy';
const IN_CEL_OWNED = `${IN_CEL}, ${OWNED}`;
const NATIVE = 'bench-native';
const NATIVE_OWNED = 'bench-native-owned';
const BOTH_OWNED = 'bench-both-owned';
/** The namespace of the parameter for namespaces without policies of their own. */
const HOME = 'probewright';

/** What creating a Pod takes with and without a webhook. The goals are about the one call for a Pod of a controller. */
export async function onApiServer(sides: Sides): Promise<Findings> {
  const problem = controlPlaneProblem();
  if (problem !== undefined) return { title: TITLE, how: '', rows: [], skipped: problem };
  const cluster = await startControlPlane();
  const server = await sides.probewright();
  const bare = await sides.bare();
  const patching = await sides.fastify();
  try {
    await create(cluster, '/api/v1/namespaces', { metadata: { name: HOME } });
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
      ...(native.served
        ? [
            { name: IN_CEL_OWNED, namespace: NATIVE_OWNED, adds: true, isOfController: true },
            { name: `${IN_CEL} and Probewright, ${OWNED}`, namespace: BOTH_OWNED, adds: true, isOfController: true },
          ]
        : []),
    ];
    for (const { namespace } of ways)
      await create(cluster, '/api/v1/namespaces', { metadata: { name: namespace, labels: { bench: namespace } } });
    const all = [
      ...webhooks(sides.caPem, server, 'probewright'),
      ...webhooks(sides.caPem, bare, 'bare'),
      // The chart's match conditions leave one call for such a Pod, to mutate.
      ...webhooks(sides.caPem, server, 'probewright-owned').slice(0, 1),
      ...webhooks(sides.caPem, server, 'both-owned').slice(0, 1),
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

/** The policies of the webhook as the API server's own, for the namespaces of the sides that have it. */
async function installPolicies(cluster: ControlPlane): Promise<{ served: boolean; note: string }> {
  const whyNot = await whyNoNativePolicy(cluster);
  if (whyNot !== undefined) return { served: false, note: `${whyNot}.` };
  await cluster.apply(PARAM_DEFINITION);
  const params = '/apis/probewright.dev/v1alpha1/namespaceprobes';
  await waitUntil('the kind is served', async () => (await cluster.request('GET', params)).status === 200);
  const objects = nativeObjects(policySet(...fiftyPolicies()), HOME).filter(({ metadata }) =>
    [HOME, undefined].includes((metadata as { namespace?: string }).namespace),
  );
  await cluster.apply(...objects.map(inNativeNamespaces));
  return {
    served: true,
    note: 'The native policy is what `probewright export` prints for the policies of the webhook.',
  };
}

/** A binding as it is, but for the namespaces of the bench that have the native policy. */
function inNativeNamespaces(object: JsonObject): JsonObject {
  if (object['kind'] !== 'MutatingAdmissionPolicyBinding') return object;
  const namespaceSelector = {
    matchExpressions: [{ key: 'bench', operator: 'In', values: [NATIVE, NATIVE_OWNED, BOTH_OWNED] }],
  };
  return { ...object, spec: { ...objectMember(object, 'spec'), matchResources: { namespaceSelector } } };
}
