import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ControlPlane, controlPlaneProblem, startControlPlane, waitUntil } from './control-plane.ts';
import { rule, webhookConfiguration } from './webhook-configuration.ts';
import { type WebhookProcess, startWebhook } from './webhook-process.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

const problem = controlPlaneProblem({ controllers: true });
if (problem !== undefined) console.warn(`validation.test.ts is skipped: ${problem}`);

const container = (members: JsonObject = {}): JsonObject => ({
  name: 'app',
  image: 'registry.example.com/app:1',
  ports: [{ name: 'http', containerPort: 8080 }],
  ...members,
});
const misspelt = { readinessProbe: { httpGet: { path: '/', port: 'htpp' } } };

function workload(
  name: string,
  containers: JsonObject[],
  members: { type?: JsonObject; metadata?: JsonObject } = {},
): JsonObject {
  const labels = { app: name };
  const type = members.type ?? { apiVersion: 'apps/v1', kind: 'Deployment' };
  const spec = {
    replicas: 1,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers } },
  };
  return { ...type, metadata: { name, namespace: 'default', ...members.metadata }, spec };
}

const rollout = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout' };
const rolloutDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'rollouts.argoproj.io' },
  spec: {
    group: 'argoproj.io',
    scope: 'Namespaced',
    names: { plural: 'rollouts', singular: 'rollout', kind: 'Rollout' },
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

describe.skipIf(problem !== undefined)('validation in a control plane', () => {
  let cluster: ControlPlane;
  let webhook: WebhookProcess;
  let policies: string;

  beforeAll(async () => {
    policies = await mkdtemp(join(tmpdir(), 'probewright-policies-'));
    cluster = await startControlPlane({ controllers: true });
    webhook = await startWebhook({ policies, args: ['--drain-seconds', '0'] });
    // Before the webhook there was nobody to stop these.
    await apply(workload('old', [container(misspelt)]));
    await apply(workload('finalized', [container(misspelt)], { metadata: { finalizers: ['example.com/hold'] } }));
    await apply(rolloutDefinition);
    await cluster.kubectl(['wait', '--for=condition=Established', 'crd/rollouts.argoproj.io', '--timeout=30s']);
    const both = ['CREATE', 'UPDATE'];
    const rules = [
      rule('', ['pods', 'replicationcontrollers', 'podtemplates'], both),
      rule('apps', ['deployments', 'replicasets', 'statefulsets', 'daemonsets'], both),
      rule('batch', ['jobs', 'cronjobs'], both),
      rule('argoproj.io', ['rollouts'], both),
    ];
    await apply(webhookConfiguration('ValidatingWebhookConfiguration', 'validate', webhook, rules));
    await waitUntil('the API server calls the webhook', async () => {
      const { code } = await apply(workload('trial', [container(misspelt)]), ['--dry-run=server'], true);
      return code !== 0;
    });
  });

  afterAll(async () => {
    await (webhook as WebhookProcess | undefined)?.stop();
    await (cluster as ControlPlane | undefined)?.stop();
    await rm(policies, { recursive: true, force: true });
  });

  function apply(
    object: object,
    flags: string[] = [],
    allowFailure = false,
  ): Promise<{ code: number | null; stdout: string; stderr: string }> {
    return cluster.kubectl(['apply', '--filename=-', ...flags], { input: JSON.stringify(object), allowFailure });
  }

  it('refuses a misspelt port name at apply, with what to write instead', async () => {
    const { code, stderr } = await apply(workload('new', [container(misspelt)]), [], true);
    expect(code).not.toBe(0);
    expect(stderr).toContain(
      'denied the request: spec.template.spec.containers[0].readinessProbe.httpGet.port: container "app" declares no port named "htpp"; ' +
        'did you mean "http"? (named-port)',
    );
  });

  it('refuses a PodTemplate by its own paths', async () => {
    const metadata = { name: 'new', namespace: 'default' };
    const template = { metadata: { labels: { app: 'new' } }, spec: { containers: [container(misspelt)] } };
    const { code, stderr } = await apply({ apiVersion: 'v1', kind: 'PodTemplate', metadata, template }, [], true);
    expect(code).not.toBe(0);
    expect(stderr).toContain('denied the request: template.spec.containers[0].readinessProbe.httpGet.port: ');
  });

  it('lets the same object be labelled that was there before, and warns when its template changes', async () => {
    await cluster.kubectl(['label', 'deployment', 'old', 'touched=yes']);
    const { stderr } = await cluster.kubectl(['set', 'image', 'deployment/old', 'app=registry.example.com/app:2']);
    expect(stderr).toContain('Warning: ');
    expect(stderr).toContain('(named-port)');
  });

  it('refuses one more bad probe in an update, and only that', async () => {
    const { code, stderr } = await apply(
      workload('old', [container({ ...misspelt, livenessProbe: { tcpSocket: { port: 'nope' } } })]),
      [],
      true,
    );
    expect(code).not.toBe(0);
    expect(stderr).toContain('livenessProbe.tcpSocket.port');
    expect(stderr.split('\n').filter((line) => line.includes('denied the request'))).toHaveLength(1);
    expect(stderr).not.toContain('readinessProbe.httpGet.port');
  });

  it('lets finalizers be removed from an object that would be refused today', async () => {
    await cluster.kubectl(['delete', 'deployment', 'finalized', '--wait=false']);
    await cluster.kubectl([
      'patch',
      'deployment',
      'finalized',
      '--type=merge',
      '--patch={"metadata":{"finalizers":null}}',
    ]);
    await waitUntil(
      'the object is gone',
      async () => (await cluster.kubectl(['get', 'deployment', 'finalized'], { allowFailure: true })).code !== 0,
    );
  });

  it('never refuses a Pod that a ReplicaSet creates', async () => {
    await waitUntil('the old Deployment has its Pods', async () => {
      const { stdout } = await cluster.kubectl(['get', 'pods', '--selector=app=old', '--output=name']);
      return stdout.trim().length > 0;
    });
    await cluster.kubectl(['delete', 'pods', '--selector=app=old', '--wait=false']);
    await waitUntil('the ReplicaSet has replaced them', async () => {
      const { stdout } = await cluster.kubectl([
        'get',
        'pods',
        '--selector=app=old',
        '--output=jsonpath={.items[*].metadata.deletionTimestamp}',
      ]);
      return stdout.trim() === '';
    });
    const { stdout } = await cluster.kubectl(['get', 'pods', '--selector=app=old', '--output=name']);
    expect(stdout.trim()).not.toBe('');
  });

  it('refuses a custom kind with a probe that the API server would refuse in a Pod', async () => {
    const bad = container({ livenessProbe: { httpGet: { path: '/', port: 70_000 } } });
    const { code, stderr } = await apply(workload('canary', [bad], { type: rollout }), [], true);
    expect(code).not.toBe(0);
    expect(stderr).toContain(
      'spec.template.spec.containers[0].livenessProbe.httpGet.port: Invalid value: 70000: must be between 1 and 65535, inclusive (valid-probe)',
    );
    await apply(workload('canary', [container()], { type: rollout }));
  });
});
