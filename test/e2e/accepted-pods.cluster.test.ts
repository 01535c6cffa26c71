import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { anyPod, plainPod, validPod } from '../support/arbitraries.ts';
import { type ControlPlane, controlPlaneProblem, startControlPlane } from './control-plane.ts';
import { waitUntil } from './processes.ts';
import { describeUnless, endedAfterAll } from '../support/started.ts';
import { rule, webhookConfiguration } from './webhook-configuration.ts';
import { startWebhook } from './webhook-process.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

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

describeUnless(controlPlaneProblem(), 'a random Pod', () => {
  const keep = endedAfterAll();
  let cluster: ControlPlane;

  beforeAll(async () => {
    cluster = await keep(startControlPlane());
    const webhook = await keep(startWebhook({ policies: { 'policies.yaml': policies } }));
    for (const [name, labels] of [
      ['with', { probes: 'on' }],
      ['without', {}],
    ] as const) {
      await cluster.create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } });
    }
    const selector = { namespaceSelector: { matchLabels: { probes: 'on' } }, reinvocationPolicy: 'IfNeeded' };
    const configuration = webhookConfiguration(
      'MutatingWebhookConfiguration',
      'mutate',
      webhook,
      [rule('', ['pods'], ['CREATE'])],
      selector,
    );
    await cluster.create('/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations', configuration);
    const trial = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'trial', labels: { app: 'trial' } },
      spec: { containers: [{ name: 'app', image: 'x', ports: [{ containerPort: 1 }] }] },
    };
    await waitUntil('the API server calls the webhook', async () =>
      (await dryRun('with', trial)).body.includes('livenessProbe'),
    );
  });

  function dryRun(namespace: string, pod: JsonObject): Promise<{ status: number; body: string }> {
    const metadata = { ...(pod['metadata'] as JsonObject), namespace };
    return cluster.request('POST', `/api/v1/namespaces/${namespace}/pods?dryRun=All`, { ...pod, metadata });
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
