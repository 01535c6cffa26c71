import { beforeAll, expect, it } from 'vitest';
import { clusterPolicyDocument, policyDocument } from '../support/worlds.ts';
import { type ControlPlane, controlPlaneProblem, startControlPlane } from './control-plane.ts';
import { ROLLOUT_DEFINITION } from './custom-resource-definitions.ts';
import { get, MERGE } from './http-requests.ts';
import { deployment, deploymentsOf } from './pods.ts';
import { freePorts, waitUntil } from './processes.ts';
import { describeUnless, endedAfterAll } from '../support/started.ts';
import { rule, webhookConfiguration } from './webhook-configuration.ts';
import { type WebhookProcess, startWebhook } from './webhook-process.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

const TENANT = 'tenant';
/** Has as many policies as a namespace may have in force. */
const CROWDED = 'crowded';
const OTHER = 'other';

const FLOOR = clusterPolicyDocument({ checks: { 'named-port': { action: 'Deny', floor: 'Deny' } } }, 'floors');
const CROWD = Array.from({ length: 100 }, (_, index) =>
  policyDocument(
    {
      containers: ['app', ...Array.from({ length: 30 }, (__, other) => `other-${index}-${other}`)],
      checks: {
        'named-port': { action: 'Off' },
        'exec-forbidden': { action: 'Deny', names: [`tool-${index}`, 'curl'] },
      },
    },
    `p-${index}`,
    CROWDED,
  ),
);

const readiness = (port: string): JsonObject => ({ readinessProbe: { httpGet: { path: '/', port } } });
const BAD = readiness('htpp');
const GOOD = readiness('http');
/** Go writes `<`, `>`, `&`, U+2028 and U+2029 in six bytes each, so a review is six times as long. */
const padding = (characters: number, text = '<'): JsonObject => ({
  lifecycle: { preStop: { exec: { command: ['true', text.repeat(characters)] } } },
});
/** A review of 7.5 MiB, which is too long to be judged. */
const TOO_LONG = padding(1_250_000);
/** A review of 6 MiB, which is judged. */
const LONG = padding(1_000_000);
const DEPLOYMENTS = deploymentsOf(TENANT);
const TIMEOUT_SECONDS = 10;

interface StoredDeployment extends JsonObject {
  metadata: JsonObject & { labels?: JsonObject };
  spec: JsonObject & { template: JsonObject & { spec: JsonObject & { containers: JsonObject[] } } };
}

interface Answer {
  readonly code: number;
  readonly message: string;
}
const DENIED = { code: 403, message: expect.stringContaining('validate.probewright.dev') as string };
const namedPort = { code: 403, message: expect.stringContaining('(named-port)') as string };
const tooLong = { code: 403, message: expect.stringContaining('the request has more than 7 MiB') as string };

/** What design-doors.md calls rule 1 and 2: a tenant with `edit` under `failurePolicy: Ignore`. */
describeUnless(controlPlaneProblem(), 'what a tenant makes long, crowded or frequent under Ignore', () => {
  const keep = endedAfterAll();
  let cluster: ControlPlane;
  let webhook: WebhookProcess;
  let cronJobs: string;

  const send = async (method: string, path: string, body?: unknown, headers = {}): Promise<Answer> => {
    const answer = await cluster.request(method, path, body, headers);
    return { code: answer.status, message: String((JSON.parse(answer.body) as { message?: string }).message) };
  };
  const create = (name: string, container: JsonObject, namespace = TENANT): Promise<Answer> =>
    send('POST', deploymentsOf(namespace), deployment(name, { namespace, container }));
  const stored = (name: string): Promise<StoredDeployment> => cluster.read(`${DEPLOYMENTS}/${name}`);
  const names = async (namespace: string): Promise<string[]> => {
    const { items } = await cluster.read<{ items: { metadata: { name: string } }[] }>(deploymentsOf(namespace));
    return items.map(({ metadata }) => metadata.name);
  };
  /** Sends what is stored with another container, as `kubectl edit` does. */
  const edit = async (name: string, change: (container: JsonObject) => JsonObject): Promise<Answer> => {
    const object = await stored(name);
    object.spec.template.spec.containers = object.spec.template.spec.containers.map(change);
    return send('PUT', `${DEPLOYMENTS}/${name}`, object);
  };

  /** Points the API server at the program, or at a port on which nothing listens. */
  const point = async (at: WebhookProcess): Promise<void> => {
    const rules = [
      rule('', ['pods'], ['CREATE', 'UPDATE']),
      rule('apps', ['deployments'], ['CREATE', 'UPDATE']),
      rule('batch', ['cronjobs'], ['CREATE', 'UPDATE']),
      rule('argoproj.io', ['rollouts'], ['CREATE', 'UPDATE']),
    ];
    // On a busy machine, the API server itself needs some seconds to write 24 reviews of 7.5 MiB.
    const extra = { failurePolicy: 'Ignore', timeoutSeconds: TIMEOUT_SECONDS };
    await cluster.apply(
      webhookConfiguration('MutatingWebhookConfiguration', 'mutate', at, rules.slice(0, 1), extra),
      webhookConfiguration('ValidatingWebhookConfiguration', 'validate', at, rules, extra),
    );
    const expected = at === webhook ? 403 : 201;
    const trial = deployment('trial', { namespace: OTHER, container: BAD });
    await waitUntil(
      'the API server has the configuration',
      async () => (await send('POST', `${deploymentsOf(OTHER)}?dryRun=All`, trial)).code === expected,
    );
  };

  beforeAll(async () => {
    cluster = await keep(startControlPlane());
    const policies = [FLOOR, ...CROWD].map((document) => JSON.stringify(document)).join('\n---\n');
    webhook = await keep(startWebhook({ policies: { 'all.yaml': policies } }));
    for (const name of [TENANT, CROWDED, OTHER])
      await cluster.create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    const { resources } = await cluster.read<{ resources: { name: string }[] }>('/apis/batch/v1');
    // CronJobs are in batch/v1 since Kubernetes 1.21.
    cronJobs = resources.some(({ name }) => name === 'cronjobs') ? 'batch/v1' : 'batch/v1beta1';
    await cluster.apply(ROLLOUT_DEFINITION);
    await cluster.kubectl(['wait', '--for=condition=Established', 'crd/rollouts.argoproj.io', '--timeout=30s']);
    const [nobody] = await freePorts(1);
    await point({ ...webhook, url: `https://127.0.0.1:${nobody}` });
    for (const name of ['cleaned', 'repaired', 'kept', 'gone'])
      expect((await create(name, { ...BAD, ...TOO_LONG })).code).toBe(201);
    const metadata = { finalizers: ['example.com/hold'] };
    const held = deployment('held', { namespace: TENANT, container: { ...BAD, ...TOO_LONG }, metadata });
    expect((await send('POST', DEPLOYMENTS, held)).code).toBe(201);
    await point(webhook);
  });

  const template = (container: JsonObject): JsonObject =>
    deployment('padded', { namespace: TENANT, container }).spec.template;
  /** What is created by its kind: the collection, and the object. */
  const kinds: Readonly<Record<string, (container: JsonObject) => readonly [string, JsonObject]>> = {
    Deployment: (container) => [DEPLOYMENTS, deployment('padded', { namespace: TENANT, container })],
    Pod: (container) => [
      `/api/v1/namespaces/${TENANT}/pods`,
      { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'padded' }, spec: template(container)['spec'] },
    ],
    CronJob: (container) => {
      const { spec, ...rest } = template(container) as { spec: JsonObject };
      const job = { template: { ...rest, spec: { ...spec, restartPolicy: 'Never' } } };
      return [
        `/apis/${cronJobs}/namespaces/${TENANT}/cronjobs`,
        {
          apiVersion: cronJobs,
          kind: 'CronJob',
          metadata: { name: 'padded' },
          spec: { schedule: '0 0 * * *', jobTemplate: { spec: job } },
        },
      ];
    },
    Rollout: (container) => [
      `/apis/argoproj.io/v1alpha1/namespaces/${TENANT}/rollouts`,
      {
        ...deployment('padded', { namespace: TENANT, container }),
        apiVersion: 'argoproj.io/v1alpha1',
        kind: 'Rollout',
      },
    ],
  };

  it.each(Object.keys(kinds))('denies a %s with padding, alone and 24 at a time', async (kind) => {
    const [collection, object] = kinds[kind]?.({ ...BAD, ...TOO_LONG }) ?? ['', {}];
    expect(await send('POST', collection, object)).toEqual(tooLong);
    const [, shorter] = kinds[kind]?.({ ...BAD, ...LONG }) ?? ['', {}];
    expect(await send('POST', collection, shorter)).toEqual(namedPort);
    const answers = await Promise.all([
      ...Array.from({ length: 24 }, (_, index) => {
        const metadata = { ...(object['metadata'] as JsonObject), name: `padded-${index}` };
        return send('POST', collection, { ...(index % 2 === 0 ? object : shorter), metadata });
      }),
      // Small ones do not wait.
      ...Array.from({ length: 4 }, (_, index) => create(`small-${index}`, BAD, OTHER)),
    ]);
    expect(answers).toEqual(answers.map((_, index) => (index < 24 ? DENIED : namedPort)));
  });

  it.each([
    ['>', padding(1_250_000, '>')],
    ['&', padding(1_250_000, '&')],
    ['a line separator', padding(900_000, '\u2028')],
    ['many words', { lifecycle: { preStop: { exec: { command: Array<string>(200_000).fill('<<<<<<') } } } }],
    ['a variable', { env: [{ name: 'PADDING', value: '<'.repeat(1_250_000) }] }],
  ])('denies a Deployment that is padded with %s', async (_, more: JsonObject) => {
    expect(await create('padded', { ...BAD, ...more })).toEqual(DENIED);
  });

  it('lets through what is long and good', async () => {
    expect((await create('long-and-good', { ...GOOD, ...LONG })).code).toBe(201);
  });

  it('denies what was stored while the webhook was away, once the padding goes and the violation stays', async () => {
    expect(await edit('cleaned', (container) => ({ ...container, lifecycle: null }))).toEqual(namedPort);
  });

  it('denies each change of it that keeps the padding, with what is too long', async () => {
    expect(await edit('kept', (container) => ({ ...container, image: 'example.test/other:1' }))).toEqual(tooLong);
    expect(await edit('kept', (container) => ({ ...container, ...GOOD }))).toEqual(tooLong);
    const label = { metadata: { labels: { team: 'a' } } };
    expect(await send('PATCH', `${DEPLOYMENTS}/kept`, label, MERGE)).toEqual(tooLong);
  });

  it('lets through its repair, its scaling and its deletion', async () => {
    expect((await edit('repaired', (container) => ({ ...container, ...GOOD, lifecycle: null }))).code).toBe(200);
    expect((await send('PATCH', `${DEPLOYMENTS}/kept/scale`, { spec: { replicas: 0 } }, MERGE)).code).toBe(200);
    expect((await send('DELETE', `${DEPLOYMENTS}/gone`)).code).toBe(200);
    expect((await send('DELETE', `${DEPLOYMENTS}/held`)).code).toBe(200);
    expect((await send('PATCH', `${DEPLOYMENTS}/held`, { metadata: { finalizers: null } }, MERGE)).code).toBe(200);
    expect((await names(TENANT)).toSorted()).toEqual(['cleaned', 'kept', 'long-and-good', 'repaired']);
  });

  it.each([12, 24])('denies %d small creations at a time in a namespace with 100 policies', async (count) => {
    for (let round = 0; round < 5; round += 1) {
      const more = { env: Array.from({ length: 60 }, (_, index) => ({ name: `V_${index}`, value: 'x'.repeat(40) })) };
      const all = Array.from({ length: count }, (_, index) => create(`small-${index}`, { ...BAD, ...more }, CROWDED));
      expect(await Promise.all(all)).toEqual(all.map(() => DENIED));
    }
    expect(await names(CROWDED)).toEqual([]);
  });

  it('denies all of 200 at a time, and another namespace has its verdicts in time', async () => {
    const end = performance.now() + 6000;
    let count = 0;
    const flood = async (): Promise<void> => {
      while (performance.now() < end) expect(await create(`flood-${count++}`, BAD)).toEqual(DENIED);
    };
    const others: string[] = [];
    let longest = 0;
    const other = async (): Promise<void> => {
      for (let index = 0; performance.now() < end; index += 1) {
        const began = performance.now();
        const { code } = await create(`other-${index}`, index % 2 === 0 ? BAD : GOOD, OTHER);
        longest = Math.max(longest, performance.now() - began);
        others.push(`${index % 2 === 0 ? 'bad' : 'good'} ${code}`);
      }
    };
    await Promise.all([other(), ...Array.from({ length: 200 }, flood)]);
    expect(new Set(others)).toEqual(new Set(['bad 403', 'good 201']));
    expect(longest).toBeLessThan(TIMEOUT_SECONDS * 1000);
    expect((await names(TENANT)).filter((name) => name.startsWith('flood'))).toEqual([]);
    const metrics = (await get(`${webhook.healthUrl}/metrics`)).body;
    expect(/^probewright_connections_dropped_total{port="webhook"} (\d+)$/m.exec(metrics)?.[1]).toBe('0');
  });
});
