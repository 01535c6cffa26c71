import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { beforeAll, describe, expect, it } from 'vitest';
import { clusterPolicyDocument, policyDocument } from '../support/worlds.ts';
import { runProbewright } from '../cli/run-probewright.ts';
import { controlPlaneProblem, startControlPlane, type ControlPlane } from './control-plane.ts';
import { waitUntil } from './processes.ts';
import { applyCrds } from './custom-resource-definitions.ts';
import { deployment as deploymentNamed, deploymentsOf } from './pods.ts';
import { describeUnless, endedAfterAll } from '../support/started.ts';
import { temporaryDirectory } from './temporary-directory.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

const badProbe = { httpGet: { path: '/healthz', port: 'htpp' } };
const selector = { matchLabels: { app: 'web' } };
/** Deployments whose Pods have one label. */
function deployment(name: string, namespace: string, probe?: JsonObject): ReturnType<typeof deploymentNamed> {
  const container = probe ? { readinessProbe: probe } : {};
  const { spec, ...rest } = deploymentNamed(name, { namespace, container, template: { labels: { app: 'web' } } });
  return { ...rest, spec: { ...spec, selector } };
}
const { template } = deployment('x', 'shop', badProbe).spec;
const pod = (name: string, owner?: object): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels: { app: 'web' }, ...(owner && { ownerReferences: [owner] }) },
  spec: template.spec,
});

interface Json {
  readonly violations: readonly {
    readonly action: string;
    readonly check: string;
    readonly file: string;
    readonly line: number;
    readonly column: number;
  }[];
  readonly problems: readonly { readonly file: string; readonly message: string }[];
  readonly summary: { readonly objects: number; readonly workloads: number };
}

describeUnless(controlPlaneProblem(), 'a cluster as the input of check, explain and plan', () => {
  const keep = endedAfterAll();
  let cluster: ControlPlane;
  let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
  let readerKubeconfig: string;

  beforeAll(async () => {
    cluster = await keep(startControlPlane({ users: ['reader', 'auditor'] }));
    directory = await keep(temporaryDirectory('cluster-input'));
    await applyCrds(cluster);
    for (const name of ['shop', 'bank', 'bare'])
      await cluster.create('/api/v1/namespaces', { metadata: { name, labels: { tier: name } } });
    await cluster.create(deploymentsOf('shop'), deployment('web', 'shop', badProbe));
    await cluster.create(deploymentsOf('shop'), deployment('fine', 'shop'));
    await cluster.create(deploymentsOf('bank'), deployment('ledger', 'bank', badProbe));
    await cluster.create('/apis/apps/v1/namespaces/shop/statefulsets', {
      ...deployment('db', 'shop'),
      kind: 'StatefulSet',
      spec: { serviceName: 'db', selector, template },
    });
    await waitUntil('Pods can be created in shop', async () => {
      return (
        (await cluster.request('GET', '/api/v1/namespaces/shop/serviceaccounts/default')).status === 200 ||
        (await cluster.request('POST', '/api/v1/namespaces/shop/serviceaccounts', { metadata: { name: 'default' } }))
          .status === 201
      );
    });
    await cluster.create('/api/v1/namespaces/shop/pods', pod('alone'));
    const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'x', uid: 'u', controller: true };
    await cluster.create('/api/v1/namespaces/shop/pods', pod('of-a-controller', owner));
    const rules = [{ apiGroups: ['apps'], resources: ['deployments'], verbs: ['get', 'list'] }];
    const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/shop';
    await cluster.create(`${rbac}/roles`, { metadata: { name: 'reader' }, rules });
    const subjects = [{ kind: 'User', name: 'reader', apiGroup: 'rbac.authorization.k8s.io' }];
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' };
    await cluster.create(`${rbac}/rolebindings`, { metadata: { name: 'reader' }, subjects, roleRef });
    readerKubeconfig = await kubeconfigOf('reader');
    await cluster.create(
      '/apis/probewright.dev/v1alpha1/clusterprobepolicies',
      clusterPolicyDocument({
        namespaceSelector: { matchLabels: { tier: 'bank' } },
        checks: { 'named-port': { action: 'Warn' } },
      }),
    );
    await cluster.create(
      '/apis/probewright.dev/v1alpha1/namespaces/shop/probepolicies',
      policyDocument({ port: 'http', kubernetesProbeEndpoints: { livenessProbe: '/livez' } }, 'shop', 'shop'),
    );
  });
  /** A file with a kubeconfig for one of the users. */
  async function kubeconfigOf(user: string): Promise<string> {
    const file = join(directory.path, `${user}.json`);
    await writeFile(file, cluster.kubeconfigOf(user));
    return file;
  }

  const run = (...args: string[]): ReturnType<typeof runProbewright> =>
    runProbewright(args, { env: { KUBECONFIG: cluster.kubeconfig } });
  const json = async (...args: string[]): Promise<{ code: number; stderr: string; report: Json }> => {
    const { code, stdout, stderr } = await run('check', ...args, '--output', 'json');
    return { code, stderr, report: JSON.parse(stdout) as Json };
  };
  const found = ({ violations }: Json): string[] =>
    violations.map(({ action, check, file }) => `${action} ${check} ${file}`);

  it('reads all workloads of a namespace, and leaves out the Pods of controllers', async () => {
    const { code, stderr, report } = await json('--cluster', '-n', 'shop');
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(found(report)).toEqual([
      'Deny named-port cluster:shop/pod/alone',
      'Deny named-port cluster:shop/deployment/web',
      'Deny named-port cluster:shop/statefulset/db',
    ]);
    expect(report.summary).toMatchObject({
      objects: 4,
      workloads: 4,
      coverage: { livenessProbe: { have: 0, get: 4 } },
    });
    expect(report.violations.map(({ line, column }) => [line, column])).toEqual([
      [1, 1],
      [1, 1],
      [1, 1],
    ]);
  });

  it('reads all namespaces, with the policies and the labels of namespaces', async () => {
    const { code, stderr, report } = await json('-A');
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(found(report)).toEqual([
      'Warn named-port cluster:bank/deployment/ledger',
      'Deny named-port cluster:shop/pod/alone',
      'Deny named-port cluster:shop/deployment/web',
      'Deny named-port cluster:shop/statefulset/db',
    ]);
  });

  it.each([[['deploy/web']], [['deployments/web', 'deployment.apps/fine']], [['deployments.v1.apps', 'web', 'fine']]])(
    'reads workloads that are named as with kubectl: %j',
    async (names) => {
      const { code, stdout, stderr } = await run('check', ...names, '-nshop');
      expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
      expect(stdout.split('\n')[0]).toBe(
        'Deployment shop/web: error: spec.template.spec.containers[0].readinessProbe.httpGet.port: ' +
          'container "app" declares no port named "htpp"; did you mean "http"? (named-port)',
      );
    },
  );

  it('reads a Pod of a controller that is named', async () => {
    const { report } = await json('pod', 'of-a-controller', '-n', 'shop');
    expect(found(report)).toEqual(['Deny named-port cluster:shop/pod/of-a-controller']);
  });

  it('explains a workload with the probes of the policies of the cluster', async () => {
    const { code, stdout, stderr } = await run('explain', 'statefulset', 'db', '-n', 'shop', '--fields');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('db (StatefulSet in namespace shop)  (cluster:shop/statefulset/db)');
    expect(stdout).toContain('ProbePolicy/shop/shop');
    expect(stdout).toContain('cluster:shop/probepolicy/shop');
  });

  describe('plan', () => {
    interface JsonPlan {
      readonly workloads: readonly {
        readonly namespace: string;
        readonly name: string;
        readonly probes: readonly { readonly probe: string; readonly change: string }[];
        readonly violations: readonly {
          readonly check: string;
          readonly before: string | null;
          readonly after: string | null;
        }[];
      }[];
      readonly summary: { readonly workloads: number; readonly unchanged: number };
    }
    const planned = async (
      documents: readonly object[],
      ...args: string[]
    ): Promise<{ code: number; stderr: string; effects: string[]; summary: JsonPlan['summary'] }> => {
      const file = join(directory.path, 'new.yaml');
      await writeFile(file, documents.map((document) => JSON.stringify(document)).join('\n---\n'));
      const { code, stdout, stderr } = await run('plan', '--policies', file, ...args, '--output', 'json');
      const { workloads, summary } = JSON.parse(stdout) as JsonPlan;
      const effects = workloads.flatMap(({ namespace, name, probes, violations }) => [
        ...probes.map(({ probe, change }) => `${namespace}/${name} ${probe} ${change}`),
        ...violations.map(
          ({ check, before, after }) => `${namespace}/${name} ${check} ${before ?? 'none'} ${after ?? 'none'}`,
        ),
      ]);
      return { code, stderr, effects, summary };
    };
    // Only this policy looks at labels of namespaces: they are read for it.
    const bank = clusterPolicyDocument(
      { namespaceSelector: { matchLabels: { tier: 'bank' } }, checks: { 'named-port': { action: 'Audit' } } },
      'cluster',
    );

    it('compares new policies with the policies of the cluster', async () => {
      const { code, stderr, effects, summary } = await planned([bank], '-A');
      expect({ code, stderr, effects }).toEqual({
        code: 1,
        stderr: '',
        effects: ['bank/ledger named-port Warn Audit'],
      });
      expect([summary.workloads, summary.unchanged]).toEqual([5, 4]);
      const shop = policyDocument({ kubernetesProbeEndpoints: {} }, 'shop', 'shop');
      const removed = await planned([shop], 'deploy/fine', '-n', 'shop');
      expect(removed).toMatchObject({
        code: 1,
        stderr: '',
        effects: [
          'shop/fine livenessProbe removed',
          'shop/fine startupProbe removed',
          'shop/fine liveness-timeout Audit none',
        ],
      });
    });

    it('compares new policies with those of --from instead, if given', async () => {
      const from = join(directory.path, 'old.yaml');
      await writeFile(from, JSON.stringify(bank));
      const { code, stderr, effects } = await planned([bank], '--from', from, '-A');
      expect({ code, stderr, effects }).toEqual({ code: 0, stderr: '', effects: [] });
    });

    it('removes a policy of the cluster, and prints no plan without the right to read policies', async () => {
      const { code, stdout, stderr } = await run(
        'plan',
        '--remove',
        'ProbePolicy/shop/shop',
        'deploy/fine',
        '-n',
        'shop',
      );
      expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
      expect(stdout.trimEnd().split('\n').at(-1)).toBe(
        'Plan: of 1 workload, 1 would get other probes at its next rollout. Nothing injects: the cluster has no webhook that injects, and no native policy.',
      );
      const denied = await run(
        ...['plan', '--remove', 'ProbePolicy/shop/shop', 'deploy/fine', '-n', 'shop', '--kubeconfig', readerKubeconfig],
      );
      expect({ code: denied.code, stdout: denied.stdout }).toEqual({ code: 2, stdout: '' });
      expect(denied.stderr).toContain('cannot list probepolicies.probewright.dev in namespace shop: forbidden');
    });
  });

  it('says the same about a snapshot, which has no values of applications', async () => {
    const snapshot = await run('snapshot', '-A');
    expect({ code: snapshot.code, stderr: snapshot.stderr }).toEqual({ code: 0, stderr: '' });
    expect((await run('snapshot', '-A')).stdout).toBe(snapshot.stdout);
    const file = join(directory.path, 'snapshot.json');
    await writeFile(file, snapshot.stdout);
    const policies = join(directory.path, 'planned.yaml');
    const spec = {
      namespaceSelector: { matchLabels: { tier: 'shop' } },
      checks: { 'named-port': { action: 'Audit' } },
    };
    await writeFile(policies, JSON.stringify(clusterPolicyDocument(spec, 'other')));
    const messages = async (...args: string[]): Promise<string[]> => {
      const { report } = await json(...args);
      return (report.violations as unknown as { action: string; message: string }[])
        .map(({ action, message }) => `${action} ${message}`)
        .toSorted();
    };
    expect(await messages(file)).toEqual(await messages('-A'));
    const plan = async (...args: string[]): Promise<unknown> => {
      const { code, stdout } = await run('plan', '--policies', policies, ...args, '--output', 'json');
      const { workloads, summary } = JSON.parse(stdout) as { workloads: object[]; summary: object };
      return { code, summary, workloads: workloads.map((each) => JSON.stringify(each)).toSorted() };
    };
    expect(await plan(file)).toEqual(await plan('-A'));
  });

  it('names what does not exist, and shows the rest', async () => {
    const { code, stderr, report } = await json('deploy/nope', 'sts/db', '-n', 'shop');
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'cluster: deployments.apps "nope" in namespace shop does not exist\n',
    });
    expect(found(report)).toEqual(['Deny named-port cluster:shop/statefulset/db']);
  });

  it('finds nothing in an empty namespace, and says so', async () => {
    const { code, stderr } = await run('check', '--cluster', '-n', 'bare');
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'cluster: has no Kubernetes object, so nothing is checked; --allow-empty accepts that\n',
    });
  });

  it('names the missing rights of a user, and shows what the user may read', async () => {
    const { code, stderr, report } = await json('--kubeconfig', readerKubeconfig, '-n', 'shop');
    expect(code).toBe(2);
    expect(found(report)).toEqual(['Deny named-port cluster:shop/deployment/web']);
    expect(stderr.trimEnd().split('\n').toSorted()).toEqual(
      [
        ...[
          'cronjobs.batch',
          'daemonsets.apps',
          'jobs.batch',
          'pods',
          'podtemplates',
          'probeexceptions.probewright.dev',
          'probepolicies.probewright.dev',
          'replicasets.apps',
          'replicationcontrollers',
          'statefulsets.apps',
        ].map((resource) => `${resource} in namespace shop`),
      ]
        .map((what) => `cluster: cannot list ${what}: forbidden`)
        .concat(
          [
            'clusterprobepolicies.probewright.dev in the cluster',
            'services in namespace shop',
            'startupprofiles.probewright.dev in namespace shop',
          ].map((what) => `cluster: warning: cannot list ${what}: forbidden`),
          'cluster: warning: what injects probes is not known: mutatingadmissionpolicies cannot be read: forbidden; mutatingwebhookconfigurations cannot be read: forbidden',
        )
        .toSorted(),
    );
    const named = await json('--kubeconfig', readerKubeconfig, '-n', 'bank', 'deploy/ledger');
    expect(named.stderr).toContain('cluster: cannot get deployments.apps "ledger" in namespace bank: forbidden\n');
    expect(named.report.problems.map(({ file }) => file)).toEqual(['cluster', 'cluster', 'cluster']);
  });

  it('needs no more than the rights of the ClusterRole in the docs', async () => {
    const page = await readFile('docs/commands.md', 'utf8');
    const role = /```yaml\n(apiVersion: rbac[^]*?)\n```/.exec(page)?.[1];
    const subject = { kind: 'User', name: 'auditor', apiGroup: 'rbac.authorization.k8s.io' };
    const name = (parse(role ?? '') as { metadata: { name: string } }).metadata.name;
    await cluster.apply(role ?? '');
    await cluster.create('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
      metadata: { name: 'auditor' },
      subjects: [subject],
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    });
    const { code, stderr, report } = await json('--kubeconfig', await kubeconfigOf('auditor'), '-A');
    expect({ code, stderr, found: report.violations.length }).toEqual({ code: 1, stderr: '', found: 4 });
  });
});
