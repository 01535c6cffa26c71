import { beforeAll, expect, it } from 'vitest';
import { clusterPolicyDocument } from '../support/worlds.ts';
import { helmProblem, one, render } from '../chart/helm.ts';
import { unmetConditions, type MatchCondition } from '../chart/match-conditions.ts';
import { type ControlPlane, controlPlaneProblem, startControlPlane } from './control-plane.ts';
import { waitUntil } from './processes.ts';
import { deployment, deploymentsOf } from './pods.ts';
import { report } from './scenario-figure.ts';
import { describeUnless, endedAfterAll } from '../support/started.ts';
import { startWebhook, type WebhookProcess } from './webhook-process.ts';
import { once } from 'node:events';
import { Agent, createServer, request as httpsRequest } from 'node:https';
import { makeServingPair } from '../support/certificate.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '../../src/base/json/json-value.ts';

interface Webhook {
  readonly name: string;
  readonly clientConfig: { readonly service: { readonly path: string } };
  readonly matchConditions?: readonly MatchCondition[];
}

interface Configuration {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly webhooks: readonly Webhook[];
}

const problem = controlPlaneProblem({ controllers: true }) ?? helmProblem();
const replicas = 100;
const added = 10;
const creator = 'system:serviceaccount:kube-system:replicaset-controller';

/** What is done to a Deployment, in this order. */
const steps = ['created', 'scaled', 'labelled', 'Pods labelled'] as const;
type Step = (typeof steps)[number];
type Calls = Readonly<Record<Step, number>>;

const policy = clusterPolicyDocument({ containers: ['*'], kubernetesProbeEndpoints: { livenessProbe: '/livez' } });

/** A probe on a port that the container does not declare is a violation that only leads to Audit. */
const web = (namespace: string, name: string, replicas: number): ReturnType<typeof deployment> =>
  deployment(name, { namespace, replicas, container: { readinessProbe: { tcpSocket: { port: 9999 } } } });

function chart(set: readonly string[] = []): Configuration[] {
  const patient = [
    'webhooks.timeoutSeconds=30',
    ...['pods', 'workloads'].map((what) => `webhooks.${what}.failurePolicy=Fail`),
  ];
  const manifests = render({ set: [...patient, ...set] });
  return ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'].map((kind) =>
    one<Configuration>(manifests, kind),
  );
}

describeUnless(problem, 'the calls that a Deployment costs', () => {
  const keep = endedAfterAll();
  let cluster: ControlPlane;
  let recorder: ReviewRecorder;
  let areConditionsKept = false;

  beforeAll(async () => {
    cluster = await keep(startControlPlane({ controllers: true, auditedUsers: [creator] }));
    const webhook = await keep(startWebhook({ policies: { 'platform.yaml': JSON.stringify(policy) } }));
    recorder = await keep(startReviewRecorder(webhook));
  });

  /** Registers the chart's webhooks, and says whether the server keeps all match conditions that they have. */
  async function register(round: string, configurations: readonly Configuration[]): Promise<boolean> {
    let isKept = true;
    for (const configuration of configurations) {
      const path = `/apis/admissionregistration.k8s.io/v1/${configuration.kind.toLowerCase()}s`;
      await cluster.request('DELETE', `${path}/${configuration.metadata.name}`);
      const webhooks = configuration.webhooks.map((entry) => ({
        ...entry,
        clientConfig: {
          url: recorder.urlOf(round, entry.name, entry.clientConfig.service.path),
          caBundle: Buffer.from(recorder.caPem).toString('base64'),
        },
      }));
      const { status, body } = await cluster.request('POST', path, { ...configuration, webhooks });
      if (status !== 201) throw new Error(body);
      const stored = (JSON.parse(body) as Configuration).webhooks.map(({ matchConditions = [] }) => matchConditions);
      // An entry without conditions has none to keep: with skipNeedlessCalls=false, that is no sign of an old server.
      isKept &&= webhooks.every(({ matchConditions = [] }, index) => stored[index]?.length === matchConditions.length);
    }
    const trial = web('default', 'trial', 1);
    const { metadata, spec } = trial.spec.template;
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, name: 'trial' }, spec };
    await waitUntil('the API server calls all webhooks', async () => {
      await cluster.request('POST', `${deploymentsOf('default')}?dryRun=All`, trial);
      await cluster.request('POST', '/api/v1/namespaces/default/pods?dryRun=All', pod);
      return (
        new Set(recorder.reviews.filter((review) => review.round === round).map((review) => review.webhook)).size === 3
      );
    });
    return isKept;
  }

  /** Takes a Deployment through the steps and gives the reviews of each. */
  async function callsOf(round: string): Promise<Record<Step, RecordedReview[]>> {
    const namespace = round;
    await cluster.kubectl(['create', 'namespace', namespace]);
    const inNamespace = (...args: string[]): Promise<unknown> => cluster.kubectl([...args, '--namespace', namespace]);
    const settled = async (count: number): Promise<RecordedReview[]> => {
      await waitUntil(
        `${count} Pods are there, and the Deployment's controller has said so`,
        async () => {
          const { metadata, status } = await cluster.read<{
            metadata: { generation: number };
            status: { observedGeneration?: number; replicas?: number };
          }>(`${deploymentsOf(namespace)}/web`);
          const { items } = await cluster.read<{ items: unknown[] }>(`/api/v1/namespaces/${namespace}/pods`);
          return (
            status.observedGeneration === metadata.generation && status.replicas === count && items.length === count
          );
        },
        120_000,
        250,
      );
      return recorder.reviews.filter(({ request }) => request['namespace'] === namespace);
    };
    const total = replicas + added;
    const seen: RecordedReview[][] = [];
    await cluster.create(deploymentsOf(namespace), web(namespace, 'web', replicas));
    seen.push(await settled(replicas));
    await inNamespace('scale', 'deployment', 'web', `--replicas=${total}`);
    seen.push(await settled(total));
    await inNamespace('label', 'deployment', 'web', 'team=shop');
    seen.push(await settled(total));
    await inNamespace('label', 'pods', '--all', 'team=shop');
    seen.push(await settled(total));
    return Object.fromEntries(
      steps.map((step, index) => [step, seen[index]?.slice(seen[index - 1]?.length ?? 0) ?? []]),
    ) as Record<Step, RecordedReview[]>;
  }

  const counted = (reviews: Record<Step, readonly RecordedReview[]>): Calls =>
    Object.fromEntries(steps.map((step) => [step, reviews[step].length])) as Calls;

  it('are one for each Pod, and one for a new template, where the API server knows match conditions', async () => {
    await register('before', chart(['webhooks.skipNeedlessCalls=false']));
    const reviews = await callsOf('before');
    const before = counted(reviews);
    // What the chart's conditions say of these very reviews, by another evaluator than the API server's.
    const conditions = new Map(
      chart().flatMap(({ webhooks }) => webhooks.map((each) => [each.name, each.matchConditions ?? []])),
    );
    const isSent = (review: RecordedReview): boolean =>
      unmetConditions(conditions.get(review.webhook) ?? [], review.request).length === 0;
    const computed = counted(
      Object.fromEntries(steps.map((step) => [step, reviews[step].filter(isSent)])) as Record<Step, RecordedReview[]>,
    );
    // A server that keeps them all has something to keep.
    const conditionCount = [...conditions.values()].flat().length;
    expect(conditionCount).toBeGreaterThan(0);
    areConditionsKept = await register('after', chart());
    const after = counted(await callsOf('after'));
    printTable({ before, computed, after });

    // The Deployment once and its ReplicaSet once; each Pod twice.
    expect(before.created).toBeGreaterThanOrEqual(2 + 2 * replicas);
    expect(before.scaled).toBeGreaterThanOrEqual(1 + 2 * added);
    expect(before.labelled).toBeGreaterThanOrEqual(1);
    expect(before['Pods labelled']).toBe(replicas + added);
    const spared = { created: 1 + replicas, scaled: added, labelled: 0, 'Pods labelled': 0 };
    expect(computed).toEqual(spared);
    if (areConditionsKept) expect(after).toEqual(spared);
    // How often a controller updates a ReplicaSet differs by one or two.
    else for (const step of steps) expect(Math.abs(after[step] - before[step])).toBeLessThanOrEqual(5);
  });

  it('leave one audit annotation for each Pod that a controller creates, or one of each webhook', async () => {
    const recordedBy = async (namespace: string): Promise<Record<string, number>> => {
      const created = (await cluster.auditEvents()).filter(
        ({ verb, objectRef, stage, responseStatus }) =>
          verb === 'create' &&
          stage === 'ResponseComplete' &&
          objectRef?.resource === 'pods' &&
          objectRef.namespace === namespace &&
          responseStatus?.code === 201,
      );
      const keys = created.flatMap(({ annotations = {} }) =>
        Object.keys(annotations).filter((key) => key.endsWith('/violations')),
      );
      return Object.fromEntries([...Map.groupBy(keys, (key) => key)].map(([key, each]) => [key, each.length]));
    };
    const twice = {
      'mutate.probewright.dev/violations': replicas + added,
      'validate-pods.probewright.dev/violations': replicas + added,
    };
    expect(await recordedBy('before')).toEqual(twice);
    expect(await recordedBy('after')).toEqual(
      areConditionsKept ? { 'mutate.probewright.dev/violations': replicas + added } : twice,
    );
  });

  function printTable({ before, computed, after }: Record<'before' | 'computed' | 'after', Calls>): void {
    const server = `${cluster.version} ${areConditionsKept ? 'knows' : 'drops'} matchConditions`;
    report('calls', `a Deployment of ${replicas} replicas, scaled to ${replicas + added}; ${server}`);
    for (const step of steps) {
      report(
        `calls, ${step}`,
        `${before[step]} without conditions, ${computed[step]} by the conditions, ${after[step]} with the chart's defaults`,
      );
    }
  }
});

/** One call of the API server. */
interface RecordedReview {
  /** What the API server was told to call: the name of a round, and a webhook of a configuration. */
  readonly round: string;
  readonly webhook: string;
  /** The `request` of the AdmissionReview. */
  readonly request: JsonObject;
}

/** A server between the API server and a webhook process that keeps every review. */
interface ReviewRecorder {
  readonly reviews: readonly RecordedReview[];
  readonly caPem: string;
  /** Where the API server sends the reviews of a webhook. */
  urlOf(round: string, webhook: string, path: string): string;
  stop(): Promise<void>;
}

/** Starts a recorder in front of the webhook process. Whoever starts it stops it. */
async function startReviewRecorder(target: WebhookProcess): Promise<ReviewRecorder> {
  const { certPem, keyPem, caPem } = await makeServingPair();
  const agent = new Agent({ ca: target.caPem, keepAlive: true });
  const reviews: RecordedReview[] = [];
  const server = createServer({ cert: certPem, key: keyPem }, (incoming, outgoing) => {
    void bodyOf(incoming).then((body) => {
      const [, round = '', webhook = '', path = ''] = (incoming.url ?? '').split('/');
      const { request } = JSON.parse(body) as { request: JsonObject };
      reviews.push({ round, webhook, request });
      forward(new URL(`/${path}`, target.url), agent, body, outgoing);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    reviews,
    caPem,
    urlOf: (round, webhook, path) => `https://127.0.0.1:${port}/${round}/${webhook}${path}`,
    stop: async () => {
      agent.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function forward(url: URL, agent: Agent, body: string, outgoing: ServerResponse): void {
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const forwarded = httpsRequest(url, { method: 'POST', agent, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, { 'content-type': 'application/json' });
    answer.pipe(outgoing);
  });
  forwarded.on('error', (error) => {
    outgoing.writeHead(502).end(String(error));
  });
  forwarded.end(body);
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
