import { writeFile } from 'node:fs/promises';
import { ROLLOUT_DEFINITION } from './custom-resource-definitions.ts';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { appContainer, clusterPolicyDocument, policyDocument } from '../support/worlds.ts';
import { type ControlPlane, controlPlaneProblem, startControlPlane } from './control-plane.ts';
import { type StoredPod, deployment, probeKinds, provenance } from './pods.ts';
import { type CommandResult, waitUntil } from './processes.ts';
import { describeUnless, endedAfterAll } from '../support/started.ts';
import { rule, webhookConfiguration } from './webhook-configuration.ts';
import { type WebhookProcess, startWebhook } from './webhook-process.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

interface Stored<Spec> {
  readonly metadata: { readonly generation?: number; readonly labels?: Readonly<Record<string, string>> };
  readonly spec: Spec;
}
type PodSpec = StoredPod['spec'];
type Pod = Stored<PodSpec> & StoredPod;
type Deployment = Stored<{ readonly template: Stored<PodSpec> }> & {
  readonly status: { readonly collisionCount?: number };
};

const paths = { startup: '/healthcheck/ready', liveness: '/healthcheck/live', readiness: '/healthcheck/foo' };
/** The platform gives the timing, the team its paths: what reaches a Pod must come from both. */
const platform = clusterPolicyDocument(
  { containers: ['*'], probes: { livenessProbe: { periodSeconds: 7 } } },
  'platform',
);
const teamPolicy = (livenessProbe: string): string =>
  JSON.stringify(
    policyDocument(
      {
        workloadSelector: { matchLabels: { app: 'static' } },
        containers: ['app'],
        kubernetesProbeEndpoints: { startupProbe: paths.startup, livenessProbe, readinessProbe: paths.readiness },
      },
      'static',
    ),
  );

const labels = { app: 'static' };
const staticContainer = appContainer({
  ports: [
    { name: 'http', containerPort: 8080 },
    { name: 'metrics', containerPort: 9394 },
  ],
});
const pod = (name: string, container: object = staticContainer): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'apps', labels },
  spec: { containers: [container] },
});
const nginx = { name: 'nginx', image: 'example.test/nginx:1', ports: [{ name: 'https', containerPort: 8443 }] };

/** A Deployment whose Pods the policy selects. A label of its own keeps its selector from the Pods of other tests. */
function staticDeployment(name: string): object {
  const own = { ...labels, workload: name };
  const { spec, ...rest } = deployment(name, { namespace: 'apps', more: [nginx], replicas: 2 });
  const template = { ...spec.template, metadata: { labels: own } };
  return { ...rest, spec: { ...spec, selector: { matchLabels: own }, template } };
}

const misspelt = { readinessProbe: { httpGet: { path: '/', port: 'htpp' } } };
const bad = (name: string, container: JsonObject = misspelt, metadata: JsonObject = {}): object =>
  deployment(name, { container, metadata, replicas: 1 });
const canary = (container: JsonObject): object => ({
  ...deployment('canary', { container }),
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Rollout',
});

const both = ['CREATE', 'UPDATE'];
const validated = [
  rule('', ['pods', 'replicationcontrollers', 'podtemplates'], both),
  rule('apps', ['deployments', 'replicasets', 'statefulsets', 'daemonsets'], both),
  rule('batch', ['jobs', 'cronjobs'], both),
  rule('argoproj.io', ['rollouts'], both),
];

describeUnless(controlPlaneProblem({ controllers: true }), 'the webhook in a control plane', () => {
  const keep = endedAfterAll();
  let cluster: ControlPlane;
  let webhook: WebhookProcess;
  let templateWithoutWebhook: Stored<PodSpec>;

  beforeAll(async () => {
    cluster = await keep(startControlPlane({ controllers: true }));
    const policies = { 'platform.json': JSON.stringify(platform), 'static.json': teamPolicy(paths.liveness) };
    webhook = await keep(startWebhook({ policies }));
    await cluster.kubectl(['create', 'namespace', 'apps']);
    const dryRun = await create<Deployment>(staticDeployment('web'), '--dry-run=server');
    templateWithoutWebhook = dryRun.spec.template;
    // Before the webhook there was nobody to stop or to patch these.
    await create(pod('older'));
    await cluster.apply(
      bad('old'),
      bad('finalized', misspelt, { finalizers: ['example.com/hold'] }),
      ROLLOUT_DEFINITION,
    );
    await cluster.kubectl(['wait', '--for=condition=Established', 'crd/rollouts.argoproj.io', '--timeout=30s']);
    await create(
      webhookConfiguration('MutatingWebhookConfiguration', 'mutate', webhook, [rule('', ['pods'], ['CREATE'])], {
        reinvocationPolicy: 'IfNeeded',
      }),
    );
    await create(webhookConfiguration('ValidatingWebhookConfiguration', 'validate', webhook, validated));
    await waitUntil('the API server calls the webhook for Pods', async () => {
      const answer = await create<Pod>(pod('trial'), '--dry-run=server');
      return answer.spec.containers[0]?.livenessProbe !== undefined;
    });
    await waitUntil('the API server calls the webhook for Deployments', async () => {
      const { code } = await apply(bad('trial'), '--dry-run=server');
      return code !== 0;
    });
  });

  describe('patches', () => {
    it('a Pod that a user creates: three probes on the named port, and says where they come from', async () => {
      await create(pod('by-user'));
      const stored = await read<Pod>('pod', 'by-user');
      expectPolicyProbes(stored);
      expect(stored.spec.containers[0]?.livenessProbe?.periodSeconds).toBe(7);
    });

    it('no probe that a container has, and adds the others', async () => {
      const livenessProbe = { httpGet: { path: '/mine', port: 9394 }, periodSeconds: 20 };
      await create(pod('own-liveness', { ...staticContainer, livenessProbe }));
      const container = (await read<Pod>('pod', 'own-liveness')).spec.containers[0];
      expect(container?.livenessProbe).toMatchObject(livenessProbe);
      expect(container?.readinessProbe?.httpGet).toMatchObject({ path: paths.readiness, port: 9394 });
    });

    it('the Pods of a Deployment, and leaves its template as the user wrote it', async () => {
      await create(staticDeployment('web'));
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

    it('in a way that never makes the Deployment controller create a second ReplicaSet', async () => {
      await create(staticDeployment('steady'));
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

    it('no Pod that is labelled: those with injected probes and those older than the webhook', async () => {
      await create(pod('labelled'));
      for (const name of ['labelled', 'older']) {
        await cluster.kubectl(['label', 'pod', name, 'touched=yes', '--namespace=apps']);
        expect((await read<Pod>('pod', name)).metadata.labels).toEqual({ ...labels, touched: 'yes' });
      }
      expectPolicyProbes(await read<Pod>('pod', 'labelled'));
      expectNoProbes((await read<Pod>('pod', 'older')).spec);
    });

    it("no Pod of a Job's", async () => {
      const spec = { containers: [staticContainer], restartPolicy: 'Never' };
      const template = { metadata: { labels: { ...labels, workload: 'migrate' } }, spec };
      const metadata = { name: 'migrate', namespace: 'apps' };
      await create({ apiVersion: 'batch/v1', kind: 'Job', metadata, spec: { template } });
      const [stored] = await waitUntil('the Job has created its Pod', async () => {
        const found = await list<Pod>('pods', 'workload=migrate');
        return found.length > 0 && found;
      });
      expectNoProbes(stored?.spec);
      expect(stored?.metadata.annotations ?? {}).not.toHaveProperty(['probewright.dev/injected']);
    });

    it('by an edited policy the next Pod within two seconds', async () => {
      await writeFile(join(webhook.policies, 'static.json'), teamPolicy('/healthcheck/alive'));
      const pathOf = ({ spec }: Pod): string | undefined => spec.containers[0]?.livenessProbe?.httpGet?.path;
      await waitUntil(
        'a Pod would get the edited path',
        async () => {
          const { body } = await cluster.request('POST', '/api/v1/namespaces/apps/pods?dryRun=All', pod('edited'));
          return pathOf(JSON.parse(body) as Pod) === '/healthcheck/alive';
        },
        2_000,
      );
      await create(pod('after-edit'));
      expect(pathOf(await read<Pod>('pod', 'after-edit'))).toBe('/healthcheck/alive');
    });
  });

  describe('refuses', () => {
    it('a misspelt port name at apply, with what to write instead', async () => {
      const { code, stderr } = await apply(bad('new'));
      expect(code).not.toBe(0);
      expect(stderr).toContain(
        'denied the request: spec.template.spec.containers[0].readinessProbe.httpGet.port: container "app" declares no port named "htpp"; ' +
          'did you mean "http"? (named-port)',
      );
    });

    it('a PodTemplate by its own paths', async () => {
      const metadata = { name: 'new', namespace: 'default' };
      const { template } = deployment('new', { container: misspelt }).spec;
      const { code, stderr } = await apply({ apiVersion: 'v1', kind: 'PodTemplate', metadata, template });
      expect(code).not.toBe(0);
      expect(stderr).toContain('denied the request: template.spec.containers[0].readinessProbe.httpGet.port: ');
    });

    it('no label on an object that was there before, and warns when its template changes', async () => {
      await cluster.kubectl(['label', 'deployment', 'old', 'touched=yes']);
      const { stderr } = await cluster.kubectl(['set', 'image', 'deployment/old', 'app=registry.example.com/app:2']);
      expect(stderr).toContain('Warning: ');
      expect(stderr).toContain('(named-port)');
    });

    it('one more bad probe in an update, and only that', async () => {
      const { code, stderr } = await apply(bad('old', { ...misspelt, livenessProbe: { tcpSocket: { port: 'nope' } } }));
      expect(code).not.toBe(0);
      expect(stderr).toContain('livenessProbe.tcpSocket.port');
      expect(stderr.split('\n').filter((line) => line.includes('denied the request'))).toHaveLength(1);
      expect(stderr).not.toContain('readinessProbe.httpGet.port');
    });

    it('no removal of finalizers from an object that would be refused today', async () => {
      await cluster.kubectl(['delete', 'deployment', 'finalized', '--wait=false']);
      const patch = '--patch={"metadata":{"finalizers":null}}';
      await cluster.kubectl(['patch', 'deployment', 'finalized', '--type=merge', patch]);
      await waitUntil(
        'the object is gone',
        async () => (await cluster.kubectl(['get', 'deployment', 'finalized'], { allowFailure: true })).code !== 0,
      );
    });

    it('no Pod that a ReplicaSet creates', async () => {
      const oldPods = async (output: string): Promise<string> =>
        (await cluster.kubectl(['get', 'pods', '--selector=app=old', `--output=${output}`])).stdout.trim();
      await waitUntil('the old Deployment has its Pods', async () => (await oldPods('name')) !== '');
      await cluster.kubectl(['delete', 'pods', '--selector=app=old', '--wait=false']);
      const deletions = 'jsonpath={.items[*].metadata.deletionTimestamp}';
      await waitUntil('the ReplicaSet has replaced them', async () => (await oldPods(deletions)) === '');
      expect(await oldPods('name')).not.toBe('');
    });

    it('a custom kind with a probe that the API server would refuse in a Pod', async () => {
      const { code, stderr } = await apply(canary({ livenessProbe: { httpGet: { path: '/', port: 70_000 } } }));
      expect(code).not.toBe(0);
      expect(stderr).toContain(
        'spec.template.spec.containers[0].livenessProbe.httpGet.port: Invalid value: 70000: must be between 1 and 65535, inclusive (valid-probe)',
      );
      await cluster.apply(canary({}));
    });
  });

  it('changes nothing but Pods being created, however widely it is registered', async () => {
    const rules = [rule('', ['pods'], both), rule('apps', ['*'], both), rule('batch', ['*'], both)];
    const wide = webhookConfiguration('MutatingWebhookConfiguration', 'mutate', webhook, rules);
    await create({ ...wide, metadata: { name: 'too-wide' } });
    await sleep(1_500);
    await create(staticDeployment('wide'));
    await cluster.kubectl(['label', 'pod', 'older', 'touched=again', '--overwrite', '--namespace=apps']);
    await cluster.kubectl(['scale', 'deployment', 'wide', '--replicas=3', '--namespace=apps']);
    await waitUntil('it is scaled', async () => (await list('pods', 'workload=wide')).length === 3);
    const [replicaSet, ...others] = await list<Stored<{ template: Stored<PodSpec> }>>('replicasets', 'workload=wide');
    expect(others).toHaveLength(0);
    expectNoProbes(replicaSet?.spec.template.spec);
    expectNoProbes((await read<Deployment>('deployment', 'wide')).spec.template.spec);
    expectNoProbes((await read<Pod>('pod', 'older')).spec);
  });

  function apply(object: object, ...flags: string[]): Promise<CommandResult> {
    const input = JSON.stringify(object);
    return cluster.kubectl(['apply', '--filename=-', ...flags], { input, allowFailure: true });
  }

  async function create<T>(manifest: object, ...flags: string[]): Promise<T> {
    const args = ['create', '--filename=-', '--output=json', ...flags];
    return JSON.parse((await cluster.kubectl(args, { input: JSON.stringify(manifest) })).stdout) as T;
  }

  async function read<T>(kind: string, name: string): Promise<T> {
    return JSON.parse((await cluster.kubectl(['get', kind, name, '--namespace=apps', '--output=json'])).stdout) as T;
  }

  async function list<T>(resource: string, selector: string): Promise<T[]> {
    const args = ['get', resource, '--namespace=apps', `--selector=${selector}`, '--output=json'];
    return (JSON.parse((await cluster.kubectl(args)).stdout) as { items: T[] }).items;
  }
});

/** The app container has the policy's three probes, and the annotation names the policy for each. */
function expectPolicyProbes(stored: Pod): void {
  const app = stored.spec.containers[0];
  expect(app?.startupProbe?.httpGet).toMatchObject({ path: paths.startup, port: 'http' });
  expect(app?.livenessProbe?.httpGet).toMatchObject({ path: paths.liveness, port: 'http' });
  expect(app?.readinessProbe?.httpGet).toMatchObject({ path: paths.readiness, port: 'http' });
  expect(Object.values(provenance(stored))).toEqual(probeKinds.map(() => 'ProbePolicy/apps/static'));
}

function expectNoProbes(spec: PodSpec | undefined): void {
  expect(spec?.containers).not.toHaveLength(0);
  for (const container of spec?.containers ?? []) {
    for (const kind of probeKinds) expect(container).not.toHaveProperty(kind);
  }
}
