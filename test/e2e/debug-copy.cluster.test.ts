import { beforeAll, expect, it } from 'vitest';
import { type ControlPlane, controlPlaneProblem, startControlPlane } from './control-plane.ts';
import { type StoredPod, pod, probeKinds } from './pods.ts';
import { waitUntil } from './processes.ts';
import { describeUnless, endedAfterAll } from '../support/started.ts';
import { rule, webhookConfiguration } from './webhook-configuration.ts';
import { startWebhook } from './webhook-process.ts';

const policies = `
apiVersion: probewright.dev/v1alpha1
kind: ClusterProbePolicy
metadata: { name: all }
spec:
  containers: [app]
  port: http
  kubernetesProbeEndpoints: { startupProbe: /start, livenessProbe: /live, readinessProbe: /ready }
`;
const PODS = '/api/v1/namespaces/default/pods';

describeUnless(controlPlaneProblem(), 'a copy of kubectl debug', () => {
  const keep = endedAfterAll();
  let cluster: ControlPlane;

  beforeAll(async () => {
    cluster = await keep(startControlPlane());
    const webhook = await keep(startWebhook({ policies: { 'policies.yaml': policies } }));
    const rules = [rule('', ['pods'], ['CREATE'])];
    const configuration = webhookConfiguration('MutatingWebhookConfiguration', 'mutate', webhook, rules, {
      reinvocationPolicy: 'IfNeeded',
    });
    await cluster.create('/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations', configuration);
    await waitUntil('the API server calls the webhook', async () =>
      (await cluster.request('POST', `${PODS}?dryRun=All`, pod('trial', 'default'))).body.includes('livenessProbe'),
    );
    await cluster.create(PODS, pod('shop', 'default'));
    expect(probesOf(await cluster.read(`${PODS}/shop`))).toEqual(probeKinds);
  });

  function probesOf({ spec }: StoredPod): string[] {
    return probeKinds.filter((kind) => spec.containers.some((container) => container[kind] !== undefined));
  }

  it.each([
    ['--profile=general'],
    ['--profile=restricted'],
    ['--profile=general', '--keep-annotations'],
    ['--profile=restricted', '--keep-annotations', '--keep-labels'],
  ])('gets no probe with %s %s %s', async (...flags) => {
    const name = `copy${flags.join('').replace(/[^a-z]+/g, '-')}`;
    const command = ['--container=app', '--attach=false', '--', 'sleep', '1d'];
    await cluster.kubectl(['debug', 'shop', `--copy-to=${name}`, ...flags, ...command]);
    const copy = await cluster.read<StoredPod>(`${PODS}/${name}`);
    expect(copy.spec.containers[0]).toMatchObject({ name: 'app' });
    expect(probesOf(copy)).toEqual([]);
  });
});
