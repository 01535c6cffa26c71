import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, it } from 'vitest';
import { seededRandom } from '../kubelet/pods.ts';
import { playPod } from '../kubelet/player.ts';
import { policyDocument } from '../support/worlds.ts';
import { type ControlPlane, controlPlaneProblem, startControlPlane } from './control-plane.ts';
import { MERGE, get } from './http-requests.ts';
import { deployment, deploymentsOf } from './pods.ts';
import { waitUntil } from './processes.ts';
import { describeUnless, endedAfterAll } from '../support/started.ts';
import { applyCrds } from './custom-resource-definitions.ts';
import { rule, webhookConfiguration } from './webhook-configuration.ts';
import { type WebhookProcess, startProgram, startWebhook } from './webhook-process.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';
import type { StartTruth } from '../kubelet/truth.ts';

const spec = (liveness: string): JsonObject => ({
  port: 'http',
  kubernetesProbeEndpoints: { livenessProbe: liveness },
});
/** Times of objects are whole seconds, and the observer allows the webhook 2 s to learn of a policy. */
const beyondTheMargin = 3500;

/** A Deployment with one replica. */
const observed = (namespace: string, name: string, container: JsonObject = {}): ReturnType<typeof deployment> =>
  deployment(name, { namespace, container, replicas: 1 });

describeUnless(controlPlaneProblem({ controllers: true }), 'the observer and the Pods of a real API server', () => {
  const keep = endedAfterAll();
  let cluster: ControlPlane;
  let webhook: WebhookProcess;
  let healthUrl: string;

  beforeAll(async () => {
    cluster = await keep(startControlPlane({ controllers: true }));
    await applyCrds(cluster);
    for (const name of ['apps', 'failing'])
      await cluster.create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    const policy = JSON.stringify(policyDocument(spec('/livez'), 'static'));
    webhook = await keep(startWebhook({ policies: { 'policy.json': policy } }));
  }, 180_000);

  const create = (object: ReturnType<typeof deployment>): Promise<void> =>
    cluster.create(deploymentsOf(String((object['metadata'] as JsonObject)['namespace'])), object);

  async function podsOf(namespace: string): Promise<JsonObject[]> {
    return (await cluster.read<{ items: JsonObject[] }>(`/api/v1/namespaces/${namespace}/pods`)).items;
  }
  const untilPods = (namespace: string, count: number): Promise<unknown> =>
    waitUntil(`${count} Pods`, async () => (await podsOf(namespace)).length === count);

  /** The sums of a metric by cause, over all namespaces: `{namespace="apps",cause="missed"}` -> 10. */
  async function series(metric: string): Promise<Record<string, number>> {
    const { body } = await get(`${healthUrl}/metrics`);
    const sums: Record<string, number> = {};
    for (const line of body.split('\n').filter((one) => one.startsWith(`${metric}{`))) {
      const cause = /cause="([^"]+)"/.exec(line)?.[1] ?? '';
      // No scheduler runs here, so Pods that nobody writes a status for have no node.
      if (cause === 'not-scheduled') continue;
      sums[cause] = (sums[cause] ?? 0) + Number(line.slice(line.lastIndexOf(' ')));
    }
    return sums;
  }
  async function untilSeries(metric: string, expected: Record<string, number>): Promise<void> {
    let last: unknown;
    try {
      await waitUntil(metric, async () => {
        last = await series(metric);
        return (
          JSON.stringify(Object.entries(last as object).sort()) === JSON.stringify(Object.entries(expected).sort())
        );
      });
    } catch (error) {
      expect(last, String(error)).toStrictEqual(expected);
    }
  }

  /** A Pod without a controller, which is missed too, and Pods that are never missed. */
  async function createOthers(): Promise<void> {
    const { template } = observed('apps', 'x').spec;
    const pod = (name: string, labels: JsonObject = {}): JsonObject => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, labels },
      spec: template.spec,
    });
    await cluster.create('/api/v1/namespaces/apps/pods', pod('bare', { app: 'bare' }));
    await cluster.create('/api/v1/namespaces/apps/pods', pod('debug-copy'));
    await cluster.create('/api/v1/namespaces/apps/pods', pod('opted-out', { 'probewright.dev/webhook': 'disabled' }));
    await cluster.create('/apis/batch/v1/namespaces/apps/jobs', {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'job' },
      spec: { template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } } },
    });
    const labels = { 'probewright.dev/webhook': 'disabled' };
    const exempt = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'exempt', labels } };
    await cluster.create('/api/v1/namespaces', exempt);
    const policies = '/apis/probewright.dev/v1alpha1/namespaces/exempt/probepolicies';
    await cluster.create(policies, policyDocument(spec('/livez'), 'static', 'exempt'));
    await create(observed('exempt', 'web'));
  }

  it('tells exactly the Pods that were created while the webhook was off, and the older ones apart', async () => {
    await create(deployment('old', { namespace: 'apps', replicas: 2 }));
    await untilPods('apps', 2);
    await sleep(beyondTheMargin);
    await cluster.create(
      '/apis/probewright.dev/v1alpha1/namespaces/apps/probepolicies',
      policyDocument(spec('/livez'), 'static'),
    );
    await sleep(beyondTheMargin);
    for (let index = 0; index < 10; index++) await create(observed('apps', `missed-${index}`));
    await createOthers();
    await untilPods('apps', 16);
    await untilPods('exempt', 1);
    const pods = rule('', ['pods'], ['CREATE']);
    await cluster.create(
      '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
      webhookConfiguration('MutatingWebhookConfiguration', 'mutate', webhook, [pods]),
    );
    await waitUntil('the webhook is called', async () => {
      const dryRun = {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'trial', labels: { app: 'trial' } },
        spec: observed('apps', 'x').spec.template.spec,
      };
      const { body } = await cluster.request('POST', '/api/v1/namespaces/apps/pods?dryRun=All', dryRun);
      return body.includes('livenessProbe');
    });
    for (let index = 0; index < 3; index++) await create(observed('apps', `injected-${index}`));
    await untilPods('apps', 19);
    // The observer learns of everything at once.
    const flags = ['--kubeconfig', cluster.kubeconfig, '--namespace', 'default', '--reports', 'none'];
    ({ healthUrl } = await keep(startProgram('observe', flags)));
    await untilSeries('probewright_missed_pods', { missed: 11, predates: 2 });

    await cluster.kubectl(['rollout', 'restart', 'deployment/missed-0', '-n', 'apps']);
    await waitUntil('a new Pod', async () => (await podsOf('apps')).length >= 20);
    // The old Pod stays until the new one is Ready, which nothing plays here.
    await cluster.kubectl(['delete', 'pod', '-n', 'apps', '-l', 'app=missed-1', '--force', '--grace-period=0']);
    await untilSeries('probewright_missed_pods', { missed: 10, predates: 2 });
  }, 120_000);

  it('tells Pods of an older policy as outdated after the policy has changed', async () => {
    await sleep(beyondTheMargin);
    const path = '/apis/probewright.dev/v1alpha1/namespaces/apps/probepolicies/static';
    for (const liveness of ['/health', '/healthz'])
      await cluster.request('PATCH', path, { spec: spec(liveness) }, MERGE);
    await waitUntil('outdated', async () => ((await series('probewright_missed_pods'))['outdated'] ?? 0) >= 3, 60_000);
    // API servers before 1.21 do not date a second write of the same fields.
    const older = cluster.minor < 21 ? 'unknown' : 'predates';
    expect(Object.keys(await series('probewright_missed_pods')).sort()).toStrictEqual(['outdated', older].sort());
  }, 120_000);

  it('tells why Pods are not Ready, and forgets it when they recover', async () => {
    const httpGet = { path: '/healthz', port: 8080 };
    const stories: Record<string, [JsonObject, StartTruth]> = {
      'http-401': [{ readinessProbe: { httpGet } }, { answersFrom: Infinity, before: { kind: 'status', status: 401 } }],
      'http-404': [{ readinessProbe: { httpGet } }, { answersFrom: Infinity, before: { kind: 'status', status: 404 } }],
      'connection-refused': [{ readinessProbe: { httpGet } }, { answersFrom: Infinity }],
      timeout: [{ readinessProbe: { httpGet } }, { answersFrom: Infinity, before: { kind: 'hang' } }],
      'executable-not-found': [
        { readinessProbe: { exec: { command: ['curl', '-f', 'localhost'] } } },
        { answersFrom: Infinity, before: { kind: 'command-missing' } },
      ],
      'killed-while-starting': [{ startupProbe: { httpGet, periodSeconds: 2 } }, { answersFrom: 60 }],
    };
    for (const [name, [container]] of Object.entries(stories)) await create(observed('failing', name, container));
    await untilPods('failing', 6);
    // An exempt namespace is not counted.
    await create(observed('exempt', 'http-404', stories['http-404']?.[0]));
    await untilPods('exempt', 2);
    const play = async (storyOf: (name: string) => StartTruth): Promise<void> => {
      for (const pod of [...(await podsOf('failing')), ...(await podsOf('exempt'))]) {
        const name = ((pod['metadata'] as JsonObject)['labels'] as JsonObject)['app'] as string;
        const truth = { createdAt: Date.now() - 120_000, until: 120, containers: { app: { starts: [storyOf(name)] } } };
        await playPod(cluster, pod, truth, seededRandom(name.length));
      }
    };
    await play((name) => stories[name]?.[1] ?? {});
    // The slow start is refused until the kill: both are told of it.
    const told = Object.fromEntries(
      Object.keys(stories).map((cause) => [cause, cause === 'connection-refused' ? 2 : 1]),
    );
    await untilSeries('probewright_failing_workloads', told);
    await play(() => ({}));
    await untilSeries('probewright_failing_workloads', {});
  }, 120_000);
});
