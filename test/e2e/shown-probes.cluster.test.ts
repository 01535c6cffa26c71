import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { beforeAll, expect, it } from 'vitest';
import { sendReview } from '../../scripts/review/send-review.ts';
import { defaultedProbe } from '../../src/engine/probe/api-defaults.ts';
import { judgeTexts } from '../../src/package/playground/judged-texts.ts';
import { runProbewright } from '../cli/run-probewright.ts';
import { appContainer, clusterPolicyDocument, policyDocument, reviewOf } from '../support/worlds.ts';
import { describeUnless, endedAfterAll } from '../support/started.ts';
import { type ControlPlane, controlPlaneProblem, startControlPlane } from './control-plane.ts';
import { deployment, probeKinds } from './pods.ts';
import { waitUntil } from './processes.ts';
import { temporaryDirectory } from './temporary-directory.ts';
import { rule, webhookConfiguration } from './webhook-configuration.ts';
import { startWebhook, type WebhookProcess } from './webhook-process.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

/** Two layers, a start that follows from the author's delay, and a floor that forbids a probe. */
const POLICIES = [
  clusterPolicyDocument({ containers: ['*'], probes: { livenessProbe: { periodSeconds: 7 } } }, 'platform'),
  clusterPolicyDocument(
    {
      workloadSelector: { matchLabels: { app: 'floored' } },
      containers: ['*'],
      checks: { 'probe-bounds': { action: 'Deny', floor: 'Deny', livenessProbe: { periodSeconds: { minimum: 10 } } } },
    },
    'floor',
  ),
  policyDocument(
    {
      containers: ['*'],
      kubernetesProbeEndpoints: { livenessProbe: '/live', readinessProbe: '/ready' },
      slowStart: { fromInitialDelaySeconds: 30 },
    },
    'team',
  ),
];

const delayed = { livenessProbe: { httpGet: { path: '/mine', port: 8080 }, initialDelaySeconds: 90 } };
const WORKLOADS: Readonly<Record<string, JsonObject>> = {
  bare: deployment('bare', { namespace: 'apps', replicas: 1 }),
  delayed: deployment('delayed', { namespace: 'apps', replicas: 1, container: delayed }),
  floored: deployment('floored', { namespace: 'apps', replicas: 1 }),
  named: deployment('named', {
    namespace: 'apps',
    replicas: 1,
    more: [{ name: 'worker', image: 'example.test/worker:1' }],
    template: { annotations: { 'probewright.dev/startup-seconds': '400', 'probewright.dev/containers': 'app' } },
  }),
  skipping: deployment('skipping', {
    namespace: 'apps',
    replicas: 1,
    template: { annotations: { 'probewright.dev/skip': 'livenessProbe' } },
  }),
  ending: {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'ending', namespace: 'apps' },
    spec: {
      template: {
        metadata: { labels: { app: 'ending' } },
        spec: { containers: [appContainer()], restartPolicy: 'Never' },
      },
    },
  },
};

/** The probes of each container of a Pod spec, with the API server's defaults. */
function probesOf(podSpec: unknown): unknown {
  const { containers } = podSpec as { readonly containers: readonly JsonObject[] };
  return containers.map((container) =>
    Object.fromEntries(
      probeKinds.flatMap((kind) => (container[kind] ? [[kind, defaultedProbe(container[kind] as JsonObject)]] : [])),
    ),
  );
}

const templateSpecOf = (workload: unknown): unknown =>
  (workload as { readonly spec: { readonly template: { readonly spec: unknown } } }).spec.template.spec;

describeUnless(controlPlaneProblem({ controllers: true }), 'the probes that commands and pages show', () => {
  const keep = endedAfterAll();
  let cluster: ControlPlane;
  let webhook: WebhookProcess;
  let directory: string;
  const policies = POLICIES.map((policy) => JSON.stringify(policy)).join('\n---\n');

  beforeAll(async () => {
    cluster = await keep(startControlPlane({ controllers: true }));
    webhook = await keep(startWebhook({ policies: { 'policies.yaml': policies } }));
    directory = (await keep(temporaryDirectory('shown-probes'))).path;
    await writeFile(join(directory, 'policies.yaml'), policies);
    await cluster.kubectl(['create', 'namespace', 'apps']);
    await cluster.create(
      '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
      webhookConfiguration('MutatingWebhookConfiguration', 'mutate', webhook, [rule('', ['pods'], ['CREATE'])]),
    );
    const trial = {
      ...podWith(appContainer()),
      metadata: { name: 'trial', namespace: 'apps', labels: { app: 'trial' } },
    };
    await waitUntil('the API server calls the webhook', async () =>
      (await cluster.request('POST', '/api/v1/namespaces/apps/pods?dryRun=All', trial)).body.includes('/ready'),
    );
    await cluster.apply(...Object.values(WORKLOADS));
  });

  const podWith = (container: JsonObject): JsonObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'apps', labels: { app: 'web' } },
    spec: { containers: [container] },
  });

  it.each(Object.keys(WORKLOADS))('are those that the API server stored in the Pods of "%s"', async (name) => {
    const workload = WORKLOADS[name] ?? {};
    const pod = await waitUntil(`there is a Pod of ${name}`, async () => {
      const selector = `--selector=${name === 'ending' ? `job-name=${name}` : `app=${name}`}`;
      const { stdout } = await cluster.kubectl(['get', 'pods', '--namespace=apps', selector, '--output=json']);
      return (JSON.parse(stdout) as { readonly items: readonly JsonObject[] }).items[0];
    });
    const stored = probesOf(pod['spec']);
    const file = join(directory, 'policies.yaml');
    const manifest = JSON.stringify(workload);

    const fixed = await runProbewright(['fix', '-', '--policies', file], { stdin: manifest });
    expect(probesOf(templateSpecOf(parse(fixed.stdout)))).toEqual(stored);

    const page = judgeTexts({ manifests: manifest, policies }, { now: 0, appliesAdvice: false });
    expect(probesOf(templateSpecOf(parse(page.patch.after)))).toEqual(stored);

    const config = {
      apiVersion: 'probewright.dev/v1alpha1',
      kind: 'ProbewrightFunction',
      spec: { mode: 'fix', policies: POLICIES },
    };
    const list = {
      apiVersion: 'config.kubernetes.io/v1',
      kind: 'ResourceList',
      items: [workload],
      functionConfig: config,
    };
    const { stdout: output } = await runProbewright(['krm-function'], { stdin: JSON.stringify(list) });
    expect(probesOf(templateSpecOf((parse(output) as { items: unknown[] }).items[0]))).toEqual(stored);

    const { stdout: planned } = await runProbewright(['plan', '-', '--policies', file, '--output', 'json'], {
      stdin: manifest,
    });
    const [effect] = (JSON.parse(planned) as Plan).workloads;
    const after = structuredClone(templateSpecOf(workload)) as {
      containers: { name: string; [kind: string]: unknown }[];
    };
    for (const { container, probe, after: value } of effect?.probes ?? [])
      Object.assign(after.containers.find((one) => one.name === container) ?? {}, { [probe]: value });
    expect(probesOf(after)).toEqual(stored);
  });

  it('are those of the object that the review client prints', async () => {
    const object = podWith(appContainer(delayed));
    const [review, ca] = [join(directory, 'review.json'), join(directory, 'ca.crt')];
    await writeFile(review, JSON.stringify(reviewOf(object)));
    await writeFile(ca, webhook.caPem);
    const { text } = await sendReview(review, Number(new URL(webhook.url).port), ca);
    await cluster.create('/api/v1/namespaces/apps/pods', object);
    const pod = await cluster.read<JsonObject>('/api/v1/namespaces/apps/pods/web');
    const [printed, stored] = [parse(text) as JsonObject, pod];
    expect(probesOf(printed['spec'])).toEqual(probesOf(stored['spec']));
    const annotations = (of: JsonObject): unknown => (of['metadata'] as JsonObject)['annotations'];
    expect(annotations(printed)).toEqual(annotations(stored));
  });
});

interface Plan {
  readonly workloads: readonly {
    readonly probes: readonly { readonly container: string; readonly probe: string; readonly after: unknown }[];
  }[];
}
