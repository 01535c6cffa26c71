import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { clusterPolicyDocument } from '../support/worlds.ts';
import { describeUnless, endedAfterAll } from '../support/started.ts';
import { type ControlPlane, controlPlaneProblem, startControlPlane } from './control-plane.ts';
import { get } from './http-requests.ts';
import { type IstioInjector, startIstioInjector } from './istio-injector.ts';
import { type StoredPod, provenance } from './pods.ts';
import { waitUntil } from './processes.ts';
import { rule, webhookConfiguration } from './webhook-configuration.ts';
import { type WebhookProcess, startWebhook } from './webhook-process.ts';

const collection = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';
const policies = [
  clusterPolicyDocument(
    {
      containers: ['app'],
      kubernetesProbeEndpoints: { startupProbe: '/start', livenessProbe: '/live', readinessProbe: '/ready' },
    },
    'app',
  ),
  clusterPolicyDocument(
    {
      containers: ['db'],
      probes: { livenessProbe: { tcpSocket: { port: 'db' } }, readinessProbe: { exec: { command: ['pg_isready'] } } },
    },
    'db',
  ),
];
const containers = [
  { name: 'app', image: 'registry.example.com/app:1', ports: [{ name: 'http', containerPort: 8080 }] },
  { name: 'db', image: 'postgres:17', ports: [{ name: 'db', containerPort: 5432 }] },
];
const pod = (name: string): object => {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, labels: { app: 'shop' } }, spec: { containers } };
};

describeUnless(controlPlaneProblem(), 'beside an injector that redirects probes as Istio does', () => {
  const keep = endedAfterAll();
  let cluster: ControlPlane;
  let webhook: WebhookProcess;
  let injector: IstioInjector;

  beforeAll(async () => {
    cluster = await keep(startControlPlane({ auditedUsers: ['admin'] }));
    webhook = await keep(
      startWebhook({ policies: { 'all.yaml': policies.map((one) => JSON.stringify(one)).join('\n---\n') } }),
    );
    injector = await keep(startIstioInjector());
    const ours = webhookConfiguration(
      'MutatingWebhookConfiguration',
      'mutate',
      webhook,
      [rule('', ['pods'], ['CREATE'])],
      {
        reinvocationPolicy: 'IfNeeded',
      },
    );
    await cluster.create(collection, ours);
  });

  /** The stored Pod when the injector has that name. */
  async function created(name: string, injectorName: string): Promise<StoredPod> {
    await cluster.create(collection, injector.configuration(injectorName));
    onTestFinished(async () => {
      await cluster.request('DELETE', `${collection}/${injectorName}`);
    });
    await waitUntil('the API server calls both', async () => {
      const { body } = await cluster.request('POST', '/api/v1/namespaces/default/pods?dryRun=All', pod('trial'));
      return body.includes('istio-proxy') && body.includes('probewright.dev/injected');
    });
    const { status, body } = await cluster.request('POST', '/api/v1/namespaces/default/pods', pod(name));
    expect(status, body).toBe(201);
    return JSON.parse(body) as StoredPod;
  }

  /** How each probe of a container asks. */
  function handlers({ spec }: StoredPod): Record<string, unknown> {
    const probes = spec.containers.flatMap((container) =>
      Object.entries(container).flatMap(([kind, probe]) => {
        if (!kind.endsWith('Probe')) return [];
        const { httpGet, exec } = probe as { httpGet?: { path: string; port: unknown }; exec?: unknown };
        return [[`${container.name} ${kind}`, httpGet ? `${String(httpGet.port)} ${httpGet.path}` : (exec ?? probe)]];
      }),
    );
    return Object.fromEntries(probes) as Record<string, unknown>;
  }

  async function refused(): Promise<number> {
    const { body } = await get(`${webhook.healthUrl}/metrics`);
    return Number(/^probewright_not_injected_total\{reason="mesh-came-first"\} (\d+)$/m.exec(body)?.[1]);
  }

  /** What the audit log says about probes that the Pod did not get. */
  async function auditedReasons(name: string): Promise<string> {
    return waitUntil('the Pod is in the audit log', async () => {
      const event = (await cluster.auditEvents()).find(
        ({ objectRef, verb }) => objectRef?.name === name && objectRef.resource === 'pods' && verb === 'create',
      );
      return event && (event.annotations?.['mutate.probewright.dev/not-injected'] ?? '');
    });
  }

  const exec = { command: ['pg_isready'] };

  it('has all its HTTP and TCP probes redirected, because it is called first', async () => {
    const stored = await created('first', 'istio-sidecar-injector');
    expect(handlers(stored)).toEqual({
      'app livenessProbe': '15020 /app-health/app/livez',
      'app readinessProbe': '15020 /app-health/app/readyz',
      'app startupProbe': '15020 /app-health/app/startupz',
      'db livenessProbe': '15020 /app-health/db/livez',
      'db readinessProbe': exec,
      'db startupProbe': '15020 /app-health/db/startupz',
    });
    const proxy = stored.spec.containers.at(-1) as unknown as { env: readonly { value: string }[] };
    expect(Object.keys(JSON.parse(proxy.env[0]?.value ?? '') as object)).toHaveLength(5);
    expect(Object.keys(provenance(stored))).toHaveLength(3);
    // Asked again after the injector, it finds nothing to add and nothing to report.
    expect(await refused()).toBe(0);
    await waitUntil('the log has both calls', () => webhook.output().split('"name":"first"').length === 3);
    expect(webhook.output()).not.toContain('mesh-came-first');
    expect(await auditedReasons('first')).toBe('');
  });

  it('injects no probe that the mesh would not redirect when the injector is called first, and says why', async () => {
    const stored = await created('second', '00-istio-sidecar-injector');
    expect(handlers(stored)).toEqual({ 'db readinessProbe': exec });
    expect(await refused()).toBeGreaterThanOrEqual(4);
    await waitUntil('the log says why', () => webhook.output().includes('app.livenessProbe.mesh-came-first'));
    const reasons = await auditedReasons('second');
    expect(reasons).toContain('container "app", livenessProbe: the Pod already has istio-proxy');
    expect(reasons).toContain('(mesh-came-first)');
  });
});
