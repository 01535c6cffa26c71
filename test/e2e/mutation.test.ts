import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ControlPlane, controlPlaneProblem, startControlPlane, waitUntil } from './control-plane.ts';
import { rule, webhookConfiguration } from './webhook-configuration.ts';
import { type WebhookProcess, startWebhook } from './webhook-process.ts';

interface Probe {
  readonly httpGet?: { readonly path: string; readonly port: string | number };
  readonly periodSeconds?: number;
}

interface Container {
  readonly name: string;
  readonly startupProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
}

interface PodSpec {
  readonly containers: readonly Container[];
}

interface Stored<Spec> {
  readonly metadata: {
    readonly generation?: number;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec: Spec;
}

type Pod = Stored<PodSpec>;
type Deployment = Stored<{ readonly template: Stored<PodSpec> }> & {
  readonly status: { readonly collisionCount?: number };
};

const problem = controlPlaneProblem({ controllers: true });
if (problem !== undefined) console.warn(`mutation.test.ts is skipped: ${problem}`);

const probeKinds = ['startupProbe', 'livenessProbe', 'readinessProbe'] as const;
const paths = { startup: '/healthcheck/ready', liveness: '/healthcheck/live', readiness: '/healthcheck/foo' };

/** The platform gives the timing, the team its paths: what reaches a Pod must come from both. */
const clusterPolicy = `
apiVersion: probewright.dev/v1alpha1
kind: ClusterProbePolicy
metadata: { name: platform }
spec:
  containers: ['*']
  probes:
    livenessProbe: { periodSeconds: 7 }
`;

function namespacePolicy(livenessPath: string): string {
  return `
apiVersion: probewright.dev/v1alpha1
kind: ProbePolicy
metadata: { name: static, namespace: apps }
spec:
  workloadSelector: { matchLabels: { app: static } }
  containers: [app]
  kubernetesProbeEndpoints:
    startupProbe: ${paths.startup}
    livenessProbe: ${livenessPath}
    readinessProbe: ${paths.readiness}
`;
}

const labels = { app: 'static' };
const appContainer = {
  name: 'app',
  image: 'registry.example.com/static-site:1.4.2',
  ports: [
    { name: 'http', containerPort: 8080 },
    { name: 'metrics', containerPort: 9394 },
  ],
};
const nginxContainer = {
  name: 'nginx',
  image: 'registry.example.com/nginx:1.27.1',
  ports: [{ name: 'https', containerPort: 8443 }],
};

function pod(name: string, container: object = appContainer): object {
  const metadata = { name, namespace: 'apps', labels };
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers: [container] } };
}

function deployment(name: string): object {
  // Labels of its own besides the policy's: its selector must not adopt another test's Pods.
  const own = { ...labels, workload: name };
  const template = { metadata: { labels: own }, spec: { containers: [appContainer, nginxContainer] } };
  const spec = { replicas: 2, selector: { matchLabels: own }, template };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace: 'apps', labels }, spec };
}

function job(name: string): object {
  const spec = { containers: [appContainer], restartPolicy: 'Never' };
  const template = { metadata: { labels: { ...labels, workload: name } }, spec };
  return { apiVersion: 'batch/v1', kind: 'Job', metadata: { name, namespace: 'apps' }, spec: { template } };
}

describe.skipIf(problem !== undefined)('the webhook in a control plane', () => {
  let cluster: ControlPlane;
  let webhook: WebhookProcess;
  let policies: string;
  let templateWithoutWebhook: Stored<PodSpec>;

  beforeAll(async () => {
    policies = await mkdtemp(join(tmpdir(), 'probewright-policies-'));
    await writeFile(join(policies, 'platform.yaml'), clusterPolicy);
    await writeFile(join(policies, 'static.yaml'), namespacePolicy(paths.liveness));
    cluster = await startControlPlane({ controllers: true });
    webhook = await startWebhook({ policies, args: ['--drain-seconds', '0'] });
    await cluster.kubectl(['create', 'namespace', 'apps']);
    const dryRun = await create<Deployment>(deployment('web'), '--dry-run=server');
    templateWithoutWebhook = dryRun.spec.template;
    await create(pod('older'));
    await register();
    await waitUntil('the API server calls the webhook', async () => {
      const answer = await create<Pod>(pod('trial'), '--dry-run=server');
      return answer.spec.containers[0]?.livenessProbe !== undefined;
    });
  });

  // When beforeAll failed half-way, what it did start must end all the same.
  afterAll(async () => {
    await (webhook as WebhookProcess | undefined)?.stop();
    await (cluster as ControlPlane | undefined)?.stop();
    await rm(policies, { recursive: true, force: true });
  });

  it('gives a Pod that a user creates its three probes on the named port, and says where they come from', async () => {
    await create(pod('by-user'));
    const stored = await read<Pod>('pod', 'by-user');
    expectPolicyProbes(stored);
    expect(stored.spec.containers[0]?.livenessProbe?.periodSeconds).toBe(7);
  });

  it('leaves alone the probe that a container has, and adds the others', async () => {
    const livenessProbe = { httpGet: { path: '/mine', port: 9394 }, periodSeconds: 20 };
    await create(pod('own-liveness', { ...appContainer, livenessProbe }));
    const container = (await read<Pod>('pod', 'own-liveness')).spec.containers[0];
    expect(container?.livenessProbe).toMatchObject(livenessProbe);
    expect(container?.readinessProbe?.httpGet).toMatchObject({ path: paths.readiness, port: 9394 });
  });

  it('gives the Pods of a Deployment the probes and leaves its template as the user wrote it', async () => {
    await create(deployment('web'));
    const pods = await waitUntil('the ReplicaSet has created its Pods', async () => {
      const found = await list<Pod>('pods', 'workload=web');
      return found.length === 2 && found;
    });
    for (const one of pods) {
      expectPolicyProbes(one);
      expect(one.spec.containers[1]).not.toHaveProperty('livenessProbe');
    }
    expect((await read<Deployment>('deployment', 'web')).spec.template).toEqual(templateWithoutWebhook);
  });

  it('never makes the Deployment controller create a second ReplicaSet', async () => {
    await create(deployment('steady'));
    await waitUntil('there is a ReplicaSet', async () => (await list('replicasets', 'workload=steady')).length > 0);
    // With mutated ReplicaSets there would be ten of them by then.
    await sleep(4_000);
    await cluster.kubectl(['label', 'deployment', 'steady', 'touched=yes', '--namespace=apps']);
    await sleep(1_000);
    expect(await list('replicasets', 'workload=steady')).toHaveLength(1);
    const stored = await read<Deployment>('deployment', 'steady');
    expect(stored.metadata.generation).toBe(1);
    expect(stored.status).not.toHaveProperty('collisionCount');
  });

  it('lets Pods be labelled, those with injected probes and those older than the webhook', async () => {
    await create(pod('labelled'));
    for (const name of ['labelled', 'older']) {
      await cluster.kubectl(['label', 'pod', name, 'touched=yes', '--namespace=apps']);
      expect((await read<Pod>('pod', name)).metadata.labels).toEqual({ ...labels, touched: 'yes' });
    }
    expectPolicyProbes(await read<Pod>('pod', 'labelled'));
    expectNoProbes((await read<Pod>('pod', 'older')).spec);
  });

  it("gives a Job's Pod no probes", async () => {
    await create(job('migrate'));
    const [stored] = await waitUntil('the Job has created its Pod', async () => {
      const found = await list<Pod>('pods', 'workload=migrate');
      return found.length > 0 && found;
    });
    expectNoProbes(stored?.spec);
    expect(stored?.metadata.annotations ?? {}).not.toHaveProperty(['probewright.dev/injected']);
  });

  it('changes nothing but Pods being created, however widely it is registered', async () => {
    const operations = ['CREATE', 'UPDATE'];
    const rules = [rule('', ['pods'], operations), rule('apps', ['*'], operations), rule('batch', ['*'], operations)];
    const wide = webhookConfiguration('MutatingWebhookConfiguration', 'mutate', webhook, rules);
    await create({ ...wide, metadata: { name: 'too-wide' } });
    await sleep(1_500);
    await create(deployment('wide'));
    await cluster.kubectl(['label', 'pod', 'older', 'touched=again', '--overwrite', '--namespace=apps']);
    await cluster.kubectl(['scale', 'deployment', 'wide', '--replicas=3', '--namespace=apps']);
    await waitUntil('it is scaled', async () => (await list('pods', 'workload=wide')).length === 3);
    const [replicaSet, ...others] = await list<Stored<{ template: Stored<PodSpec> }>>('replicasets', 'workload=wide');
    expect(others).toHaveLength(0);
    expectNoProbes(replicaSet?.spec.template.spec);
    expectNoProbes((await read<Deployment>('deployment', 'wide')).spec.template.spec);
    expectNoProbes((await read<Pod>('pod', 'older')).spec);
  });

  it('uses an edited policy for the next Pod within two seconds', async () => {
    await writeFile(join(policies, 'static.yaml'), namespacePolicy('/healthcheck/alive'));
    const path = '/api/v1/namespaces/apps/pods?dryRun=All';
    await waitUntil(
      'a Pod would get the edited path',
      async () => {
        const { body } = await cluster.request('POST', path, pod('edited'));
        return (JSON.parse(body) as Pod).spec.containers[0]?.livenessProbe?.httpGet?.path === '/healthcheck/alive';
      },
      2_000,
    );
    await create(pod('after-edit'));
    const stored = await read<Pod>('pod', 'after-edit');
    expect(stored.spec.containers[0]?.livenessProbe?.httpGet?.path).toBe('/healthcheck/alive');
  });

  async function create<T>(manifest: object, ...flags: string[]): Promise<T> {
    const args = ['create', '--filename=-', '--output=json', ...flags];
    const { stdout } = await cluster.kubectl(args, { input: JSON.stringify(manifest) });
    return JSON.parse(stdout) as T;
  }

  async function read<T>(kind: string, name: string): Promise<T> {
    const { stdout } = await cluster.kubectl(['get', kind, name, '--namespace=apps', '--output=json']);
    return JSON.parse(stdout) as T;
  }

  async function list<T>(resource: string, selector: string): Promise<T[]> {
    const args = ['get', resource, '--namespace=apps', `--selector=${selector}`, '--output=json'];
    const { stdout } = await cluster.kubectl(args);
    return (JSON.parse(stdout) as { items: T[] }).items;
  }

  async function register(): Promise<void> {
    const pods = [rule('', ['pods'], ['CREATE'])];
    const workloads = [
      rule('', ['pods', 'replicationcontrollers'], ['CREATE', 'UPDATE']),
      rule('apps', ['deployments', 'replicasets', 'statefulsets', 'daemonsets'], ['CREATE', 'UPDATE']),
      rule('batch', ['jobs', 'cronjobs'], ['CREATE', 'UPDATE']),
    ];
    await create(
      webhookConfiguration('MutatingWebhookConfiguration', 'mutate', webhook, pods, { reinvocationPolicy: 'IfNeeded' }),
    );
    await create(webhookConfiguration('ValidatingWebhookConfiguration', 'validate', webhook, workloads));
  }
});

/** The app container has the policy's three probes, and the annotation names the policy for each. */
function expectPolicyProbes(stored: Pod): void {
  const app = stored.spec.containers[0];
  expect(app?.startupProbe?.httpGet).toMatchObject({ path: paths.startup, port: 'http' });
  expect(app?.livenessProbe?.httpGet).toMatchObject({ path: paths.liveness, port: 'http' });
  expect(app?.readinessProbe?.httpGet).toMatchObject({ path: paths.readiness, port: 'http' });
  const annotation = stored.metadata.annotations?.['probewright.dev/injected'] ?? '{}';
  const sources = (JSON.parse(annotation) as Record<string, Record<string, string>>)['app'] ?? {};
  expect(Object.values(sources)).toEqual(probeKinds.map(() => 'ProbePolicy/apps/static'));
}

function expectNoProbes(spec: PodSpec | undefined): void {
  expect(spec?.containers).not.toHaveLength(0);
  for (const container of spec?.containers ?? []) {
    for (const kind of probeKinds) expect(container).not.toHaveProperty(kind);
  }
}
