import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, it } from 'vitest';
import { readStartupProfile } from '../../src/engine/facts/read-startup-profile.ts';
import { type ContainerProfile } from '../../src/engine/facts/read-startup-profile.ts';
import { shortHash } from '../../src/base/text/utf8.ts';
import { seededRandom } from '../kubelet/pods.ts';
import { playPod } from '../kubelet/player.ts';
import { clusterPolicyDocument } from '../support/worlds.ts';
import { type ControlPlane, controlPlaneProblem, startControlPlane } from './control-plane.ts';
import { MERGE, get } from './http-requests.ts';
import { deployment } from './pods.ts';
import { run, waitUntil } from './processes.ts';
import { describeUnless, endedAfterAll } from '../support/started.ts';
import { applyCrds } from './custom-resource-definitions.ts';
import { rule, webhookConfiguration } from './webhook-configuration.ts';
import { type StartedProgram, type WebhookProcess, startProgram, startWebhook } from './webhook-process.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';
import type { PodHistory } from '../kubelet/status-history.ts';

const program = join(import.meta.dirname, '../../src/main.ts');
const deployments = '/apis/apps/v1/namespaces/apps/deployments';
const pods = '/api/v1/namespaces/apps/pods';
const profiles = '/apis/probewright.dev/v1alpha1/namespaces/apps/startupprofiles';
const policies = '/apis/probewright.dev/v1alpha1/clusterprobepolicies';
const httpGet = { path: '/healthz', port: 'http' };

const web = deployment('web', {
  namespace: 'apps',
  container: { readinessProbe: { httpGet, periodSeconds: 1 } },
  replicas: 4,
});
const learned = { kubernetesProbeEndpoints: { livenessProbe: '/livez' }, slowStart: { learned: {} } };
const without = { ...learned, slowStart: { learned: null } };

interface Pod extends JsonObject {
  readonly metadata: JsonObject & { readonly name: string; readonly uid: string };
  readonly spec: JsonObject & { readonly containers: readonly JsonObject[] };
}

describeUnless(controlPlaneProblem({ controllers: true }), 'learned starts on a real API server', () => {
  const keep = endedAfterAll();
  let cluster: ControlPlane;
  let webhook: WebhookProcess;
  let observers: StartedProgram[] = [];
  const histories: PodHistory[] = [];

  beforeAll(async () => {
    cluster = await keep(startControlPlane({ controllers: true }));
    await applyCrds(cluster);
    await cluster.create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'apps' } });
    await cluster.create(policies, clusterPolicyDocument(learned, 'learned'));
    const args = ['--kubeconfig', cluster.kubeconfig, '--namespace', 'default'];
    const hasty = ['--reports', 'none', '--lease-duration', '3s', '--lease-renew', '1s'];
    const observe = (): Promise<StartedProgram> => keep(startProgram('observe', [...args, ...hasty]));
    [webhook, ...observers] = await Promise.all([keep(startWebhook({ args })), observe(), observe()]);
  }, 180_000);

  async function leader(): Promise<StartedProgram | undefined> {
    for (const observer of observers)
      if ((await get(`${observer.healthUrl}/metrics`)).body.includes('\nprobewright_leader 1')) return observer;
    return undefined;
  }

  async function podsOfWeb(): Promise<Pod[]> {
    return (await cluster.read<{ items: Pod[] }>(pods)).items;
  }

  /** Scales the Deployment up, and gives the new Pods. */
  async function newPods(replicas: number): Promise<Pod[]> {
    const known = new Set((await podsOfWeb()).map(({ metadata }) => metadata.uid));
    await cluster.kubectl(['scale', 'deployment/web', '-n', 'apps', `--replicas=${replicas}`]);
    await waitUntil(`${replicas} Pods`, async () => (await podsOfWeb()).length === replicas);
    return (await podsOfWeb()).filter(({ metadata }) => !known.has(metadata.uid));
  }

  /** Plays starts of these seconds, in real time. */
  async function play(started: readonly Pod[], seconds: number): Promise<void> {
    const truth = { until: seconds + 3, containers: { app: { starts: [{ answersFrom: seconds }] } } };
    const played = started.map((pod, index) =>
      playPod(cluster, pod, { ...truth, node: `node-${index}` }, seededRandom(index), { inRealTime: true }),
    );
    histories.push(...(await Promise.all(played)));
  }

  async function learnedContainer(): Promise<ContainerProfile | undefined> {
    const { status, body } = await cluster.request('GET', `${profiles}/deployment-web`);
    return status === 200 ? readStartupProfile(JSON.parse(body) as JsonObject)?.containers[0] : undefined;
  }
  const untilKnown = (starts: number): Promise<unknown> =>
    waitUntil(`${starts} starts`, async () => ((await learnedContainer())?.samples.length ?? 0) >= starts, 30_000);

  async function ask(...args: string[]): Promise<string> {
    const flags = ['deploy/web', '-n', 'apps', '--kubeconfig', cluster.kubeconfig];
    return (await run(process.execPath, [program, ...args, ...flags], {})).stdout;
  }

  it('each start is in the profile once, also those during which the leader is killed', async () => {
    await waitUntil('there is a leader', async () => (await leader()) !== undefined);
    await cluster.create(deployments, web);
    await waitUntil('4 Pods', async () => (await podsOfWeb()).length === 4);
    await play(await podsOfWeb(), 2);
    await untilKnown(4);

    const starting = play(await newPods(8), 6);
    await sleep(3000);
    const killed = (await leader()) ?? expect.fail('nobody leads');
    await killed.stop('SIGKILL');
    observers = observers.filter((one) => one !== killed);
    await starting;
    await untilKnown(8);

    const { samples, killed: censored } = (await learnedContainer()) ?? expect.fail('no profile');
    const truth = new Map(
      histories.flatMap(({ starts, truth: { pod } }) =>
        starts.map((start) => [shortHash(`${(pod as Pod).metadata.uid}/${start.containerID}`), start] as const),
      ),
    );
    expect(samples.map(({ id }) => id).sort()).toEqual([...truth.keys()].sort());
    expect(censored.count).toBe(0);
    for (const { id, seconds, within } of samples) {
      const needed = truth.get(id)?.needed ?? expect.fail(id);
      expect(seconds).toBeGreaterThanOrEqual(needed);
      expect(seconds - within).toBeLessThanOrEqual(needed);
    }
  }, 90_000);

  it('probewright starts prints them, and explain draws them', async () => {
    const longest = Math.max(...((await learnedContainer())?.samples ?? []).map(({ seconds }) => seconds));
    const rows = JSON.parse(await ask('starts', '--output', 'json')) as JsonObject;
    expect(rows).toMatchObject({
      starts: [
        { namespace: 'apps', kind: 'Deployment', name: 'web', container: 'app', starts: 8, maxSeconds: longest },
      ],
    });
    expect(await ask('explain')).toContain('; 8 measured starts: ');
  }, 30_000);

  it('a new Pod gets the learned budget, and the old one when learned is off', async () => {
    const configuration = webhookConfiguration('MutatingWebhookConfiguration', 'mutate', webhook, [
      rule('', ['pods'], ['CREATE']),
    ]);
    await cluster.create('/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations', configuration);
    const startupProbe = async (replicas: number): Promise<JsonObject | undefined> => {
      const [pod] = await newPods(replicas);
      return pod?.spec.containers[0]?.['startupProbe'] as JsonObject | undefined;
    };
    let [replicas, injected]: [number, JsonObject | undefined] = [8, undefined];
    await waitUntil('the webhook is called', async () => {
      injected = await startupProbe((replicas += 1));
      return injected !== undefined;
    });
    // The formula: 1.5 * longest + 5 + 2, at least 30 s; a period is 5 s.
    expect(injected).toMatchObject({ httpGet: { path: '/livez' }, periodSeconds: 5, failureThreshold: 7 });
    await cluster.request('PATCH', `${policies}/learned`, { spec: without }, MERGE);
    await waitUntil('the old budget is back', async () => {
      injected = await startupProbe((replicas += 1));
      return injected?.['failureThreshold'] === 61;
    });
  }, 60_000);

  it('observed-startup reports a probe that grants less than a start has taken', async () => {
    const livenessProbe = { httpGet, periodSeconds: 1, failureThreshold: 4 };
    const [container] = web.spec.template.spec.containers;
    const template = { spec: { containers: [{ ...container, livenessProbe }] } };
    await cluster.request('PATCH', `${deployments}/web`, { spec: { template } }, MERGE);
    const told = 'has 3 s guaranteed to start before its livenessProbe kills it, and the container has needed longer';
    expect(await ask('check')).toContain(told);
  }, 30_000);
});
