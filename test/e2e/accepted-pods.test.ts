import fc from 'fast-check';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anyPod, plainPod, validPod } from '../support/arbitraries.ts';
import { type ControlPlane, controlPlaneProblem, startControlPlane, waitUntil } from './control-plane.ts';
import { rule, webhookConfiguration } from './webhook-configuration.ts';
import { type WebhookProcess, startWebhook } from './webhook-process.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

const problem = controlPlaneProblem();
if (problem !== undefined) console.warn(`accepted-pods.test.ts is skipped: ${problem}`);

const policies = `
apiVersion: probewright.dev/v1alpha1
kind: ClusterProbePolicy
metadata: { name: all }
spec:
  containers: ['*']
  kubernetesProbeEndpoints: { startupProbe: /start, livenessProbe: /live, readinessProbe: /ready }
  slowStart: { fromInitialDelaySeconds: 30 }
---
apiVersion: probewright.dev/v1alpha1
kind: ClusterProbePolicy
metadata: { name: sidecars }
spec:
  containers: [init-0, redis]
  probes: { livenessProbe: { tcpSocket: { port: 6379 } }, startupProbe: null }
`;

/** How many random Pods of each sort are sent, each twice. */
const PODS = 150;

describe.skipIf(problem !== undefined)('a random Pod', () => {
  let cluster: ControlPlane;
  let webhook: WebhookProcess;
  let directory: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'probewright-policies-'));
    await writeFile(join(directory, 'policies.yaml'), policies);
    cluster = await startControlPlane();
    webhook = await startWebhook({ policies: directory });
    for (const [name, labels] of [
      ['with', { probes: 'on' }],
      ['without', {}],
    ] as const) {
      await post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } });
    }
    const selector = { namespaceSelector: { matchLabels: { probes: 'on' } }, reinvocationPolicy: 'IfNeeded' };
    const configuration = webhookConfiguration(
      'MutatingWebhookConfiguration',
      'mutate',
      webhook,
      [rule('', ['pods'], ['CREATE'])],
      selector,
    );
    await post('/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations', configuration);
    const trial = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'trial' },
      spec: { containers: [{ name: 'app', image: 'x', ports: [{ containerPort: 1 }] }] },
    };
    await waitUntil('the API server calls the webhook', async () =>
      (await dryRun('with', trial)).body.includes('livenessProbe'),
    );
  });

  afterAll(async () => {
    await (webhook as WebhookProcess | undefined)?.stop();
    await (cluster as ControlPlane | undefined)?.stop();
    await rm(directory, { recursive: true, force: true });
  });

  async function post(path: string, object: object): Promise<{ status: number; body: string }> {
    return cluster.request('POST', path, object);
  }

  function dryRun(namespace: string, pod: JsonObject): Promise<{ status: number; body: string }> {
    const metadata = { ...(pod['metadata'] as JsonObject), namespace };
    return post(`/api/v1/namespaces/${namespace}/pods?dryRun=All`, { ...pod, metadata });
  }

  it.each([
    ['that every API server accepts', plainPod],
    ['with sidecars and gRPC', validPod],
    ['with probes of every kind of wrongness', anyPod],
  ])('%s gets the same answer with the webhook as without', async (_, arbitrary) => {
    let accepted = 0;
    let patched = 0;
    for (const pod of fc.sample(arbitrary, PODS)) {
      const [plain, mutated] = [await dryRun('without', pod), await dryRun('with', pod)];
      expect([mutated.status, pod, mutated.body]).toEqual([plain.status, pod, expect.anything()]);
      if (plain.status >= 300) continue;
      accepted += 1;
      if (mutated.body.includes('probewright.dev/injected')) patched += 1;
    }
    console.log(`${PODS} Pods, ${accepted} accepted, ${patched} patched`);
    expect(patched).toBeGreaterThan(0);
  });
});
